import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { isoTime } from '../../src/core/base/time.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'

/** The Worker of a site, as it was built. */
const KEPT_FILE = '.wrangler/latchkey.bundle'

let clone: Clone
let other: Clone

beforeEach(() => {
  clone = new Clone(inject('startedSite'))
  // Another machine has the same sources, and no site.
  other = new Clone(inject('startedSite'))
  for (const made of ['.wrangler', '.dev.vars']) rmSync(other.path(made), { recursive: true })
  // It need not build the Worker again.
  mkdirSync(other.path('.wrangler'))
  copyFileSync(clone.path(KEPT_FILE), other.path(KEPT_FILE))
})
afterEach(async () => {
  await clone.remove()
  await other.remove()
})

test('a backup of a running site, restored on another machine, lets users sign in again', async () => {
  const site = await clone.serve()
  const signedIn = await site.signIn('admin', ADMIN_PASSWORD)
  const { token } = signedIn.data
  expect(await site.call('GET', '/api/me', { token })).toMatchObject({ code: 200 })
  expect((await clone.command(['setting', 'set', 'site_title', 'Ours'])).code).toBe(0)
  const file = clone.path('site.backup')
  const made = await clone.command(['backup', file])
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain('SECRET_KEYS')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // The copy holds everything, so administrators see that it was made.
  const events = await clone.command(['event', 'list', '--kind', 'backup_made'])
  expect(events.stdout).toMatch(/ backup_made .*command line/)
  expect(readFileSync(file, 'latin1')).not.toContain(readFileSync(clone.path('.dev.vars'), 'utf8'))
  await clone.stop()

  copyFileSync(clone.path('.dev.vars'), other.path('.dev.vars'))
  const outcome = await other.command(['restore', file])
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(outcome.stdout).not.toContain('.dev.vars')
  expect(statSync(other.database).mode & 0o777).toBe(0o600)
  const restored = await other.serve('another-Passw0rd')
  // It may have ended since the backup was made.
  expect(await restored.call('GET', '/api/me', { token })).toMatchObject({ code: 401 })
  expect(await restored.signIn('admin', 'another-Passw0rd')).toMatchObject({ code: 401 })
  expect(await restored.signIn('admin', ADMIN_PASSWORD)).toMatchObject({ code: 200 })
  const subs = 'select id, sub from users order by id'
  expect(other.sql(subs)).toEqual(clone.sql(subs))
  expect(await restored.call('GET', '/api/public/settings')).toMatchObject({
    data: { site_title: 'Ours' },
  })
})

const CALLBACK = 'https://wiki.example.org/callback'

/** A program, as it asks a site. */
class Wiki {
  readonly #basic: string
  readonly #id: string
  url = ''

  constructor({ client_id: id, client_secret: secret }: Record<string, string>) {
    this.#id = id ?? ''
    this.#basic = `Basic ${btoa(`${id}:${secret}`)}`
  }

  /** Returns a code for somebody who is signed in; `undefined` when they are asked something first. */
  async code(token: string): Promise<string | undefined> {
    const query = new URLSearchParams({
      client_id: this.#id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid offline_access',
    })
    const { headers } = await fetch(new URL(`/oauth/authorize?${query.toString()}`, this.url), {
      headers: { Cookie: `session=${token}` },
      redirect: 'manual',
    })
    const to = new URL(headers.get('Location') ?? '', this.url)
    return to.searchParams.get('code') ?? undefined
  }

