import { execFileSync } from 'node:child_process'
import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { insert, oldDigest, oldHash, writeOpenListDatabase } from '../support/openlist-database.ts'
import { SoftwarePasskey } from '../support/passkey.ts'
import { registerAt, signInAt } from '../support/passkey-client.ts'
import { ECDSA, ED25519, samples } from '../ssh-keys/key-texts.ts'
import { SECRET_KEYS } from '../support/secrets.ts'

const FINGERPRINT = samples.find(({ key }) => key === ED25519)?.fingerprint
const SEED = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const ADMIN = {
  id: 1,
  username: 'admin',
  role: 2,
  permission: 0x71ff,
  ...oldHash('old-admin', 'a'),
}
const GUEST = { id: 2, username: 'Visitor', role: 1, disabled: 0, base_path: '/public' }

/** Every test finds it as it was started; a test that changes its files takes one of its own. */
let clone: Clone
let shared: Clone
let putBack: () => void
/** For the files of a test. */
let folder: string
const inFolder = (name: string) => join(folder, name)

beforeAll(() => {
  shared = new Clone(inject('startedSite'))
  putBack = shared.remember()
})
beforeEach(() => {
  clone = shared
  folder = mkdtempSync(join(tmpdir(), 'latchkey-import-'))
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  if (clone !== shared) return clone.remove()
  await clone.stop()
  putBack()
})
afterAll(() => shared.remove())

function writeSource(
  ...args: Parameters<typeof writeOpenListDatabase> extends [string, ...infer Rest] ? Rest : never
) {
  const path = inFolder('data.db')
  writeOpenListDatabase(path, ...args)
  return path
}

/** Runs an import and reads its report. */
async function importJson(path: string, ...options: string[]) {
  const { code, stdout, stderr } = await clone.command(['import', path, '--json', ...options])
  return { code, stderr, report: JSON.parse(stdout) }
}

const query = (sql: string) => clone.sql(sql)

/** All that an import may touch. */
function siteRows() {
  return ['users', 'ssh_keys', 'settings', 'audit_events'].map((table) =>
    query(`select * from ${table} order by 1`),
  )
}

/** Every file beside the database, and what is in it. */
function filesOf(where: string) {
  return readdirSync(where)
    .filter((name) => name.startsWith('data.db') && !name.endsWith('-shm'))
    .map((name) => [
      name,
      createHash('md5')
        .update(readFileSync(join(where, name)))
        .digest('hex'),
    ])
}

const vars = () => readFileSync(clone.path('.dev.vars'), 'utf8')

describe('the token of OpenList', () => {
  const OLD_TOKEN = 'openlist-0123-abcDEF'
  const next = 'npm run latchkey -- files check'
  const arrange = (value = OLD_TOKEN) =>
    writeSource({ users: [ADMIN], settings: [{ key: 'token', value }] })

  beforeEach(() => {
    clone = new Clone(inject('startedSite'))
  })

  test('is taken over by --files-token, once, into a file that others can not read', async () => {
    const path = arrange()
    // The last line of a person may lack its end.
    writeFileSync(clone.path('.dev.vars'), vars().trimEnd(), { mode: 0o644 })
    chmodSync(clone.path('.dev.vars'), 0o644)
    const before = vars()
    const { code, stdout, stderr } = await clone.command(['import', path, '--files-token'])
    expect([code, stdout]).toEqual([0, expect.stringContaining(next)])
    expect(vars()).toBe(`${before}\nFILES_TOKEN=${OLD_TOKEN}\n`)
    expect(statSync(clone.path('.dev.vars')).mode & 0o777).toBe(0o600)
    expect(stdout + stderr).not.toContain(OLD_TOKEN)
    expect(await importJson(path, '--files-token')).toMatchObject({ code: 0 })
    expect(vars()).toBe(`${before}\nFILES_TOKEN=${OLD_TOKEN}\n`)
  })

  test('stays where another one is set, and nothing is imported', async () => {
    appendFileSync(clone.path('.dev.vars'), 'FILES_TOKEN=another\n')
    const before = [vars(), siteRows()]
    const { code, stderr } = await clone.command(['import', arrange(), '--files-token'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('FILES_TOKEN is set already')])
    expect([vars(), siteRows()]).toEqual(before)
  })

  test.each(['', 'x\nSECRET_KEYS=y', "a'b", 'a b', '$HOME'])('%j is none', async (value) => {
    const before = vars()
    const { code, stderr } = await clone.command(['import', arrange(value), '--files-token'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('no token of OpenList')])
    expect(vars()).toBe(before)
  })

  test('is not taken without the option, nor in a dry run, nor for a deployed site', async () => {
    const [path, before] = [arrange(), vars()]
    const dry = await clone.command(['import', path, '--dry-run', '--files-token'])
    expect([dry.code, dry.stdout]).toEqual([0, expect.not.stringContaining(next)])
    const { stdout } = await clone.command(['import', path])
    expect(stdout).toContain('To take its token over: the same command with --files-token.')
    expect(stdout).toContain(next)
    const remote = await clone.command(['import', path, '--files-token', '--remote'])
    expect([remote.code, remote.stderr]).toEqual([
      2,
      expect.stringContaining('wrangler secret put'),
    ])
    expect(vars()).toBe(before)
  })

  test('is offered on a terminal', async () => {
    const { stdout } = await clone.typed(['import', arrange()], [['[y/N]', 'y']])
    expect(stdout).toContain(next)
    expect(stdout).not.toContain(OLD_TOKEN)
    expect(vars()).toContain(`\nFILES_TOKEN=${OLD_TOKEN}\n`)
  })
})

