import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'

const PASSWORD = 'alice-Passw0rd'

let clone: Clone
let site: Client
let admin: string

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
  admin = (await site.signIn('admin', ADMIN_PASSWORD)).data.token
  const body = { username: 'alice', password: PASSWORD, permission: 0x300 }
  await site.call('POST', '/api/admin/user/create', { token: admin, body })
})
afterAll(() => clone.remove())

const run = (...args: string[]) => clone.command(args)

async function json(...args: string[]) {
  const { code, stdout, stderr } = await run('--json', ...args)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

const create = (name: string, ...options: string[]) =>
  run('token', 'create', 'alice', '--name', name, ...options)

async function introspect(input: string) {
  const { stdout } = await clone.command(['--json', 'token', 'introspect'], input)
  return JSON.parse(stdout)
}

describe('latchkey token', () => {
  test('create prints an app password that the site takes; list shows it; delete ends it', async () => {
    const options = ['--scope', 'account:read', '--scope', 'files:read', '--expires', '90d']
    const { stdout } = await create('rclone', ...options)
    const token = stdout.trim()
    expect(token).toMatch(/^lk_[0-9A-Za-z]{38}$/)
    expect(await site.call('GET', '/api/me', { token })).toMatchObject({ code: 200 })
    const { content, total } = await json('token', 'list', 'alice')
    expect(total).toBe(1)
    expect(content[0]).toMatchObject({ name: 'rclone', scopes: ['files:read', 'account:read'] })
    const lifetime = Date.parse(content[0].expires_at) - Date.parse(content[0].created_at)
    expect(lifetime / 86_400_000).toBeCloseTo(90, 3)
    const id = String(content[0].id)
    expect((await run('token', 'delete', 'alice', id)).stdout).toBe(
      `Deleted app password ${id} of alice.\n`,
    )
    expect(await site.call('GET', '/api/me', { token })).toMatchObject({ code: 401 })
    expect((await run('token', 'delete', 'alice', id)).stderr).toContain('no such app password')
  })

  test('list --stale names those that never expire, of all users', async () => {
    await create('endless', '--scope', 'files:read', '--expires', 'never')
    await create('bounded', '--scope', 'files:read')
    const { content } = await json('token', 'list', '--stale')
    expect(content).toMatchObject([{ username: 'alice', name: 'endless', expires_at: null }])
    const { stdout } = await run('doctor')
    expect(stdout).toContain('1 never expire')
    expect(stdout).toContain('token list --stale')
  })

  test('introspect says what a server learns, and reads the token from standard input', async () => {
    const { stdout } = await create('asked', '--scope', 'files:read')
    expect(await introspect(stdout)).toMatchObject({
      active: true,
      username: 'alice',
      scope: 'files:read',
      permission: 0x100,
    })
    expect(await introspect(admin)).toMatchObject({ active: true, username: 'admin', role: 2 })
    expect(await introspect('lk_nonsense\n')).toEqual({ active: false })
  })

  test.each([
    [['--scope', 'files'], /must be one of files:read/],
    [['--scope', 'admin'], /alice is not an admin/],
    [['--scope', 'files:read', '--expires', '0d'], /number of days such as 90d, or never/],
    [['--scope', 'files:read', '--expires', 'tomorrow'], /number of days such as 90d, or never/],
    [[], /--scope/],
  ])('create refuses %j', async (options, reason) => {
    const { code, stdout, stderr } = await create('refused', ...options)
    expect(stdout).toBe('')
    expect(stderr).toMatch(reason)
    expect(code).not.toBe(0)
  })

  test('create refuses a taken name, and a user who is not there', async () => {
    await create('twice', '--scope', 'files:read')
    expect((await create('twice', '--scope', 'files:read')).stderr).toContain('delete it first')
    const args = ['token', 'create', 'nobody', '--name', 'x', '--scope', 'files:read']
    expect((await run(...args)).stderr).toContain('There is no user "nobody"')
  })

  test('session end --all ends everything', async () => {
    const token = (await create('ended', '--scope', 'account:read')).stdout.trim()
    const session = (await site.signIn('alice', PASSWORD)).data.token
    const { stdout } = await run('session', 'end', 'alice', '--all')
    expect(stdout).toMatch(/^Ended 1 session of alice, and deleted \d app passwords\.\n$/)
    for (const credential of [token, session])
      expect(await site.call('GET', '/api/me', { token: credential })).toMatchObject({ code: 401 })
  })

  test('a service token may ask about tokens', async () => {
    const args = ['service-token', 'add', 'files', '--scope', 'sftp', '--scope', 'introspect']
    const { stdout } = await run(...args)
    const { content } = await json('service-token', 'list')
    expect(content).toMatchObject([{ scope: 'sftp:keys sftp:passwords introspect' }])
    const response = await fetch(new URL('/oauth/introspect', site.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${stdout.trim()}` },
      body: new URLSearchParams({ token: admin }),
    })
    expect(await response.json()).toMatchObject({ active: true, username: 'admin' })
  })
})
