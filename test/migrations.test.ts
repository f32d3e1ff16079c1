import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, sessions, throttleCounters } from '../schema/tables.ts'
import { listSiteEvents } from '../src/capabilities/activity/operator-events.ts'
import { keyFolders } from '../src/core/accounts/folder-keys.ts'
import { createKeyRing, hashName } from '../src/core/crypto/key-ring.ts'
import { runFrequently } from '../src/app/frequent-run.ts'
import { COMMAND_LINE } from '../src/core/access/operators.ts'
import { cheapPasswordHash } from './support/cheap-hash.ts'
import { CheapSite } from './support/cheap-site.ts'
import { resetStorage } from './support/clean-state.ts'
import { HOUR, MINUTE, NOW, SECOND } from './support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const IPV6 = '2001:db8:1:2::/64'

let site: CheapSite
let nameHash: string

async function insert(table: string, rows: Record<string, string | number | null>[]) {
  for (const row of rows) {
    const marks = Object.keys(row).map(() => '?')
    await env.DB.prepare(
      `insert into ${table} (${Object.keys(row).join()}) values (${marks.join()})`,
    )
      .bind(...Object.values(row))
      .run()
  }
}

const all = async (query: string) => (await env.DB.prepare(query).all()).results

/** A database of the version before migration 0004, as a site in use leaves it. */
beforeEach(async () => {
  site = new CheapSite()
  nameHash = await hashName(await createKeyRing(env.SECRET_KEYS), 'alice')
  await resetStorage()
  await migrateUntil('0004')
  await insert('users', [
    { id: 1, username: 'admin', username_key: 'admin', role: 2, created_at: 1 },
    {
      id: 7,
      username: 'alice',
      username_key: 'alice',
      password_hash: await cheapPasswordHash(PASSWORD),
      created_at: 2,
    },
  ])
  const session = { network: '192.0.2.1', user_agent: 'Firefox', created_at: NOW }
  await insert('sessions', [
    { id: 'b', user_id: 7, expires_at: NOW + HOUR, ...session },
    { id: 'a', user_id: 7, expires_at: NOW - HOUR, ...session },
    { id: 'c', user_id: 1, expires_at: NOW + HOUR, ...session },
  ])
  await insert('ssh_keys', [
    {
      id: 5,
      user_id: 7,
      title: 'laptop',
      fingerprint: 'SHA256:x',
      type: 'ssh-ed25519',
      bits: 256,
      line: 'x',
      added_at: 1,
      last_used_at: 2,
    },
  ])
  await insert('recovery_codes', [
    { user_id: 7, code_hash: 'one' },
    { user_id: 7, code_hash: 'two' },
  ])
  await insert('settings', [{ key: 'site_title', value: 'Files' }])
  const event = { network: '192.0.2.1', user_agent: 'Firefox', detail: '' }
  await insert('audit_events', [
    { id: 3, at: NOW - HOUR, kind: 'sign_in', user_id: 7, ...event },
    { id: 4, at: NOW - MINUTE, kind: 'service_sign_in', user_id: 7, ...event, network: IPV6 },
    { id: 9, at: NOW - SECOND, kind: 'sign_in_refused', name_hash: 'who', ...event },
  ])
  await insert('throttle_counters', [
    { key: `pair/${nameHash}/192.0.2.9`, failures: 5, expires_at: NOW + MINUTE },
    { key: `pair/${nameHash}/${IPV6}`, failures: 5, expires_at: NOW + 2 * MINUTE },
    { key: 'network/192.0.2.9', failures: 7, expires_at: NOW + MINUTE },
    { key: `network/${IPV6}`, failures: 8, expires_at: NOW + MINUTE },
    { key: 'network/2001:db8:1:3::/64', failures: 30, expires_at: NOW + MINUTE },
    { key: 'network/unknown', failures: 2, expires_at: NOW + MINUTE },
    { key: `account/${nameHash}`, failures: 50, expires_at: NOW + HOUR },
    { key: 'proof/code/7', failures: 10, expires_at: NOW + MINUTE },
  ])
})