async function warningsWith(sign_all: string, proxy_ignore_headers: string): Promise<string[]> {
  const values = Object.entries({ sign_all, proxy_ignore_headers })
  const settings = values.map(([key, value]) => ({ key, value }))
  writeFileSync(inFolder('backup.json'), JSON.stringify({ settings }))
  return (await importJson(inFolder('backup.json'), '--dry-run')).report.warnings
}

test('warns of settings of OpenList that do not fit behind this site', async () => {
  expect(await warningsWith('false', 'Authorization, referer')).toEqual([
    expect.stringContaining('sign_all is off'),
    expect.stringContaining('sends its token to the servers of storages'),
  ])
  expect(await warningsWith('true', 'authorization,referer')).toEqual([])
})

/** The tables of OpenList-Worker on D1, in its format `sql`. */
const WORKER_TABLES = {
  users: `id integer primary key, username text not null unique, password text, base_path text,
    role integer, disabled integer, permission integer, salt text, otp_secret text, sso_id text,
    authn text, allow_ldap integer, pwd_update_at text`,
  ssh_public_keys: `id integer primary key, user_id integer, title text, fingerprint text,
    key_str text, added_time text, last_used_time text`,
  setting_items: 'key text primary key, value text',
}

/** Encrypts a value as OpenList-Worker does with `DB_CIPHER=aes-256-gcm`. */
function sealForWorker(text: string, secret: string): string {
  const salt = 'openlist-config-encryption-v2'
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'AES-256-GCM', 32))
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const box = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return `enc:v2:${iv.toString('hex')}:${box.toString('hex')}`
}

/** What a site has of its own, but for settings and events. */
function wholeSite(from: Clone) {
  return [
    from.sql(`select id, username, sub, password_hash, role, permission, disabled,
         email, email_verified, ends_at, waiting from users order by id`),
    from.sql('select user_id, title, line, added_at, last_used_at from ssh_keys'),
    from.sql('select * from recovery_codes order by code_hash'),
    from.sql('select name, token_hash, scope, created_at from service_tokens'),
    from.sql('select * from passkeys'),
    from.sql('select name, name_key, note from groups'),
    from.sql('select group_id, user_id from group_members'),
    from.sql('select path, built_in, group_id, user_id, access from folder_rules'),
  ]
}

/** While a program is registered, the names of deleted and renamed users are reserved. */
const ADD_WIKI =
  'client add wiki --redirect https://a.example.org/b --issuer https://b.example.org'.split(' ')

function counts(imported: number, kept = 0, refused = 0, completed = 0) {
  return { imported, completed, kept, refused }
}

test('imported users sign in on both routes with their old passwords and codes, and get a better hash', async () => {
  const path = writeSource({
    users: [
      ADMIN,
      { id: 3, username: 'plain', ...oldHash('plain-Passw0rd', 'no salt is like another') },
      { id: 4, username: 'saltless', ...oldHash('saltless-Passw0rd', ''), pwd_ts: 0 },
      { id: 5, username: 'careful', ...oldHash('careful-Passw0rd', 's'), otp_secret: SEED },
      { id: 6, username: 'ancient', password: 'ancient-Passw0rd', pwd_hash: '', salt: '' },
    ],
  })
  const site = await clone.serve()
  const signIn = async (route: string, username: string, password: string, code = '') => {
    const body = { username, password, otp_code: code }
    const answer = await site.call('POST', `/api/auth/${route}`, { body })
    return answer.code
  }
  expect(await importJson(path)).toMatchObject({ code: 0, report: { users: counts(5) } })
  expect(
    query(`select password_hash from users where password_hash like '$openlist$%'`),
  ).toHaveLength(5)

  expect(await signIn('login', 'admin', 'old-admin')).toBe(200)
  expect(await signIn('login', 'admin', ADMIN_PASSWORD)).toBe(401)
  expect(await signIn('login', 'plain', 'plain-Passw0rd')).toBe(200)
  expect(await signIn('login/hash', 'saltless', oldDigest('saltless-Passw0rd'))).toBe(200)
  expect(await signIn('login', 'ancient', 'ancient-Passw0rd')).toBe(200)
  expect(await signIn('login', 'careful', 'careful-Passw0rd')).toBe(402)
  expect(await signIn('login', 'careful', 'careful-Passw0rd', '000000')).toBe(402)
  expect(await signIn('login', 'careful', 'careful-Passw0rd', phoneCode(SEED))).toBe(200)

  expect(
    query(`select username from users where password_hash like '$scrypt$%' order by id`),
  ).toEqual(['admin', 'plain', 'saltless', 'careful', 'ancient'].map((username) => ({ username })))
  expect(await signIn('login/hash', 'plain', oldDigest('plain-Passw0rd'))).toBe(200)
  expect(
    await signIn(
      'login/hash',
      'careful',
      oldDigest('careful-Passw0rd'),
      phoneCode(SEED, Date.now(), 1),
    ),
  ).toBe(200)
})

