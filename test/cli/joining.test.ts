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
    expect(link).toMatch(/^http:\/\/localhost:8787\/account\/link\/[\w-]{43}$/)
    const body = { invitation: secretOf(link), username: 'carol', password: PASSWORD }
    expect(await site.call('POST', '/api/auth/register', { body })).toEqual(OK)
    const { content } = JSON.parse(await printed('link', 'list', '--json'))
    expect(content).toMatchObject([{ kind: 'invitation', name: 'family', state: 'used', used: 1 }])
    expect((await site.signIn('carol', PASSWORD)).code).toBe(200)
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

test('a registration waits until it is approved, or is rejected', async () => {
  await printed('setting', 'set', 'allow_register', 'true')
  await printed('setting', 'set', 'register_approval', 'true')
  for (const username of ['frank', 'grace'])
    expect(
      await site.call('POST', '/api/auth/register', { body: { username, password: PASSWORD } }),
    ).toEqual(OK)
  expect((await site.signIn('frank', PASSWORD)).code).toBe(401)
  expect(await printed('user', 'waiting')).toMatch(/frank[^]*grace/)
  await printed('user', 'approve', 'frank')
  await printed('user', 'reject', 'grace')
  expect((await site.signIn('frank', PASSWORD)).code).toBe(200)
  expect(JSON.parse(await printed('user', 'waiting', '--json'))).toEqual({ content: [], total: 0 })
})

test('an account gets an end, and has none again', async () => {
  await printed('user', 'add', 'heidi', '--without-password')
  expect(await printed('user', 'ends', 'heidi', '2099-01-01T00:00:00Z')).toMatch(/ends at 2099/)
  expect(await printed('user', 'ends', 'heidi', 'never')).toBe('heidi has no end.')
  const { code, stderr } = await clone.command(['user', 'ends', 'heidi', 'soon'])
  expect(code).toBe(2)
  expect(stderr).toContain('must be a time such as')
})