async function migrate(): Promise<void> {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
}

/** @param end The beginning of the name of the first migration that is left out. */
async function migrateUntil(end: string): Promise<void> {
  const first = env.TEST_MIGRATIONS.findIndex(({ name }) => name.startsWith(end))
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, first))
}

const signIn = async (from: string) => {
  const body = { username: 'alice', password: PASSWORD }
  return (await site.post('/api/auth/login', body, { headers: { 'CF-Connecting-IP': from } })).code
}

/** What was good for ten minutes, and is in `sessions` since migration 0038. */
const MOVED_COLUMNS = ['pending_totp_seed', 'pending_totp_expires_at']

describe('a database that was in use', () => {
  test('keeps every row of its owners, and its foreign keys', async () => {
    const tables = ['users', 'sessions', 'ssh_keys', 'recovery_codes', 'settings', 'audit_events']
    const before = await Promise.all(tables.map((table) => all(`select * from ${table}`)))
    await migrate()
    for (const [index, table] of tables.entries()) {
      const after = await all(`select * from ${table}`)
      const rows = (before[index] ?? []).map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !MOVED_COLUMNS.includes(name))),
      )
      expect(after, table).toHaveLength(rows.length)
      expect(after, table).toEqual(
        expect.arrayContaining(rows.map((row) => expect.objectContaining(row))),
      )
    }
    expect(await all('pragma foreign_key_check')).toEqual([])
  })

  test('still takes along what a deleted user owned, and nothing else', async () => {
    await migrate()
    await env.DB.prepare('delete from users where id = 7').run()
    expect((await site.db.select().from(sessions)).map(({ id }) => id)).toEqual(['c'])
    expect(await all('select * from recovery_codes')).toEqual([])
    expect(await all('select * from ssh_keys')).toEqual([])
    expect(await site.db.select().from(auditEvents)).toHaveLength(3)
  })

  test('goes on counting where it was', async () => {
    await migrate()
    const rows = await site.db.select().from(throttleCounters)
    const counters = rows.map(({ key, failures, parts }) => [key, failures, JSON.parse(parts)])
    expect(counters).toEqual([
      [`account/${nameHash}`, 50, {}],
      ['proof/code/7', 10, {}],
      [
        'site/192.0.2.9',
        7,
        {
          'network/192.0.2.9': [7, NOW + MINUTE, 0],
          [`pair/${nameHash}/192.0.2.9`]: [5, NOW + MINUTE, 0],
        },
      ],
      [
        'site/2001:db8:1::/48',
        38,
        {
          [`network/${IPV6}`]: [8, NOW + MINUTE, 0],
          'network/2001:db8:1:3::/64': [30, NOW + MINUTE, 0],
          [`pair/${nameHash}/${IPV6}`]: [5, NOW + 2 * MINUTE, 0],
        },
      ],
      ['site/unknown', 2, { 'network/unknown': [2, NOW + MINUTE, 0] }],
    ])
    expect(await signIn('192.0.2.9'), 'the pair').toBe(429)
    expect(await signIn('203.0.113.1'), 'the account').toBe(429)
    expect(await signIn('192.0.2.1'), 'a network that is known').toBe(200)
    site.now = NOW + MINUTE
    expect(await signIn('2001:db8:1:2::1'), 'the pair, for longer than its network').toBe(429)
    site.now += MINUTE
    expect(await signIn('2001:db8:1:2::1'), 'known from a server of files').toBe(200)
  })

  test('goes on numbering events where it was', async () => {
    await migrate()
    expect(await signIn('192.0.2.1')).toBe(200)
    const window = { limit: 10, offset: 0 }
    const { events } = await listSiteEvents(site.deps, COMMAND_LINE, {}, window)
    expect(events.map(({ id }) => id)).toEqual([10, 9, 4, 3])
  })
})