test('users come with their ids, roles, permissions, paths, keys and times, and settings with their values', async () => {
  const path = writeSource({
    users: [
      ADMIN,
      GUEST,
      {
        id: 7,
        username: 'anna',
        role: 0,
        permission: 260,
        base_path: '/anna',
        sso_id: 'anna@sso',
        disabled: 1,
        ...oldHash('x', 'y'),
      },
      { id: 9, username: 'boss', role: 2, base_path: '', ...oldHash('boss-Passw0rd', 'z') },
    ],
    keys: [
      {
        user_id: 7,
        title: 'laptop',
        key_str: ED25519,
        added_time: '2025-03-09 10:11:12.123456789+08:00',
        last_used_time: '2025-03-10 02:11:12+00:00',
      },
    ],
    settings: [
      { key: 'site_title', value: 'Our files' },
      { key: 'logo', value: 'https://cdn.oplist.org/gh/OpenListTeam/Logo@main/logo.svg' },
      { key: 'version', value: 'v4.0.0' },
      { key: 'token', value: 'a secret of OpenList' },
    ],
  })
  expect(await importJson(path)).toMatchObject({
    code: 0,
    report: { users: counts(4), keys: counts(1), settings: counts(1), refused: [] },
  })
  expect(
    query(
      'select id, username, role, permission, base_path, sso_id, disabled from users order by id',
    ),
  ).toEqual([
    {
      id: 1,
      username: 'admin',
      role: 2,
      permission: 0x71ff,
      base_path: '/',
      sso_id: '',
      disabled: 0,
    },
    {
      id: 2,
      username: 'guest',
      role: 1,
      permission: 0,
      base_path: '/public',
      sso_id: '',
      disabled: 0,
    },
    {
      id: 7,
      username: 'anna',
      role: 0,
      permission: 260,
      base_path: '/anna',
      sso_id: 'anna@sso',
      disabled: 1,
    },
    { id: 9, username: 'boss', role: 2, permission: 0, base_path: '/', sso_id: '', disabled: 0 },
  ])
  expect(
    query('select user_id, title, fingerprint, line, added_at, last_used_at from ssh_keys'),
  ).toEqual([
    {
      user_id: 7,
      title: 'laptop',
      fingerprint: FINGERPRINT,
      line: ED25519,
      added_at: Date.parse('2025-03-09T02:11:12.123Z'),
      last_used_at: Date.parse('2025-03-10T02:11:12Z'),
    },
  ])
  expect(query('select * from settings')).toEqual([{ key: 'site_title', value: 'Our files' }])
  expect(query(`select kind, user_id, detail from audit_events order by id`)).toEqual([
    { kind: 'user_changed', user_id: 1, detail: 'by import' },
    { kind: 'user_changed', user_id: 2, detail: 'by import' },
    { kind: 'user_made', user_id: 9, detail: 'by import' },
    { kind: 'settings_changed', user_id: null, detail: 'site_title' },
    { kind: 'users_imported', user_id: null, detail: '4 users, 1 SSH keys' },
  ])
})

test('what cannot be here is refused by name, with the reason and never with a secret, and the rest goes in', async () => {
  const hash = oldHash('Passw0rd-of-all', 'saltsalt')
  const path = writeSource({
    users: [
      { id: 3, username: '', ...hash },
      { id: 4, username: 'Bob', ...hash },
      { id: 5, username: 'bob', ...hash },
      { id: 6, username: 'eve\u200B', ...hash },
      { id: 7, username: 'minus', permission: -1, ...hash },
      { id: 8, username: 'odd', role: 'root', ...hash },
      { id: 9, username: 'seeded', otp_secret: 'not-base32', ...hash },
      { id: 10, username: 'below', base_path: '/a/../..', ...hash },
      { id: 11, username: 'second guest', role: 1 },
      { id: 12, username: 'other guest', role: 1 },
      { id: 13, username: 'no password', pwd_hash: null, salt: null },
      { id: 14, username: 'empty password', ...oldHash('', 'salty') },
      { id: 15, username: 'short seed', otp_secret: 'ABCD', ...hash },
      { id: 16, username: 'roles', role: '[0,5]', ...hash },
      { id: 17, username: '#4', ...hash },
      { id: 18, username: 'quoted', role: '[0,"Passw0rd-of-all"]', ...hash },
      { id: 19, username: 'half', permission: 1.5, ...hash },
    ],
    keys: [
      { id: 1, user_id: 4, title: 'good', key_str: ED25519 },
      { id: 2, user_id: 4, title: 'good', key_str: ED25519 },
      { id: 3, user_id: 4, title: 'again', key_str: ED25519 },
      { id: 4, user_id: 4, title: 'broken', key_str: 'ssh-rsa AAAA' },
      { id: 5, user_id: 5, title: 'of bob', key_str: ED25519 },
      { id: 6, user_id: 99, title: 'orphan', key_str: ED25519 },
      { id: 7, user_id: 4, title: '', key_str: ED25519 },
    ],
    settings: [{ key: 'main_color', value: 'red' }],
  })
  const { code, report } = await importJson(path)
  expect(code).toBe(1)
  expect(report.users).toEqual(counts(6, 0, 11))
  expect(report.keys).toEqual(counts(1, 0, 6))
  expect(
    report.refused.map(({ id, reason }: { id?: number; reason: string }) => [id, reason]),
  ).toEqual([
    [3, 'username is missing'],
    [5, 'its name is too similar to "Bob"'],
    [6, 'username must not contain invisible characters'],
    [7, 'permission must be 0 to 65535'],
    [8, 'role is unknown'],
    [9, 'otp_secret is not base32: first cancel 2FA of this user in the source'],
    [10, 'base_path must be an absolute path'],
    [12, 'there can be only one guest, and "second guest" comes first'],
    [17, 'username must not be # and digits, which mean an id'],
    [18, 'role is unknown'],
    [19, 'permission must be an integer'],
    [2, 'another key of the user has this title (of "Bob")'],
    [3, 'the user has this key already, as "good" (of "Bob")'],
    [4, expect.stringContaining('(of "Bob")')],
    [5, 'its user is refused'],
    [6, 'its user is not in the source'],
    [7, 'title is missing (of "Bob")'],
    [undefined, 'must be a colour such as #1890ff'],
  ])
  // The paths of the role 5 are not in the source, so that nobody sees more than nothing.
  const closed = [4, 13, 14, 15, 16, undefined]
  expect(report.notes.map(({ id }: { id?: number }) => id)).toEqual([11, 13, 14, 15, ...closed])
  const text = JSON.stringify(report)
  for (const secret of [hash.pwd_hash, 'saltsalt', 'not-base32', 'ABCD', 'Passw0rd-of-all'])
    expect(text).not.toContain(secret)
  expect(query(`select count(*) as n from users where password_hash is null and id > 12`)).toEqual([
    { n: 2 },
  ])
})

