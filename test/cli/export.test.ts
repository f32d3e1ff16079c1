import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
/** More than ten pages. */
const EVENTS = 25_000

let clone: Clone
let site: Client

beforeAll(async () => {
  clone = new Clone()
  site = await clone.serve(ADMIN_PASSWORD)
  const { data } = await site.signIn('admin', ADMIN_PASSWORD)
  const body = { username: 'alice', password: 'alice-Passw0rd' }
  await site.call('POST', '/api/admin/user/create', { token: data.token, body })
  await site.signIn('alice', 'alice-Passw0rd')
  clone.sql(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EVENTS})
     insert into audit_events (at, kind, user_id, detail, network, user_agent)
     select ${Date.now() - 1000} + i / 100, 'key_used', 3, '=1+' || i, '192.0.2.' || (i % 250), 'a "client", ' || i from n`,
  )
})
afterAll(() => clone.remove())

test('event export writes each event once, in order, as one JSON object a line', async () => {
  const { code, stdout, stderr } = await clone.latchkey(['event', 'export', '--kind', 'key_used'])
  expect([code, stderr]).toEqual([0, ''])
  const events: { id: number; detail: string; user: string }[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events).toHaveLength(EVENTS)
  expect(events.map(({ detail }) => detail)).toEqual(
    Array.from({ length: EVENTS }, (_, i) => `=1+${i + 1}`),
  )
  expect(events[0]).toMatchObject({ kind: 'key_used', user: 'alice', country: '', times: 1 })
})

test('event export --format csv quotes what a spreadsheet would run', async () => {
  const args = ['event', 'export', '--user', 'alice', '--since', '1h', '--format', 'csv']
  const { stdout } = await clone.latchkey(args)
  const [head, first, ...others] = stdout.trimEnd().split('\r\n')
  expect(head).toBe(
    '\uFEFFid,time,kind,user,user_id,by,what,detail,network,country,times,user_agent',
  )
  expect(first).toMatch(/^\d+,.*,user_made,alice,3,admin,/)
  expect(others).toHaveLength(EVENTS + 1)
  expect(others.at(-1)).toContain(`,'=1+${EVENTS},'=1+${EVENTS},`)
  expect(others.at(-1)).toMatch(/,"a ""client"", \d+"$/)
})

test('user export prints everything that is kept of a user, and no hash', async () => {
  const { data } = await site.signIn('alice', 'alice-Passw0rd')
  const { token } = data
  const key =
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHzsLvYmY1gdR2JQw3br6B9smKmS5wMpB7GZYkGLZYQe laptop'
  await site.call('POST', '/api/me/sshkey/add', { token, body: { title: 'laptop', key } })
  const app = { name: 'rclone', scopes: ['files:read'] }
  const made = await site.call('POST', '/api/me/tokens/create', { token, body: app })
  const { stdout } = await clone.latchkey(['user', 'export', 'alice'])
  const all = JSON.parse(stdout)
  expect(all).toMatchObject({
    account: { id: 3, username: 'alice', password: '' },
    password_changed_at: null,
    unused_recovery_codes: 0,
    ssh_keys: [{ title: 'laptop', key }],
    app_passwords: [{ name: 'rclone' }],
    passkeys: [],
    identities: [],
    openid_grants: [],
    notices: [],
  })
  expect(all.sessions).toHaveLength(2)
  expect(all.events).toHaveLength(EVENTS + 5)
  expect(stdout).not.toContain('$scrypt')
  expect(stdout).not.toContain(made.data.token)
})

test('user delete says what stays, for as long as events are kept', async () => {
  await clone.latchkey(['setting', 'set', 'event_retention_days', '365'])
  const { stdout } = await clone.latchkey(['user', 'delete', 'alice', '--yes'])
  expect(stdout).toBe(
    'Deleted alice (id 3). The events of the account stay for up to 365 days, and the last one has the name. Backups keep what they hold, and files stay at the file server.\n',
  )
})