test('the times of identity providers get a column of their own', async () => {
  await migrateUntil('0016')
  const amrs = ['pwd otp', 'sso', 'sso mfa', 'sso@1763856000', 'sso@1763856000 mfa pwd', '']
  const place = { user_id: 7, network: '192.0.2.1', user_agent: '', created_at: NOW }
  const rows = amrs.map((amr) => ({ id: `of ${amr}`, amr, expires_at: NOW + HOUR, ...place }))
  await insert('sessions', rows)
  const client = { id: 'files', name: 'files', redirect_uris: '[]', created_at: NOW }
  await insert('openid_clients', [client])
  const request = { issuer: '', client_id: 'files', scope: '', redirect_uri: '', code_hash: '' }
  const grant = { ...request, user_id: 7, auth_time: NOW, code_expires_at: NOW, created_at: NOW }
  await insert(
    'openid_grants',
    rows.map(({ id, amr }) => ({ id, amr, session_id: id, ...grant })),
  )
  await migrate()
  const ofProvider = 1_763_856_000_000
  expect(await all("select id, amr, signed_in_at from sessions where id like 'of %'")).toEqual([
    { id: 'of ', amr: '', signed_in_at: NOW },
    { id: 'of pwd otp', amr: 'pwd otp', signed_in_at: NOW },
    { id: 'of sso', amr: 'sso', signed_in_at: null },
    { id: 'of sso mfa', amr: 'sso mfa', signed_in_at: null },
    { id: 'of sso@1763856000', amr: 'sso', signed_in_at: ofProvider },
    { id: 'of sso@1763856000 mfa pwd', amr: 'sso mfa pwd', signed_in_at: ofProvider },
  ])
  const grants = await all('select amr from openid_grants order by id')
  expect(grants.map(({ amr }) => amr)).toEqual([
    '',
    'pwd otp',
    'sso',
    'sso mfa',
    'sso',
    'sso mfa pwd',
  ])
})

test('a program from before keeps the e-mail address in its ID tokens', async () => {
  await migrateUntil('0033')
  const program = { redirect_uris: '[]', created_at: NOW }
  await insert('openid_clients', [{ id: 'old', name: 'old', ...program }])
  await migrate()
  await insert('openid_clients', [{ id: 'new', name: 'new', ...program }])
  expect(await all('select id, email_in_id_token from openid_clients order by id')).toEqual([
    { id: 'new', email_in_id_token: 0 },
    { id: 'old', email_in_id_token: 1 },
  ])
})

test('every account gets a sub, which no other account may have', async () => {
  await migrate()
  const subs = await all('select sub from users')
  expect(subs.length).toBeGreaterThan(1)
  for (const { sub } of subs) expect(sub).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(subs.map(({ sub }) => sub)).size).toBe(subs.length)
  await expect(
    env.DB.prepare('update users set sub = (select sub from users where id = 7)').run(),
  ).rejects.toThrow(/UNIQUE/)
})

test('notices that wait go on waiting, those of users behind those of operators', async () => {
  await migrateUntil('0020')
  const channel = { name: '', target: '', config: '', topics: '', language: 'en', origin: '' }
  const channels = { kind: 'webhook', since_event_id: 0, created_at: NOW, ...channel }
  await insert('notice_channels', [
    { id: 1, user_id: null, ...channels },
    { id: 2, user_id: 7, ...channels },
  ])
  const notice = { event_id: 9, topic: 'password', attempts: 2 }
  await insert('notices', [
    { id: 'a', channel_id: 1, next_at: NOW, expires_at: NOW + HOUR, ...notice },
    { id: 'b', channel_id: 2, next_at: NOW + HOUR, expires_at: NOW + MINUTE, ...notice },
  ])
  await migrate()
  const kept = { events: 1, ...notice }
  expect(await all('select * from notices order by id')).toEqual([
    { id: 'a', about: 'a', channel_id: 1, queue: 0, next_at: NOW, expires_at: NOW + HOUR, ...kept },
    {
      id: 'b',
      about: 'b',
      channel_id: 2,
      queue: 1,
      next_at: NOW + MINUTE,
      expires_at: NOW + MINUTE,
      ...kept,
    },
  ])
})

