import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'

/** More than three pages. */
const EVENTS = 6500

let clone: Clone
let site: Client

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
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
  const { code, stdout, stderr } = await clone.command(['event', 'export', '--kind', 'key_used'])
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

test('an event of npm start is from no country', async () => {
  const { stdout } = await clone.command(['event', 'export', '--kind', 'user_made'])
  expect(JSON.parse(stdout)).toMatchObject({ network: '127.0.0.1', country: '' })
})

test('event export --format csv quotes what a spreadsheet would run', async () => {
  const args = ['event', 'export', '--user', 'alice', '--since', '1h', '--format', 'csv']
  const { stdout } = await clone.command(args)
  const [head, first, ...others] = stdout.trimEnd().split('\r\n')
  expect(head).toBe(
    '\uFEFFid,time,kind,user,user_id,by,what,detail,network,country,times,user_agent',
  )
  expect(first).toMatch(/^\d+,.*,user_made,alice,3,admin,/)
  expect(others).toHaveLength(EVENTS + 1)
  expect(others.at(-1)).toContain(`,'=1+${EVENTS},'=1+${EVENTS},`)
  expect(others.at(-1)).toMatch(/,"a ""client"", \d+"$/)
})

/** Every table with something of a user, and the part of the export that shows it. */
const PARTS = {
  app_passwords: 'app_passwords',
  audit_events: 'events',
  file_users: 'file_server',
  folder_rules: 'folder_rules',
  group_members: 'groups',
  identities: 'identities',
  links: 'links',
  notice_channels: 'notices',
  openid_consents: 'openid_consents',
  openid_grants: 'openid_grants',
  passkeys: 'passkeys',
  recovery_codes: 'unused_recovery_codes',
  reserved_names: 'reserved_names',
  sessions: 'sessions',
  ssh_keys: 'ssh_keys',
} as const

/**
 * Writes and requests to the file server, logouts that programs are to be told of, and mails, while
 * they go on.
 */
const NOT_KEPT = ['deleted_items', 'file_leases', 'file_requests', 'mails', 'openid_logouts']

/** What no export may hold: hashes, sealed texts and keys. The word says what it would be. */
const secretsOf = (table: string, columns: string) =>
  clone.sql(`select ${columns} from ${table}`).flatMap((row) => Object.values(row))