test('a dry run says the same and writes nothing', async () => {
  const path = writeSource({
    users: [ADMIN, GUEST, { id: 3, username: 'a', ...oldHash('x', 'y') }, { id: 4, username: 'A' }],
    settings: [
      { key: 'site_title', value: 'Ours' },
      { key: 'main_color', value: 'red' },
    ],
  })
  const before = siteRows()
  const dry = await importJson(path, '--dry-run')
  expect(siteRows()).toEqual(before)
  const { report, code } = await importJson(path)
  expect({ ...dry, stderr: '' }).toEqual({ code, stderr: '', report: { ...report, dry_run: true } })
  expect(report.users).toEqual(counts(3, 0, 1))
})

test('a second import changes nothing', async () => {
  const path = writeSource({
    users: [ADMIN, GUEST, { id: 3, username: 'a', otp_secret: SEED, ...oldHash('x', 'y') }],
    keys: [{ user_id: 3, title: 'k', key_str: ED25519 }],
    settings: [{ key: 'site_title', value: 'Ours' }],
  })
  expect((await clone.command(['import', path])).stdout).toMatch(/^Imported:\n/)
  const before = siteRows()
  for (const options of [[], ['--dry-run']])
    expect((await clone.command(['import', path, ...options])).stdout).toMatch(
      /^Nothing new: everything that can be imported is here already\.\n/,
    )
  expect((await importJson(path)).report).toMatchObject({
    users: counts(0, 3),
    keys: counts(0, 1),
    settings: counts(0, 1),
  })
  expect(siteRows()).toEqual(before)
})

test('a second import says again why keys are not here', async () => {
  const path = writeSource({
    users: [{ id: 3, username: 'anna', ...oldHash('x', 'y') }],
    keys: [
      { id: 1, user_id: 3, title: 'good', key_str: ED25519 },
      { id: 2, user_id: 3, title: 'broken', key_str: 'ssh-rsa AAAA' },
      { id: 3, user_id: 3, title: 'good', key_str: ED25519 },
    ],
  })
  const first = await importJson(path)
  const second = await importJson(path)
  expect(first.report.keys).toEqual(counts(1, 0, 2))
  expect(second.report.keys).toEqual(counts(0, 1, 2))
  expect(second.report.refused).toEqual(first.report.refused)
  expect([first.code, second.code]).toEqual([1, 1])
})

test('data.db after a backup gives passwords, codes and keys to users who have none, and to no others', async () => {
  const hash = oldHash('old-Passw0rd', 's')
  const people = [
    { id: 3, username: 'anna', role: 0, permission: 8 },
    { id: 4, username: 'ben', role: 0, permission: 8 },
    { id: 5, username: 'clara', role: 0, permission: 8 },
    { id: 6, username: 'dora', role: 0, permission: 8 },
  ]
  const backup = inFolder('backup.json')
  writeFileSync(backup, JSON.stringify({ encrypted: '', users: people }))
  expect((await importJson(backup)).report.users).toEqual(counts(4))
  await clone.command(['user', 'set', 'anna', '--permission', 'share'])
  await clone.command(['user', 'password', 'ben', '--password-stdin'], 'own-Passw0rd\n')
  await clone.command(['key', 'add', 'clara', '-', '--title', 'own'], ECDSA)
  await clone.command(['user', 'set', 'dora', '--role', 'admin'])
  const before = query(`select * from users where username <> 'anna' order by id`)

  const path = writeSource({
    users: people.map((person) => ({ ...person, otp_secret: SEED, ...hash })),
    keys: people.map(({ id }) => ({ user_id: id, title: 'laptop', key_str: ED25519 })),
  })
  const dry = await importJson(path, '--dry-run')
  const { report } = await importJson(path)
  expect(report).toEqual({ ...dry.report, dry_run: false })
  expect(report).toMatchObject({ users: counts(0, 3, 0, 1), keys: counts(1, 3) })
  expect(report.notes).toContainEqual({
    kind: 'user',
    id: 3,
    name: 'anna',
    reason: expect.stringMatching(/^was here without password, .* now has /),
  })
  expect(query(`select * from users where username <> 'anna' order by id`)).toEqual(before)
  expect(query(`select permission from users where id = 3`)).toEqual([{ permission: 0x4000 }])
  expect(query('select user_id, title from ssh_keys order by user_id')).toEqual([
    { user_id: 3, title: 'laptop' },
    { user_id: 5, title: 'own' },
  ])
  expect(
    query(`select detail from audit_events where user_id = 3 order by id desc limit 1`),
  ).toEqual([{ detail: 'by import' }])
  const again = await importJson(path)
  expect(again.report).toMatchObject({ users: counts(0, 4), keys: counts(0, 4) })

  const site = await clone.serve()
  const body = { username: 'anna', password: 'old-Passw0rd', otp_code: phoneCode(SEED) }
  expect(await site.call('POST', '/api/auth/login', { body })).toMatchObject({ code: 200 })
})