test.each(['sessions', 'throttle_counters', 'recovery_codes'])(
  'a row of %s is written once',
  async (table) => {
    await migrate()
    const [row] = await all(`select sql from sqlite_master where name = '${table}'`)
    expect(row?.['sql']).toMatch(/WITHOUT ROWID$/)
    // A counter is in the partial index only while it has stopped a user.
    const indexes = `select name from sqlite_master where type = 'index' and tbl_name = '${table}'
      and name <> 'throttle_counters_stopped'`
    expect((await all(indexes)).filter(({ name }) => !String(name).startsWith('sqlite_'))).toEqual(
      [],
    )
  },
)

test('the actors of old events get into their column', async () => {
  await migrateUntil('0021')
  const event = { at: NOW, user_id: 7, network: '192.0.2.1', user_agent: '' }
  const events: [kind: string, detail: string][] = [
    ['user_changed', 'by 1'],
    ['session_ended', 'all, by 12'],
    ['session_ended', 'all others'],
    ['user_unlocked', 'by command line'],
    ['key_added', 'laptop, by 1'],
  ]
  await insert(
    'audit_events',
    events.map(([kind, detail], place) => ({ id: 100 + place, kind, detail, ...event })),
  )
  await migrate()
  expect(await all('select kind, detail, actor_id from audit_events where id >= 100')).toEqual([
    { kind: 'user_changed', detail: '', actor_id: 1 },
    { kind: 'session_ended', detail: 'all', actor_id: 12 },
    { kind: 'session_ended', detail: 'all others', actor_id: null },
    { kind: 'user_unlocked', detail: 'by command line', actor_id: null },
    { kind: 'key_added', detail: 'laptop, by 1', actor_id: null },
  ])
})

test('folders become clean, and no name is reserved for it', async () => {
  await migrateUntil('0032')
  const paths = ['//homes//n', '/homes/.\\n\\', '////', '/./homes/././n/.', '/a b/', '/.x/n', '/']
  await insert(
    'users',
    paths.map((base_path, i) => ({
      id: 100 + i,
      username: `u${i}`,
      username_key: `u${i}`,
      base_path,
      created_at: 1,
    })),
  )
  await migrate()
  const rows = await all('select base_path from users where id >= 100 order by id')
  expect(rows.map(({ base_path }) => base_path)).toEqual([
    '/homes/n',
    '/homes/n',
    '/',
    '/homes/n',
    '/a b',
    '/.x/n',
    '/',
  ])
  expect(await all('select * from reserved_names')).toEqual([])
  await all("update users set base_path = '/new' where id = 100")
  expect(await all('select username from reserved_names order by username')).toEqual([
    { username: 'homes' },
    { username: 'n' },
    { username: 'u0' },
  ])
})

test('groups with names that look alike get other ones', async () => {
  await migrateUntil('0046')
  const names = ['finance', 'ｆinance', 'Équipe', 'Ａdmin', 'fi\u200bnance', 'ﬁn']
  await insert(
    'groups',
    names.map((name) => ({ name, name_key: name.toLowerCase(), created_at: 1 })),
  )
  await migrate()
  await runFrequently(site.deps)
  expect(await all('select name, name_key as k from groups order by id')).toEqual([
    { name: 'finance', k: 'finance' },
    { name: 'ｆinance~2', k: 'finance~2' },
    { name: 'Équipe', k: 'équipe' },
    { name: 'Ａdmin~4', k: 'admin~4' },
    { name: 'fi\u200bnance~5', k: 'finance~5' },
    { name: 'ﬁn', k: 'fin' },
  ])
})

/** The migration that makes their column. */
const FOLDER_KEYS = '0034'

const addUsers = (users: [username: string, key: string, path: string][]) =>
  insert(
    'users',
    users.map(([username, username_key, base_path], i) => ({
      id: 100 + i,
      username,
      username_key,
      base_path,
      created_at: 1,
    })),
  )
const register = (username: string) =>
  site.post('/api/auth/register', { username, password: PASSWORD }).then(({ message }) => message)
const openRegistration = () =>
  insert('settings', [
    { key: 'allow_register', value: 'true' },
    { key: 'register_base_path', value: '/homes/{username}' },
  ])

