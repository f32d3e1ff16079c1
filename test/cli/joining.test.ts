import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'

const OK = { code: 200, message: 'success', data: null }
const PASSWORD = 'a-new-Passw0rd'

let clone: Clone
let site: Client

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
})
afterAll(() => clone.remove())

async function printed(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await clone.command(words)
  if (code !== 0) throw new Error(stdout + stderr)
  return stdout.trim()
}

const secretOf = (link: string) => link.split('/').at(-1) ?? ''

describe('links on the command line', () => {
  test('invite somebody, who then has the account that was meant', async () => {
    const link = await printed('invitation', 'create', '--name', 'family', '--permission', 'rename')
    // The port that the running site was started on.
    const { port } = new URL(site.url)
    expect(link.slice(0, -43)).toBe(`http://localhost:${port}/account/link/`)
    const body = { invitation: secretOf(link), username: 'carol', password: PASSWORD }
    expect(await site.call('POST', '/api/auth/register', { body })).toEqual(OK)
    const { content } = JSON.parse(await printed('link', 'list', '--json'))
    expect(content).toMatchObject([{ kind: 'invitation', name: 'family', state: 'used', used: 1 }])
    expect((await site.signIn('carol', PASSWORD)).code).toBe(200)
  })

  test.each([
    ['--uses', '1001', 1000],
    ['--account-days', '3651', 3650],
  ])('refuse %s %s, as the interface does', async (option, value, most) => {
    const refused = await clone.command(['invitation', 'create', option, value])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain(`It must be a number from 1 to ${most}.`)
  })

  test('are withdrawn', async () => {
    const link = await printed('invitation', 'create', '--site', 'https://account.example.org')
    expect(link).toContain('https://account.example.org/account/link/')
    const { content } = JSON.parse(await printed('link', 'list', '--json'))
    expect(await printed('link', 'delete', String(content[0].id))).toMatch(/is withdrawn/)
    const body = { invitation: secretOf(link), username: 'dave', password: PASSWORD }
    expect((await site.call('POST', '/api/auth/register', { body })).code).toBe(404)
  })

  test('give a user a new password', async () => {
    await printed('user', 'add', 'erin', '--without-password')
    const link = await printed('user', 'reset-link', 'erin')
    const body = { link: secretOf(link), password: PASSWORD }
    expect(await site.call('POST', '/api/auth/reset', { body })).toEqual(OK)
    expect((await site.signIn('erin', PASSWORD)).code).toBe(200)
  })
})

test('a link of a site that does not run says where it leads, unless the operator has said it', async () => {
  const still = new Clone(inject('startedSite'))
  try {
    const { code, stdout, stderr } = await still.command(['invitation', 'create'])
    expect(stdout).toMatch(/^http:\/\/localhost:8787\/account\/link\/[\w-]{43}\n$/)
    expect([code, stderr]).toEqual([
      0,
      'The site is not running, so the link leads to http://localhost:8787. If the site answers elsewhere, name its address with --site, or set SITE_ADDRESS in .dev.vars.\n',
    ])
    const named = await still.command(['invitation', 'create', '--site', 'https://a.example.org'])
    expect(named).toMatchObject({ code: 0, stderr: '' })
  } finally {
    await still.remove()
  }
})

test('new accounts have a folder of their own where a file server stands behind the site', async () => {
  const behind = new Clone(inject('startedSite'))
  appendFileSync(
    behind.path('.dev.vars'),
    'FILES_ORIGIN=http://127.0.0.1:9\nFILES_TOKEN=some-token\n',
  )
  try {
    for (const words of ['alice', 'bob --base-path /all', 'carol --role admin'])
      expect(
        await behind.command(['user', 'add', ...words.split(' '), '--without-password']),
      ).toMatchObject({ code: 0 })
    await behind.command(['invitation', 'create'])
    expect(
      behind.sql('select base_path from users where id > 2 union all select base_path from links'),
    ).toEqual(
      ['/homes/alice', '/all', '/', '/homes/{username}'].map((path) => ({ base_path: path })),
    )
  } finally {
    await behind.remove()
  }
})

test('a registration waits until it is approved, or is rejected', async () => {
  await printed('setting', 'set', 'allow_register', 'true')
  await printed('setting', 'set', 'register_approval', 'true')
  for (const username of ['frank', 'grace'])
    expect(
      await site.call('POST', '/api/auth/register', { body: { username, password: PASSWORD } }),
    ).toEqual(OK)
  expect((await site.signIn('frank', PASSWORD)).code).toBe(403)
  expect(await printed('user', 'list', '--waiting')).toMatch(/frank[^]*grace/)
  await printed('user', 'approve', 'frank')
  await printed('user', 'reject', 'grace')
  expect((await site.signIn('frank', PASSWORD)).code).toBe(200)
  const waiting = await printed('user', 'list', '--waiting', '--json')
  expect(JSON.parse(waiting)).toEqual({ content: [], total: 0 })
})

test('an account gets an address and an end, and has none again', async () => {
  await printed('user', 'add', 'heidi', '--without-password')
  await printed('user', 'add', 'ivan', '--without-password')
  const soon = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString()
  await printed('user', 'set', 'heidi', '--email', 'heidi@example.org', '--ends', soon)
  const shown = async () => JSON.parse(await printed('user', 'show', 'heidi', '--json'))
  expect(await shown()).toMatchObject({
    email: 'heidi@example.org',
    email_verified: false,
    ends_at: soon.replace('Z', '+00:00'),
  })
  const ending = async (days: string) => {
    const { content } = JSON.parse(await printed('user', 'list', '--ending', days, '--json'))
    return content.map(({ username }: { username: string }) => username)
  }
  expect(await ending('14d')).toEqual(['heidi'])
  expect(await printed('user', 'list', '--ending', '14d')).toContain(soon.slice(0, 10))
  expect(await ending('2d')).toEqual([])
  await printed('user', 'set', 'heidi', '--ends', '2099-01-31', '--email', 'none')
  expect(await shown()).toMatchObject({ email: '', ends_at: '2099-01-31T00:00:00.000+00:00' })
  await printed('user', 'set', 'heidi', '--ends', 'never', '--role', 'admin')
  expect(await shown()).toMatchObject({ ends_at: null, role: 2 })
})

test('what is no address, no end and no number of days is refused', async () => {
  for (const [words, why] of [
    [['user', 'set', 'admin', '--ends', 'soon'], 'It must be a date such as'],
    [['user', 'set', 'admin', '--email', 'nobody'], 'It must be an e-mail address'],
    [['user', 'list', '--ending', '14'], 'It must be a number of days such as 14d'],
  ] as const) {
    const { code, stderr } = await clone.command([...words])
    expect(code).toBe(2)
    expect(stderr).toContain(why)
  }
})