test('users who are here are kept, and a user whose id is taken gets another', async () => {
  await clone.command(['user', 'add', 'anna', '--generate'])
  const [anna] = query(`select * from users where username = 'anna'`)
  const path = writeSource({
    users: [
      { id: 8, username: 'ANNA', role: 2, ...oldHash('x', 'y') },
      { id: 3, username: 'ben', otp_secret: SEED, ...oldHash('ben-Passw0rd', 'y') },
    ],
    keys: [
      { user_id: 8, title: 'of another anna', key_str: ED25519 },
      { user_id: 3, title: 'of ben', key_str: ED25519 },
    ],
  })
  expect((await importJson(path)).report).toMatchObject({ users: counts(1, 1), keys: counts(1, 1) })
  expect(query(`select * from users where id = 3`)).toEqual([anna])
  expect(
    query(`select user_id, title, username from ssh_keys join users on users.id = user_id`),
  ).toEqual([{ user_id: 9, title: 'of ben', username: 'ben' }])
})

test('an id that a deleted user had is given to nobody', async () => {
  await clone.command(['user', 'add', 'dora', '--generate'])
  clone.sql(`delete from users where username = 'dora'`)
  clone.sql(`delete from audit_events`)
  const path = writeSource({ users: [{ id: 3, username: 'ben', ...oldHash('ben-Passw0rd', 'y') }] })
  expect((await importJson(path)).report).toMatchObject({
    users: counts(1),
    notes: [expect.objectContaining({ name: 'ben', reason: expect.stringContaining('new id 4') })],
  })
  expect(query(`select username from users where id > 2`)).toEqual([{ username: 'ben' }])
})

test('a sub that another user has here is not given a second time', async () => {
  const old = new Clone(inject('startedSite'))
  await old.command(['user', 'add', 'anna', '--generate'])
  await importJson(old.database)
  clone.sql(
    `update users set username = 'renamed', username_key = 'renamed' where username = 'anna'`,
  )
  const { report } = await importJson(old.database)
  expect(report).toMatchObject({
    users: { imported: 1 },
    notes: [
      { name: 'admin' },
      { name: 'anna', reason: expect.stringContaining('new id 4') },
      { name: 'anna', reason: expect.stringContaining('new sub') },
    ],
  })
  const [renamed, anna] = query(`select sub from users where id > 2 order by id`)
  expect(renamed).toEqual(old.sql(`select sub from users where username = 'anna'`)[0])
  expect(anna?.['sub']).toMatch(/^[0-9a-f]{32}$/)
  expect(anna).not.toEqual(renamed)
  await old.remove()
})

test('a name that another account had here is refused until it is released', async () => {
  await clone.command(['user', 'add', 'dora', '--generate'])
  await clone.command(ADD_WIKI)
  await clone.command(['user', 'delete', 'dora', '--yes'])
  const path = writeSource({
    users: [
      { id: 8, username: 'DORA', ...oldHash('dora-Passw0rd', 'y') },
      { id: 9, username: 'ben', ...oldHash('ben-Passw0rd', 'y') },
    ],
    keys: [{ user_id: 8, title: 'of dora', key_str: ED25519 }],
  })
  const imported = await importJson(path)
  expect(imported).toMatchObject({
    code: 1,
    report: {
      users: counts(1, 0, 1),
      refused: [
        { kind: 'user', name: 'DORA', reason: expect.stringContaining('reserved-name release') },
        { kind: 'key', name: 'of dora', reason: 'its user is refused' },
      ],
    },
  })
  expect(query(`select username from users where id > 2`)).toEqual([{ username: 'ben' }])
  await clone.command(['reserved-name', 'release', 'dora'])
  expect((await importJson(path)).report).toMatchObject({ users: counts(1, 1), keys: counts(1) })
})

test('the roles of AList are groups, with their folders as rules', async () => {
  const scopes = [
    { path: '/news/', permission: 8 },
    { path: '/pics', permission: 256 },
  ]
  const path = writeSource({
    users: [
      { id: 3, username: 'ann', role: '[3,4]' },
      { id: 4, username: 'ben', role: '[3]' },
    ],
    roles: [
      { id: 3, name: 'general', raw_permission: '[]' },
      { id: 4, name: 'Editors', description: 'x', raw_permission: JSON.stringify(scopes) },
    ],
  })
  // The role that all general accounts have is what users may do: here, nothing.
  const planned = { groups: 1, folder_rules: 4, refused: [] }
  expect((await importJson(path, '--dry-run')).report).toMatchObject(planned)
  expect((await importJson(path)).report).toMatchObject(planned)
  expect((await importJson(path)).report).toMatchObject({ groups: 0, folder_rules: 0 })
  expect(
    query(`select g.name, u.username, m.source from group_members m
      join groups g on g.id = m.group_id join users u on u.id = m.user_id`),
  ).toEqual([{ name: 'Editors', username: 'ann', source: 'import' }])
  expect(query('select path, group_id, access from folder_rules order by id')).toEqual([
    { path: '/', group_id: null, access: 'none' },
    { path: '/', group_id: null, access: 'none' },
    { path: '/news', group_id: 1, access: 'write' },
    { path: '/pics', group_id: 1, access: 'read' },
  ])
  expect(query(`select detail from audit_events where kind = 'group_created'`)).toEqual([
    { detail: 'Editors' },
  ])
})