describe('folders of before keys', () => {
  test('become clean, whatever the last cleaning left', async () => {
    await migrateUntil(FOLDER_KEYS)
    const paths = ['/a/./././b', '//////a', 'a/b', './a', 'a', '', '/././', '/a "b"/c', '/']
    await addUsers(paths.map((path, i) => [`u${i}`, `u${i}`, path]))
    await migrate()
    expect(await all('select base_path from users where id >= 100 order by id')).toEqual(
      ['/a/b', '/a', '/a/b', '/a', '/a', '/', '/', '/a "b"/c', '/'].map((base_path) => ({
        base_path,
      })),
    )
    expect(await all('select * from reserved_names')).toEqual([])
  })

  test('are let to no newcomer, before their keys are made and after', async () => {
    await migrateUntil(FOLDER_KEYS)
    await openRegistration()
    await addUsers([
      ['one', 'one', '/homes/Bob'],
      ['two', 'two', '/homes/ÉMILE'],
      ['three', 'three', '/homes/ЖЕНЯ'],
    ])
    await insert('reserved_names', [
      { username_key: 'É', username: 'É', user_id: 9, reserved_at: 1, of_folder: 1 },
      { username_key: 'x', username: 'X', user_id: 9, reserved_at: 1, of_folder: 1 },
    ])
    await migrate()
    expect(await all('select base_path_key from users where id >= 100 order by id')).toEqual([
      { base_path_key: '/homes/bob/' },
      { base_path_key: null },
      { base_path_key: null },
    ])
    const taken = 'username is already taken'
    // It can't be known yet whose folder this is.
    expect(await register('carol')).toBe(taken)
    await env.DB.prepare('delete from users where id = 101').run()
    await env.DB.prepare("update users set base_path = '/' where id = 102").run()
    expect(await register('carol')).toBe(taken)
    await keyFolders(site.deps)
    for (const name of ['bob', 'émile', 'женя', 'é', 'x']) expect(await register(name)).toBe(taken)
    expect(await register('carol')).toBe('success')
    expect(
      await all("select username_key as k, username from reserved_names where username <> 'homes'"),
    ).toEqual([
      { k: 'three', username: 'three' },
      { k: 'two', username: 'two' },
      { k: 'x', username: 'X' },
      { k: 'é', username: 'É' },
      { k: 'émile', username: 'ÉMILE' },
      { k: 'женя', username: 'ЖЕНЯ' },
    ])
  })

  test('get their keys in the run of every five minutes, in bounded steps', async () => {
    await migrateUntil(FOLDER_KEYS)
    await openRegistration()
    await addUsers(Array.from({ length: 250 }, (_, i) => [`ü${i}`, `ü${i}`, `/homes/Ü${i}`]))
    await migrate()
    expect(await register('carol')).toBe('username is already taken')
    await runFrequently(site.deps)
    expect(await register('Ü7')).toBe('username is already taken')
    expect(await register('carol')).toBe('success')
    const keys = await all('select base_path_key from users where id = 349')
    expect(keys).toEqual([{ base_path_key: '/homes/ü249/' }])
  })

  test('have no key of another folder after a statement of an earlier version', async () => {
    await migrate()
    await addUsers([['one', 'one', '/homes/a']])
    await keyFolders(site.deps)
    const change = (path: string) =>
      all(`update users set base_path = '${path}' where id = 100 returning id`)
    await change('/homes/B')
    expect(await all('select base_path_key from users where id = 100')).toEqual([
      { base_path_key: '/homes/b/' },
    ])
    await change('/homes/É')
    expect(await all('select base_path_key from users where id = 100')).toEqual([
      { base_path_key: null },
    ])
  })

  test('a name with a capital ẞ gets the key of ss, and its user still signs in', async () => {
    await migrateUntil(FOLDER_KEYS)
    const password_hash = await cheapPasswordHash(PASSWORD)
    const made = { password_hash, created_at: 1 }
    await insert('users', [
      { id: 100, username: 'STRAẞE', username_key: 'straße', ...made },
      { id: 101, username: 'Maẞ', username_key: 'maß', ...made },
      { id: 102, username: 'mass', username_key: 'mass', ...made },
    ])
    await migrate()
    expect(await all('select username_key from users where id >= 100 order by id')).toEqual([
      { username_key: 'strasse' },
      { username_key: 'maß' },
      { username_key: 'mass' },
    ])
    for (const username of ['STRAẞE', 'Maẞ', 'mass'])
      expect((await site.login(username, PASSWORD)).code, username).toBe(200)
    await openRegistration()
    for (const username of ['straße', 'Strasse', 'maß'])
      expect(await register(username)).toBe('username is already taken')
  })
})