  async token(form: Record<string, string>): Promise<Record<string, string>> {
    const response = await fetch(new URL('/oauth/token', this.url), {
      method: 'POST',
      headers: { Authorization: this.#basic },
      body: new URLSearchParams({ redirect_uri: CALLBACK, ...form }),
    })
    const answer: Record<string, string> = await response.json()
    return answer
  }

  exchange(code = ''): Promise<Record<string, string>> {
    return this.token({ grant_type: 'authorization_code', code })
  }

  async userStatus(token = ''): Promise<number> {
    const headers = { Authorization: `Bearer ${token}` }
    return (await fetch(new URL('/oauth/userinfo', this.url), { headers })).status
  }
}

// It starts two sites.
test('a restored site knows its programs and what users allowed them, but none of their codes and tokens', async () => {
  const site = await clone.serve()
  const { origin } = new URL(site.url)
  const command = ['client', 'add', 'wiki', '--redirect', CALLBACK, '--issuer', origin, '--json']
  const added = await clone.command(command)
  const wiki = new Wiki(JSON.parse(added.stdout))
  wiki.url = site.url
  const { token } = (await site.signIn('admin', ADMIN_PASSWORD)).data
  expect(await wiki.code(token), 'without consent').toBeUndefined()
  clone.sql(`insert into openid_consents (user_id, client_id, scope, given_at)
    select 1, id, 'openid offline_access', 0 from openid_clients`)
  const tokens = await wiki.exchange(await wiki.code(token))
  expect(await wiki.userStatus(tokens['access_token'])).toBe(200)
  const unused = await wiki.code(token)
  const file = clone.path('site.backup')
  expect((await clone.command(['backup', file])).code).toBe(0)
  await clone.stop()

  copyFileSync(clone.path('.dev.vars'), other.path('.dev.vars'))
  expect((await other.command(['restore', file])).code).toBe(0)
  expect(other.sql('select 1 from openid_grants union all select 1 from sessions')).toEqual([])
  const restored = await other.serve()
  wiki.url = restored.url
  // It has another port, and programs get codes only at the address that they were told.
  other.sql(`update openid_clients set issuer = '${new URL(restored.url).origin}'`)
  expect(await wiki.userStatus(tokens['access_token'])).toBe(401)
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' }
  expect(await wiki.token(refresh)).toMatchObject({ error: 'invalid_grant' })
  expect(await wiki.exchange(unused)).toMatchObject({ error: 'invalid_grant' })
  expect(await wiki.code(token), 'the session has ended').toBeUndefined()
  const again = (await restored.signIn('admin', ADMIN_PASSWORD)).data.token
  const fresh = await wiki.exchange(await wiki.code(again))
  expect(await wiki.userStatus(fresh['access_token'])).toBe(200)
})

test('a restore says that what was taken away since the backup is back, and from when on', async () => {
  const user = (...words: string[]) => clone.command(['user', ...words])
  await user('add', 'anna', '--generate')
  const file = clone.path('site.backup')
  const [{ at } = {}] = clone.sql('select max(at) as at from audit_events')
  await clone.command(['backup', file])
  await user('disable', 'anna')
  copyFileSync(clone.path('.dev.vars'), other.path('.dev.vars'))
  const { stdout } = await other.command(['restore', file])
  expect(stdout).toMatch(
    /Folders that got rules since then .*files check .*folder-rule adopt PATH/s,
  )
  expect(stdout).toContain(
    `last event of the backup, at ${isoTime(Number(at))}, is back: users who`,
  )
  expect(other.sql(`select disabled from users where username = 'anna'`)).toEqual([{ disabled: 0 }])
  // Lists of OpenList may still name the ids of users who were made since.
  await other.command(['user', 'add', 'ben', '--generate'])
  expect(other.sql(`select id > 10000 as is_far from users where username = 'ben'`)).toEqual([
    { is_far: 1 },
  ])
})

test('a restore keeps the reserved names, and reserves those that accounts got since', async () => {
  const user = (...words: string[]) => clone.command(['user', ...words])
  for (const name of ['anna', 'ben']) await user('add', name, '--generate')
  await clone.command(
    'client add wiki --redirect https://a.example.org/b --issuer https://b.example.org'.split(' '),
  )
  await user('delete', 'anna', '--yes')
  const file = clone.path('site.backup')
  await clone.command(['backup', file])
  for (const name of ['clara', 'dora']) await user('add', name, '--generate')
  await user('delete', 'dora', '--yes')
  await user('set', 'ben', '--name', 'benno')

  copyFileSync(clone.path('.dev.vars'), other.path('.dev.vars'))
  const { stdout } = await other.command(['restore', file])
  expect(stdout).toContain('reserved-name keep FILE')
  const keep = () => other.command(['reserved-name', 'keep', clone.database, '--json'])
  expect(JSON.parse((await keep()).stdout)).toEqual({
    file: clone.database,
    usernames: ['benno', 'clara', 'dora'],
  })
  expect(JSON.parse((await keep()).stdout)).toMatchObject({ usernames: [] })
  for (const name of ['anna', 'Clara', 'dora', 'benno'])
    expect(await other.command(['user', 'add', name, '--generate'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('belonged to another account'),
    })
  expect((await other.command(['user', 'set', 'ben', '--name', 'benno'])).code).toBe(0)
  const events = `select kind, detail from audit_events where kind = 'names_reserved'`
  expect(other.sql(events)).toEqual([{ kind: 'names_reserved', detail: '3' }])
})

test('a restore refuses the secret of another site, and doctor counts what an older entry still opens', async () => {
  const site = await clone.serve()
  const token = (await site.signIn('admin', ADMIN_PASSWORD)).data.token
  const { secret } = (await site.call('POST', '/api/auth/2fa/generate', { token })).data
  const enrolment = { secret, code: phoneCode(secret) }
  await site.call('POST', '/api/auth/2fa/verify', { token, body: enrolment })
  for (const key of ['sso_client_secret', 'turnstile_secret']) {
    const words = ['setting', 'set', key, '--stdin']
    expect(await clone.command(words, 'a secret')).toMatchObject({ code: 0 })
  }
  clone.sql(`insert into mails (id, kind, address, language, sealed, next_at, expires_at)
    select 'waiting', 'reset', 'a@example.org', 'en', substr(totp_seed, 1, 9), 9e15, 9e15
    from users where totp_seed is not null`)
  const file = clone.path('site.backup')
  expect((await clone.command(['backup', file])).code).toBe(0)
  await clone.stop()

  const ours = readFileSync(clone.path('.dev.vars'), 'utf8').trim()
  const newer = `SECRET_KEYS=${randomBytes(32).toString('base64url')}`
  writeFileSync(other.path('.dev.vars'), newer)
  expect(await other.command(['restore', file])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^The SECRET_KEYS in \.dev\.vars are of another site: they don't open 1 seed, 1 waiting mail, 1 sso_client_secret, 1 turnstile_secret of the backup\. Put its .*--without-secret\. Nothing was restored\.\n$/,
    ),
  })
  expect(existsSync(other.path('.wrangler/state'))).toBe(false)

  writeFileSync(other.path('.dev.vars'), `${newer},${ours.slice(ours.indexOf('=') + 1)}`)
  expect((await other.command(['restore', file])).code).toBe(0)
  expect((await other.command(['doctor'])).stdout).toMatch(
    /^ok +sealed +an older entry of SECRET_KEYS is still needed for 1 seed, 1 waiting mail, 1 sso_client_secret, 1 turnstile_secret/m,
  )
})