test('groups and rules that do not fit as a whole are refused before anything is written', async () => {
  const scopes = Array.from({ length: 200 }, (_, i) => ({ path: `/f${i}`, permission: 0 }))
  const path = writeSource({
    users: [{ id: 3, username: 'ann', role: '[4]' }],
    roles: [{ id: 4, name: 'Editors', raw_permission: JSON.stringify(scopes) }],
  })
  for (const options of [['--dry-run'], []]) {
    const { code, stdout, stderr } = await clone.command(['import', path, ...options])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^With this file, the site would have 201 folders with rules, of at most 200\. Nothing was imported, .*\n$/,
    )
  }
  expect(query('select id from users where id > 2')).toEqual([])
  expect(query('select id from groups')).toEqual([])
})

test('the reserved names of another Latchkey stay reserved, for those who may have them again', async () => {
  const old = new Clone(inject('startedSite'))
  for (const name of ['dora', 'emil']) await old.command(['user', 'add', name, '--generate'])
  await old.command(ADD_WIKI)
  await old.command(['user', 'delete', 'dora', '--yes'])
  await old.command(['user', 'set', 'emil', '--name', 'emilia'])
  expect((await importJson(old.database, '--dry-run')).report).toMatchObject({ reserved_names: 2 })
  expect((await importJson(old.database)).report).toMatchObject({ reserved_names: 2 })
  expect((await importJson(old.database)).report).toMatchObject({ reserved_names: 0 })
  await old.remove()
  for (const name of ['dora', 'emil']) {
    const { code, stderr } = await clone.command(['user', 'add', name, '--generate'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('another account'),
    })
  }
  const back = await clone.command(['user', 'set', 'emilia', '--name', 'emil'])
  expect(back).toMatchObject({ code: 0 })
  const taken = await clone.command(['user', 'set', 'emil', '--name', 'dora'])
  expect(taken.stderr).toContain('another account')
})

test('an admin who has been used here keeps password and rights', async () => {
  await clone.command(['user', 'set', 'admin', '--sso-id', 'mine'])
  const before = query('select * from users where id = 1')
  const { report } = await importJson(writeSource({ users: [ADMIN] }))
  expect(report).toMatchObject({
    users: counts(0, 1),
    notes: [
      {
        name: 'admin',
        reason:
          'exists here already; keeps the password from here, because it was used or changed since it was made',
      },
    ],
  })
  expect(query('select * from users where id = 1')).toEqual(before)
})

test('an import that was killed is finished by the next', async () => {
  const TOTAL = 5000
  const ids = Array.from({ length: TOTAL }, (_, i) => i + 3)
  const path = writeSource({
    users: ids.map((id) => ({ id, username: `user${id}`, ...oldHash('x', 'y') })),
    keys: ids.map((id) => ({ user_id: id, title: 'k', key_str: ED25519 })),
  })
  const first = clone.startLatchkey('import', path)
  await first.until('2000 of')
  await first.kill()
  const [{ n: written } = { n: 0 }] = query('select count(*) as n from users where id > 2')
  expect(written).toBeGreaterThanOrEqual(2000)
  expect(written).toBeLessThan(TOTAL)

  const { report } = await importJson(path)
  expect(report.users.kept).toBe(written)
  expect(report.users.imported + report.users.kept).toBe(TOTAL)
  expect(query('select count(*) as n, count(distinct user_id) as owners from ssh_keys')).toEqual([
    { n: TOTAL, owners: TOTAL },
  ])
})