const appPasswordRow = (userId: number, name: string, createdAt: number) => ({
  user_id: userId,
  name,
  token_hash: `${userId}${name}`,
  scopes: 'files:read',
  created_at: createdAt,
})

const sshKeyRow = (userId: number, title: string, addedAt: number) => ({
  user_id: userId,
  title,
  fingerprint: title,
  type: 'ssh-ed25519',
  bits: 256,
  line: 'x',
  added_at: addedAt,
  last_used_at: addedAt,
})

const knownAmr = (table: string, name: string) =>
  all(`select ${name} as name, amr from ${table} where amr <> '' order by id`)

test('credentials get what they were made with, where that is known', async () => {
  await migrateUntil('0037')
  const user = { created_at: 1 }
  await insert('users', [
    { id: 8, username: 'bob', username_key: 'bob', totp_seed: 'sealed', ...user },
    { id: 9, username: 'carol', username_key: 'carol', ...user },
    { id: 10, username: 'dave', username_key: 'dave', role: 2, ...user },
    { id: 11, username: 'erin', username_key: 'erin', totp_seed: 'sealed', ...user },
  ])
  await insert('settings', [{ key: 'require_second_factor', value: 'admins' }])
  const event = { network: '192.0.2.1', user_agent: 'Firefox', detail: '' }
  await insert('audit_events', [
    { at: 100, kind: 'two_factor_on', user_id: 8, ...event },
    { at: 100, kind: 'two_factor_on', user_id: 11, ...event },
    { at: 150, kind: 'two_factor_cancelled', user_id: 11, ...event },
    { at: 200, kind: 'settings_changed', user_id: 1, ...event, detail: 'x, require_second_factor' },
    { at: 300, kind: 'role_changed', user_id: 10, ...event },
    { at: 50, kind: 'token_created', user_id: 9, ...event, detail: 'cli', network: 'command line' },
    { at: 50, kind: 'key_added', user_id: 9, ...event, detail: 'cli', network: 'command line' },
    // An app password that is gone may have added the key after it.
    { at: 120, kind: 'token_deleted', user_id: 8, ...event, detail: 'gone' },
  ])
  await insert('app_passwords', [
    appPasswordRow(8, 'before', 100),
    appPasswordRow(8, 'after', 101),
    appPasswordRow(9, 'cli', 50),
    appPasswordRow(9, 'own', 500),
    appPasswordRow(10, 'as user', 250),
    appPasswordRow(10, 'as admin', 301),
    appPasswordRow(11, 'unsure', 200),
    { ...appPasswordRow(10, 'writes', 240), scopes: 'account:read account:write' },
  ])
  await insert('ssh_keys', [
    sshKeyRow(8, 'before', 99),
    sshKeyRow(8, 'beside a lost app password', 110),
    sshKeyRow(8, 'after', 130),
    sshKeyRow(9, 'cli', 50),
    sshKeyRow(10, 'perhaps by an app password', 400),
  ])
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  expect(await knownAmr('app_passwords', 'name')).toEqual([
    { name: 'after', amr: 'otp' },
    { name: 'cli', amr: 'operator' },
    { name: 'as admin', amr: 'mfa' },
  ])
  expect(await knownAmr('ssh_keys', 'title')).toEqual([
    { name: 'after', amr: 'otp' },
    { name: 'cli', amr: 'operator' },
  ])
})