test('user export prints everything that is kept of a user, and no hash', async () => {
  const tables = clone
    .sql(
      `select distinct m.name from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and c.name = 'user_id'`,
    )
    .map(({ name }) => String(name))
  expect(tables.toSorted()).toEqual([...Object.keys(PARTS), ...NOT_KEPT].toSorted())

  const { data } = await site.signIn('alice', 'alice-Passw0rd')
  const { token } = data
  const key =
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHzsLvYmY1gdR2JQw3br6B9smKmS5wMpB7GZYkGLZYQe laptop'
  await site.call('POST', '/api/me/sshkey/add', { token, body: { title: 'laptop', key } })
  const app = { name: 'rclone', scopes: ['files:read'] }
  const made = await site.call('POST', '/api/me/tokens/create', { token, body: app })
  const channel = {
    kind: 'webhook',
    address: 'https://203.0.114.1/SECRET-path',
    topics: ['password'],
  }
  await site.call('POST', '/api/me/notices/save', { token, body: channel })
  const client = [
    'client',
    'add',
    'Photos',
    '--redirect',
    'https://photos.example.org/back',
    '--issuer',
    'https://account.example.org',
  ]
  expect((await clone.command(client)).code).toBe(0)
  for (const statement of [
    `insert into passkeys (credential_id, user_id, public_key, algorithm, sign_count, backed_up, transports, aaguid, rp_id, name, created_at)
     values ('AAAA', 3, 'SECRET-key', -7, 0, 0, '', '${'0'.repeat(32)}', 'localhost', 'phone', 1)`,
    `insert into identities (issuer, subject, user_id, platform, name, linked_at, linked_by)
     values ('https://id.example.org', 'sub-1', 3, 'OIDC', 'alice@example.org', 1, 'user')`,
    `insert into openid_consents select 3, id, 'openid', 1 from openid_clients`,
    `insert into openid_grants (id, issuer, client_id, user_id, session_id, scope, redirect_uri, nonce, auth_time, amr, code_hash, code_expires_at, created_at, refresh_hash)
     select 'g', 'http://localhost', id, 3, '', 'openid', 'https://photos.example.org/back', 'SECRET-nonce', 1, 'pwd', 'SECRET-code', 1, 1, 'SECRET-refresh' from openid_clients`,
    `insert into reserved_names (username_key, username, user_id, reserved_at) values ('alicia', 'Alicia', 3, 1)`,
    `insert into file_users (user_id, remote_id, remote_name, token) values (3, 7, 'alice~3', 'SECRET-token')`,
    `insert into recovery_codes (user_id, code_hash) values (3, 'SECRET-recovery')`,
    `insert into groups values (1, 'editors', 'editors', '', 1)`,
    `insert into group_members values (1, 3, 1, null, 'sso')`,
    `insert into folder_rules (path, user_id, access, created_at) values ('/photos', 3, 'read', 1)`,
    `update users set totp_seed = 'SECRET-seed' where id = 3`,
  ])
    clone.sql(statement)
  const { stdout } = await clone.command(['user', 'export', 'alice'])
  const all = JSON.parse(stdout)
  expect(all).toMatchObject({
    account: { id: 3, username: 'alice', password: '' },
    created_at: expect.stringMatching(/^20/),
    renamed_at: null,
    password_changed_at: null,
    reserved_names: [{ username: 'Alicia' }],
    unused_recovery_codes: 1,
    ssh_keys: [{ title: 'laptop', key, last_used_network: '' }],
    app_passwords: [{ name: 'rclone' }],
    passkeys: [{ name: 'phone', rp_id: 'localhost' }],
    identities: [{ subject: 'sub-1', name: 'alice@example.org', linked_by: 'user' }],
    openid_consents: [{ scope: 'openid' }],
    openid_grants: [{ redirect_uri: 'https://photos.example.org/back', methods: 'pwd' }],
    notices: [{ kind: 'webhook', target: '203.0.114.1' }],
    groups: [{ name: 'editors', added_at: '1970-01-01T00:00:00.001+00:00', source: 'sso' }],
    folder_rules: [{ path: '/photos', access: 'read' }],
    file_server: { openlist_id: 7, openlist_name: 'alice~3' },
  })
  for (const part of Object.values(PARTS)) expect(all[part], part).toBeTruthy()
  expect(all.sessions).toHaveLength(2)
  expect(all.events).toHaveLength(EVENTS + 6)
  expect(stdout).not.toMatch(/\$scrypt|SECRET/)
  expect(stdout).not.toContain(made.data.token)
  const sealed = [
    ...secretsOf('app_passwords', 'token_hash'),
    ...secretsOf('notice_channels', 'config'),
    ...secretsOf('openid_clients', 'secret_hash'),
  ]
  expect(sealed).toHaveLength(3)
  for (const text of sealed) expect(stdout).not.toContain(String(text))
})

test('user delete says what stays, for as long as events are kept, and the rest goes', async () => {
  await clone.command(['setting', 'set', 'event_retention_days', '365'])
  const { stdout } = await clone.command(['user', 'delete', 'alice', '--yes'])
  expect(stdout).toBe(
    'Deleted alice (id 3). Keys, passkeys, app passwords, linked accounts, sessions, access given to apps and notices go. The events of the account stay for up to 365 days; the event of the deletion names it. The name stays reserved until reserved-name release, because apps know it. Its 1 folder rule stays, so that no folder opens. Backups keep what they hold, and files stay at the file server.\n',
  )
  const left = Object.keys(PARTS).filter(
    (table) => clone.sql(`select 1 from ${table} where user_id = 3`).length > 0,
  )
  // The run every five minutes deletes the user of OpenList, and then the link.
  // A folder whose rule went with its user would be open.
  expect(left).toEqual(['audit_events', 'file_users', 'folder_rules', 'reserved_names'])
})