describe('the source', () => {
  test('is not written, and what its write-ahead log holds is read', async () => {
    const path = writeSource({ users: [ADMIN] })
    const server = new DatabaseSync(path)
    server.exec('pragma wal_autocheckpoint = 0')
    insert(server, 'x_users', [{ id: 5, username: 'latest', ...oldHash('x', 'y') }])
    const before = filesOf(folder)
    expect(before).toHaveLength(2)
    expect((await importJson(path)).report).toMatchObject({ users: counts(2) })
    expect(filesOf(folder)).toEqual(before)
    server.close()
  })

  test('gets no new files beside it', async () => {
    const path = writeSource({ users: [ADMIN] })
    await importJson(path, '--dry-run')
    expect(readdirSync(folder).filter((name) => name.startsWith('data.db'))).toEqual(['data.db'])
  })

  test('may be an old AList with a prefix of its own, without keys, codes and hashes', async () => {
    const tables = {
      users:
        'id integer PRIMARY KEY, username text, password text, base_path text, role integer, permission integer',
    }
    const users = [
      { id: 5, username: 'old', password: 'old-Passw0rd', base_path: '/', role: 0, permission: 8 },
    ]
    const path = writeSource({ users }, { prefix: 'my_alist_', tables })
    expect((await importJson(path)).report).toMatchObject({ users: counts(1), notes: [] })
    clone.sql('pragma wal_checkpoint(truncate)')
    expect(readFileSync(clone.database).includes('old-Passw0rd')).toBe(false)
  })

  test('may be a backup, whose users have no passwords; the admin keeps the one of here', async () => {
    const path = inFolder('backup.json')
    const user = {
      password: '',
      base_path: '/',
      disabled: false,
      permission: 8,
      sso_id: '',
      allow_ldap: true,
    }
    const users = [
      { ...user, id: 1, username: 'admin', role: 2 },
      { ...user, id: 2, username: 'guest', role: 1 },
      { ...user, id: 3, username: 'new list of roles', role: [0] },
    ]
    const settings = [{ key: 'site_title', value: 'Ours', type: 'string', group: 1, flag: 0 }]
    writeFileSync(path, JSON.stringify({ encrypted: '', settings, users, storages: [], metas: [] }))
    expect((await importJson(path)).report).toMatchObject({
      source: 'backup',
      users: counts(2, 1),
      settings: counts(1),
    })
    expect(query('select count(*) as n from users where password_hash is null')).toEqual([{ n: 2 }])
  })

  test('may be a backup that does not say whether it is encrypted', async () => {
    const path = inFolder('plain.json')
    writeFileSync(path, JSON.stringify({ settings: [{ key: 'site_title', value: 'Ours' }] }))
    expect((await importJson(path)).report).toMatchObject({
      source: 'backup',
      settings: counts(1),
    })
  })

  test('that the old server is writing to is refused, with what to do', async () => {
    const path = writeSource({ users: [ADMIN] })
    const server = new DatabaseSync(path)
    server.exec('pragma journal_mode = delete; begin exclusive')
    const { code, stderr } = await clone.command(['import', path])
    server.close()
    expect(code).toBe(1)
    expect(stderr).toBe(
      `Can't read ${path}: database is locked; the old server is writing to it: stop the old server, and run this again.\n`,
    )
  })

  test('without the write-ahead log that its header names gets a warning', async () => {
    const path = writeSource({ users: [ADMIN] })
    const { report } = await importJson(path, '--dry-run')
    expect(report.warnings).toEqual([
      `${path} was written with a write-ahead log, and there is no ${path}-wal: if the old server was running when the file was copied, its latest changes are missing here`,
    ])
    const database = new DatabaseSync(path)
    database.exec('pragma journal_mode = delete')
    database.close()
    expect((await importJson(path, '--dry-run')).report.warnings).toEqual([])
  })

  test('may be a Latchkey site with another secret, which comes over whole', async () => {
    clone = new Clone(inject('startedSite'))
    const old = new Clone(inject('startedSite'))
    old.sql(`insert into settings values ('webauthn_login_enabled', 'true')`)
    const { url } = await old.serve()
    // Browsers have passkeys at localhost, and none at an IP address.
    const oldSite = new Client(url.replace('127.0.0.1', 'localhost'))
    const admin = (await oldSite.signIn('admin', ADMIN_PASSWORD)).data?.token
    const user = { username: 'anna', password: 'anna-Passw0rd' }
    await oldSite.call('POST', '/api/admin/user/create', { token: admin, body: user })
    const token = (await oldSite.signIn('anna', 'anna-Passw0rd')).data?.token
    const generated = await oldSite.call('POST', '/api/auth/2fa/generate', { token })
    const { secret } = generated.data
    const enrolment = { secret, code: phoneCode(secret) }
    await oldSite.call('POST', '/api/auth/2fa/verify', { token, body: enrolment })
    const body = { otp_code: phoneCode(secret, Date.now(), 1) }
    const codes = await oldSite.call('POST', '/api/auth/2fa/recovery_codes', { token, body })
    const key = { title: 'laptop', key: ED25519 }
    await oldSite.call('POST', '/api/me/sshkey/add', { token, body: key })
    await old.command(['service-token', 'add', 'files.example.org'])
    const passkey = await SoftwarePasskey.make('ES256', { origin: new URL(oldSite.url).origin })
    expect(await registerAt(oldSite, passkey, token)).toMatchObject({ code: 200 })
    expect(await signInAt(oldSite, passkey)).toMatchObject({ code: 200 })
    const program = { name: 'rclone', scopes: ['files:read'] }
    const { data } = await oldSite.call('POST', '/api/me/tokens/create', { token, body: program })
    await old.command(['invitation', 'create'])
    old.sql(
      `update users set email = 'anna@example.org', email_verified = 1, ends_at = 4000000000000
       where username = 'anna'`,
    )
    old.sql(
      `insert into users (id, username, username_key, created_at, disabled, waiting, email, ends_at)
       values (9, 'bob', 'bob', 1, 1, 1, 'bob@example.org', null), (10, 'carol', 'carol', 1, 0, 0, '', 1)`,
    )
    old.sql(`insert into groups values (1, 'Editors', 'editors', 'They write', 1)`)
    old.sql(`insert into group_members values (1, 9, 1, 1, 'operator'), (1, 10, 1, null, 'sso')`)
    old.sql(`insert into folder_rules (path, built_in, group_id, user_id, access, created_at)
      values ('/', 'user', null, null, 'none', 1), ('/news', null, 1, null, 'write', 1),
        ('/news', null, null, 10, 'read', 1)`)
    await old.stop()

    writeFileSync(clone.path('.dev.vars'), `SECRET_KEYS=${SECRET_KEYS.split(',')[0]}\n`)
    const refused = await clone.command(['import', old.database])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      / of 1 user is sealed with other SECRET_KEYS: .* --secrets <file>/,
    )
    const { report } = await importJson(old.database, '--secrets', old.path('.dev.vars'))
    expect(report).toMatchObject({
      source: 'latchkey',
      users: { imported: 5, refused: 0 },
      keys: counts(1),
      settings: counts(1),
      passkeys: { imported: 1, kept: 0, refused: 0 },
      service_tokens: 1,
      groups: 1,
      folder_rules: 3,
      refused: [],
      warnings: [expect.stringContaining('1 app password stays behind')],
    })
    expect(wholeSite(clone)).toEqual(wholeSite(old))
    expect(clone.sql('select * from links')).toEqual([])
    await old.remove()

    const served = await clone.serve()
    const site = new Client(served.url.replace('127.0.0.1', 'localhost'))
    const signIn = (code: string) =>
      site.call('POST', '/api/auth/login', { body: { ...user, otp_code: code } })
    expect(await signIn('')).toMatchObject({ code: 402 })
    expect(await signIn(phoneCode(secret))).toMatchObject({ code: 200 })
    const [recovery] = codes.data.recovery_codes
    expect(await signIn(recovery)).toMatchObject({ code: 200 })
    passkey.origin = new URL(site.url).origin
    expect(await signInAt(site, passkey)).toMatchObject({ code: 200 })
    expect(await site.call('GET', '/api/me', { token: data.token })).toMatchObject({ code: 401 })
  })

  test('may be OpenList-Worker on D1, also with encrypted columns', async () => {
    const users = [
      { id: 1, username: 'salted', password: oldHash('salted-Passw0rd', 's').pwd_hash, salt: 's' },
      { id: 3, username: 'saltless', password: oldDigest('saltless-Passw0rd') },
      { id: 4, username: 'bcrypted', password: `$2b$12$${'a'.repeat(53)}` },
      {
        id: 5,
        username: 'sealed',
        password: sealForWorker(oldHash('sealed-Passw0rd', 's').pwd_hash, 'worker-secret'),
        salt: 's',
        otp_secret: sealForWorker(SEED, 'worker-secret'),
      },
      { id: 6, username: 'half', password: oldDigest('x'), otp_secret: sealForWorker(SEED, 'w') },
      { id: 7, username: 'hidden', password: sealForWorker('x', 'another-secret') },
    ]
    const path = writeSource({ users }, { tables: WORKER_TABLES })
    const sealed = await importJson(path, '--dry-run')
    expect(sealed.report).toMatchObject({ source: 'openlist-worker', users: counts(4, 0, 2) })
    expect(sealed.report.refused.map(({ name }: { name: string }) => name)).toEqual([
      'sealed',
      'half',
    ])
    writeFileSync(inFolder('worker.vars'), 'JWT_SECRET=worker-secret\n')
    const { report } = await importJson(path, '--secrets', inFolder('worker.vars'))
    expect(report).toMatchObject({
      users: counts(5, 0, 1),
      refused: [{ name: 'half', reason: expect.stringMatching(/^otp_secret is encrypted: .*JWT/) }],
      notes: [
        { name: 'salted', reason: expect.stringContaining('has the new id') },
        { name: 'bcrypted', reason: expect.stringContaining('its hash is of another kind') },
        { name: 'hidden', reason: expect.stringContaining('because it is encrypted') },
      ],
    })
    const site = await clone.serve()
    const signIn = async (username: string, code = '') => {
      const body = { username, password: `${username}-Passw0rd`, otp_code: code }
      return (await site.call('POST', '/api/auth/login', { body })).code
    }
    expect(await signIn('salted')).toBe(200)
    expect(await signIn('saltless')).toBe(200)
    expect(await signIn('sealed')).toBe(402)
    expect(await signIn('sealed', phoneCode(SEED))).toBe(200)
  })

  test('that is none is refused in one line', async () => {
    const files: [string, (path: string) => void, RegExp][] = [
      ['missing.db', () => undefined, /\(ENOENT\)/],
      [
        'text.db',
        (path) => writeFileSync(path, 'SQLite format 4'),
        /neither a SQLite database nor a backup/,
      ],
      ['list.json', (path) => writeFileSync(path, '[]'), /neither a SQLite database nor a backup/],
      [
        'cut.db',
        (path) => writeFileSync(path, `SQLite format 3\0${'x'.repeat(5000)}`),
        /file is not a database|malformed/,
      ],
      [
        'empty.db',
        (path) => writeOpenListDatabase(path, {}, { tables: { other: 'id integer' } }),
        /no table of users/,
      ],
      [
        'locked.json',
        (path) => writeFileSync(path, '{"encrypted": "VTJG", "users": []}'),
        /is encrypted: .* or import data\.db/,
      ],
      [
        'foreign.json',
        (path) => writeFileSync(path, '{}'),
        /neither a SQLite database nor a backup/,
      ],
      ['folder', (path) => mkdirSync(path), /is not a regular file/],
      ['pipe', (path) => execFileSync('mkfifo', [path]), /is not a regular file/],
      [
        'export.sql',
        (path) =>
          writeFileSync(path, 'PRAGMA defer_foreign_keys=TRUE;\nCREATE TABLE x_users (id);'),
        /is SQL, .* sqlite3 old\.sqlite < /,
      ],
      [
        'kv.db',
        (path) => {
          const tables = { ...WORKER_TABLES, kv: 'key text, value text' }
          writeOpenListDatabase(path, {}, { tables, prefix: 'x_' })
          const database = new DatabaseSync(path)
          database.exec(`create table kv as select 'openlist_config' as key, '{}' as value`)
          database.close()
        },
        /set its DB_FORMAT to sql/,
      ],
      [
        'huge.json',
        (path) => {
          writeFileSync(path, '{')
          truncateSync(path, 256 * 1024 * 1024 + 1)
        },
        /larger than any backup/,
      ],
    ]
    for (const [name, write, reason] of files) {
      const path = inFolder(name)
      write(path)
      const { code, stdout, stderr } = await clone.command(['import', path])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^[^\n]*\n$/)
      expect(stderr).toMatch(reason)
    }
  })
})

test('people get counts, then who is refused and why; a name cannot steer their terminal', async () => {
  const path = writeSource({
    users: [
      { id: 3, username: 'ok', ...oldHash('x', 'y') },
      { id: 4, username: 'red\u001b[31m' },
    ],
  })
  const { code, stdout, stderr } = await clone.command(['import', path])
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toMatch(/^ {2}users +1 +0 +0 +1$/m)
  expect(stdout).toContain('user 4 "red\\u{1b}[31m": username must not contain control characters')
})