test('a backup overwrites nothing, and a restore neither', async () => {
  const file = clone.path('taken')
  writeFileSync(file, 'mine')
  expect(await clone.command(['backup', file])).toEqual({
    code: 1,
    stdout: '',
    stderr: `${file} exists already: name another file.\n`,
  })
  expect(readFileSync(file, 'utf8')).toBe('mine')
  const backup = clone.path('site.backup')
  expect((await clone.command(['backup', backup])).code).toBe(0)
  const users = clone.sql('select * from users')
  expect(await clone.command(['restore', backup])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^There is a site here already: [^\n]*\n$/),
  })
  expect(clone.sql('select * from users')).toEqual(users)

  clone.sql(`insert into d1_migrations (name) values ('9999_later.sql')`)
  const newer = clone.path('newer.backup')
  expect((await clone.command(['backup', newer])).code).toBe(0)
  expect(await other.command(['restore', newer])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/9999_later\.sql[^\n]*git pull[^\n]*\n$/),
  })
  expect(existsSync(other.path('.wrangler/state'))).toBe(false)
})

test('what is no backup, or no site, is said in one line', async () => {
  const noBackup = /^[^\n]* is not a backup of a Latchkey site[^\n]*\n$/
  writeFileSync(other.path('text'), 'no database'.repeat(1000))
  writeFileSync(other.path('empty'), '')
  spawnSync('mkfifo', [other.path('pipe')])
  for (const [name, statement] of [
    ['foreign', 'create table notes (text)'],
    ['hollow', 'create table users (id); create table d1_migrations (id, name)'],
    ['odd', 'create table users (id); create table d1_migrations (number)'],
  ] as const) {
    const database = new DatabaseSync(other.path(name))
    database.exec(statement)
    database.close()
  }
  const wrong: [args: string[], code: number, line: RegExp][] = [
    [['backup', 'new'], 1, /^There is no local site yet[^\n]*\n$/],
    [['backup', 'new', '--remote'], 2, /^[^\n]*wrangler d1 export[^\n]*\n$/],
    [['restore', 'new', '--remote'], 2, /^[^\n]*--remote[^\n]*\n$/],
    [['restore', 'missing'], 1, /^Can't read missing \(ENOENT\)[^\n]*\n$/],
    [['restore', 'text'], 1, noBackup],
    [['restore', 'empty'], 1, noBackup],
    [['restore', '.'], 1, /^\. is no file[^\n]*\n$/],
    [['restore', 'pipe'], 1, /^pipe is no file[^\n]*\n$/],
    [['restore', '/dev/null'], 1, /^\/dev\/null is no file[^\n]*\n$/],
    [['restore', 'foreign'], 1, noBackup],
    [['restore', 'hollow'], 1, noBackup],
    [['restore', 'odd'], 1, noBackup],
  ]
  for (const [args, code, line] of wrong) {
    expect(await other.command(args)).toEqual({
      code,
      stdout: '',
      stderr: expect.stringMatching(line),
    })
  }
  expect(existsSync(other.path('new'))).toBe(false)
})

test('a restore without the secret is refused, unless it is wanted', async () => {
  const file = clone.path('site.backup')
  expect((await clone.command(['backup', file])).code).toBe(0)
  const { code, stderr } = await other.command(['restore', file])
  expect(code).toBe(1)
  expect(stderr).toMatch(/There is no \.dev\.vars here[^\n]*two-step verification[^\n]*SECRET_KEYS/)
  expect(globSync(`${other.path('.wrangler')}/**/*.sqlite`)).toEqual([])
  expect(await other.command(['restore', file, '--without-secret'])).toMatchObject({ code: 0 })
  expect(globSync(`${other.path('.wrangler')}/**/*.restored*`)).toEqual([])
})

test('a restore that fails half-way leaves no copy behind', async () => {
  // Of a site, as far as its tables say, but without the sessions that must go.
  clone.sql('alter table sessions rename to old_sessions')
  const file = clone.path('site.backup')
  expect((await clone.command(['backup', file])).code).toBe(0)
  expect(await other.command(['restore', file])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^[^\n]* is not a backup of a Latchkey site[^\n]*\n$/),
  })
  expect(globSync(`${other.path('.wrangler')}/**/*.restored*`)).toEqual([])
})

test('a backup goes nowhere it may not', async () => {
  expect(await clone.command(['backup', 'no-such-folder/file'])).toEqual({
    code: 1,
    stdout: '',
    stderr: "Can't write no-such-folder/file (ENOENT).\n",
  })
})
