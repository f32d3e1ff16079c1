import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  appPasswords,
  auditEvents,
  groupMembers,
  groups,
  throttleCounters,
  users,
} from '../../schema/tables.ts'
import type { AppPasswordScope } from '../../src/core/access/scopes.ts'
import { addServiceToken, deleteServiceToken } from '../../src/core/access/service-tokens.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { listStops, unlockUser } from '../../src/capabilities/users/unlock.ts'
import { Refusal } from '../../src/core/base/refusals.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { addGroup } from '../support/groups.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const GROUPS = ['users', 'admins', 'webdav-read', 'webdav-write', 'sftp-read', 'sftp-write']
const wrongToken = { code: 401, message: 'service token is missing or wrong', data: null }

let site: CheapSite
let service: string
let alice: number

const arrange = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  const id = await arranged.addUser('alice', { password: PASSWORD, permission: 0b0101 << 8 })
  return { id, door: (await addServiceToken(arranged.deps, 'nas', 'ldap')) ?? '' }
})

beforeEach(async () => {
  site = new CheapSite()
  const { id, door } = await arrange(site)
  alice = id
  service = door
})

async function entries(etag?: string, token = service) {
  const headers = etag === undefined ? {} : { 'If-None-Match': etag }
  const answer = await site.fetch('GET', '/api/ldap/entries', { token: `Bearer ${token}`, headers })
  const text = await answer.text()
  return {
    status: answer.status,
    etag: answer.headers.get('ETag') ?? '',
    cache: answer.headers.get('Cache-Control'),
    body: text === '' ? undefined : JSON.parse(text),
  }
}

async function bind(password: string, more: { username?: string; scope?: string } = {}) {
  const body = { username: 'alice', scope: 'files:write', password, ...more }
  const answer = await site.fetch('POST', '/api/ldap/bind', { token: `Bearer ${service}`, body })
  return { status: answer.status, body: await answer.json() }
}

const YES = { status: 200, body: { ok: true } }
const NO = { status: 200, body: { ok: false } }

const setAlice = (columns: Partial<typeof users.$inferInsert>) =>
  site.db.update(users).set(columns).where(eq(users.id, alice))

const appPasswordOf = async (...scopes: AppPasswordScope[]) =>
  (await addAppPassword(site, alice, scopes)).token

const rename = (id: number, name: string) =>
  site.db.update(groups).set({ name }).where(eq(groups.id, id))

const memberOf = (groupId: number, userId: number) => ({
  groupId,
  userId,
  addedAt: site.now,
  source: 'command',
})

const eventsOfDoor = () =>
  site.db
    .select({ kind: auditEvents.kind, detail: auditEvents.detail, userId: auditEvents.userId })
    .from(auditEvents)
    .where(eq(auditEvents.network, 'ldap:nas'))

describe('GET /api/ldap/entries', () => {
  test('lists enabled accounts without the guest, by id, with their groups', async () => {
    await site.addUser('gone', { disabled: true })
    expect(await entries()).toEqual({
      status: 200,
      etag: expect.stringMatching(/^"[0-9a-f]{32}-0"$/),
      cache: 'no-store',
      body: {
        groups: GROUPS,
        accounts: [
          { id: 1, username: 'admin', groups: ['users', 'admins'] },
          { id: alice, username: 'alice', groups: ['users', 'webdav-read', 'sftp-read'] },
        ],
      },
    })
    expect(site.meter.roundTrips).toBe(1)
  })

  test('lists the groups of the site after those, also empty ones', async () => {
    await addGroup(site, 'hr', 2)
    await addGroup(site, 'finance', 1, alice)
    const { body } = await entries()
    expect(site.meter.roundTrips).toBe(1)
    expect(body).toEqual({
      groups: [...GROUPS, 'finance', 'hr'],
      accounts: [
        { id: 1, username: 'admin', groups: ['users', 'admins', 'finance'] },
        { id: alice, username: 'alice', groups: ['users', 'webdav-read', 'sftp-read', 'finance'] },
      ],
    })
    expect(await entries(undefined, 'wrong')).toMatchObject({ status: 401, body: wrongToken })
  })

  test.each([
    ['a new group', () => addGroup(site, 'hr')],
    ['another name', (id: number) => rename(id, 'money')],
    ['a deleted group', (id: number) => site.db.delete(groups).where(eq(groups.id, id))],
    ['a new member', (id: number) => site.db.insert(groupMembers).values(memberOf(id, 1))],
    ['a member less', () => site.db.delete(groupMembers).where(eq(groupMembers.userId, alice))],
  ])('has a new version after %s of groups', async (_, change) => {
    const id = await addGroup(site, 'finance', alice)
    const { etag } = await entries()
    expect(await entries(etag)).toMatchObject({ status: 304 })
    await change(id)
    expect(await entries(etag)).toMatchObject({
      status: 200,
      etag: expect.not.stringMatching(etag),
    })
  })

  test('answers 304 to the current version, without reading an account', async () => {
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
       insert into users (username, username_key, created_at) select 'u' || i, 'u' || i, 0 from n`,
    ).run()
    const finance = await addGroup(site, 'finance')
    await env.DB.prepare(
      `insert into group_members (group_id, user_id, added_at, source) select ?, id, 0, 'command' from users`,
    )
      .bind(finance)
      .run()
    const { etag } = await entries()
    expect(site.meter.rowsRead).toBeGreaterThan(500)
    const same = { status: 304, etag, cache: 'no-store', body: undefined }
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      expect(await entries(known)).toEqual(same)
      expect(site.meter).toMatchObject({ roundTrips: 1 })
      expect(site.meter.rowsRead).toBeLessThan(20)
    }
    expect(await entries('"other"')).toMatchObject({ status: 200, etag })
  })

  test.each([
    [
      'another permission',
      (id: number) =>
        site.db
          .update(users)
          .set({ permission: 1 << 11 })
          .where(eq(users.id, id)),
    ],
    [
      'another role',
      (id: number) => site.db.update(users).set({ role: 2 }).where(eq(users.id, id)),
    ],
    [
      'another name',
      (id: number) => site.db.update(users).set({ username: 'Alice' }).where(eq(users.id, id)),
    ],
    [
      'a disabled account',
      (id: number) => site.db.update(users).set({ disabled: true }).where(eq(users.id, id)),
    ],
    [
      'an account that gets an end',
      (id: number) =>
        site.db
          .update(users)
          .set({ endsAt: site.now + 1000 })
          .where(eq(users.id, id)),
    ],
    ['a deleted account', (id: number) => site.db.delete(users).where(eq(users.id, id))],
    ['a new account', () => site.addUser('bob')],
  ])('has a new version after %s', async (_, change) => {
    const { etag } = await entries()
    await change(alice)
    expect(await entries(etag)).toMatchObject({
      status: 200,
      etag: expect.not.stringMatching(etag),
    })
  })

  test('has a new version without a user once the account of the user has ended', async () => {
    await site.db
      .update(users)
      .set({ endsAt: site.now + 1000 })
      .where(eq(users.id, alice))
    const { etag } = await entries()
    expect(await entries(etag)).toMatchObject({ status: 304 })
    site.now += 1000
    const { status, body } = await entries(etag)
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain('alice')
  })

  test('keeps its version while a user signs in, and for another password', async () => {
    const { etag } = await entries()
    await site.token('alice', PASSWORD)
    await setAlice({ passwordHash: 'x', permission: 0b0101 << 8 })
    expect(await entries(etag)).toMatchObject({ status: 304 })
  })

  test('refuses a token that is wrong, deleted or has another scope, and reads no account', async () => {
    const other = (await addServiceToken(site.deps, 'other', 'sftp', 'introspect')) ?? ''
    await deleteServiceToken(site.deps, 'nas')
    for (const token of [other, service, '', await site.token('admin', ADMIN_PASSWORD)]) {
      expect(await entries(undefined, token)).toMatchObject({ status: 401, body: wrongToken })
      expect(site.meter.rowsRead).toBeLessThan(10)
    }
  })
})

describe('POST /api/ldap/bind', () => {
  test('says which scopes there are, in its own words', async () => {
    const message = 'scope must be one of files:read, files:write'
    expect(await bind(PASSWORD, { scope: 'x'.repeat(1000) })).toEqual({
      status: 400,
      body: { code: 400, message, data: null },
    })
  })

  test('takes an app password of the scope, in one round trip', async () => {
    const reads = await appPasswordOf('files:read')
    const writes = await appPasswordOf('files:write')
    await bind(writes)
    await site.settle()
    expect(await bind(writes)).toEqual(YES)
    expect(site.meter).toMatchObject({ roundTrips: 1, hashMilliseconds: 0 })
    expect(await bind(writes, { scope: 'files:read' })).toEqual(YES)
    expect(await bind(reads, { scope: 'files:read' })).toEqual(YES)
    expect(await bind(reads)).toEqual(NO)
    expect(await bind(await appPasswordOf('account:read'))).toEqual(NO)
  })

  test('takes an app password also with two-step verification on, of its owner only', async () => {
    const token = await appPasswordOf('files:write')
    await site.addUser('bob')
    expect(await bind(token, { username: 'bob' })).toEqual(NO)
    expect(await bind(token, { username: 'Alice' })).toEqual(NO)
    await setAlice({ totpSeed: 'sealed' })
    expect(await bind(token)).toEqual(YES)
    await setAlice({ disabled: true })
    expect(await bind(token)).toEqual(NO)
  })

  test('notes the use of an app password, and a use from a door that its owner never used', async () => {
    await site.token('alice', PASSWORD)
    const token = await appPasswordOf('files:write')
    await bind(token)
    await bind(token)
    await site.settle()
    const [used] = await site.db.select().from(appPasswords)
    expect(used).toMatchObject({ lastUsedAt: site.now, lastNetwork: 'ldap:nas' })
    expect(await eventsOfDoor()).toEqual([
      { kind: 'token_used_elsewhere', detail: 'files:write', userId: alice },
    ])
  })

  test('counts no wrong app password', async () => {
    const right = await appPasswordOf('files:write')
    const wrong = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0')
    const unknown = 'lk_00000000000000000000000000000000000000'
    for (const password of [wrong, unknown]) expect(await bind(password)).toEqual(NO)
    await site.settle()
    expect(await eventsOfDoor()).toEqual([])
  })

  test('takes the password of the account, and records it once an hour', async () => {
    expect(await bind(PASSWORD)).toEqual(YES)
    expect(await bind(PASSWORD)).toEqual(YES)
    expect(await eventsOfDoor()).toEqual([{ kind: 'service_sign_in', detail: '', userId: alice }])
    expect(await site.db.select().from(throttleCounters)).toEqual([])
    site.now += HOUR + MINUTE
    expect(await bind(PASSWORD)).toEqual(YES)
    expect(await eventsOfDoor()).toHaveLength(2)
  })

  test('refuses the password while a code is needed, demanded or not', async () => {
    await setAlice({ totpSeed: 'sealed' })
    expect(await bind(PASSWORD)).toEqual(NO)
    await setAlice({ totpSeed: null })
    await env.DB.prepare(
      `insert into settings (key, value) values ('require_second_factor', 'everybody')`,
    ).run()
    expect(await bind(PASSWORD)).toEqual(NO)
    const refused = { kind: 'sign_in_refused', detail: 'two-factor', userId: alice }
    expect(await eventsOfDoor()).toEqual([refused, refused])
  })

  test.each(['', 'wrong'])('refuses the password %j', async (password) => {
    expect(await bind(password)).toEqual(NO)
  })

  test('refuses guest, disabled and unknown accounts without a hash or a row', async () => {
    await site.addUser('gone', { disabled: true, password: PASSWORD })
    await site.addUser('bare')
    for (const username of ['guest', 'gone', 'bare', 'nobody', 'ALICE', '']) {
      expect(await bind(PASSWORD, { username })).toEqual(NO)
      expect(site.meter).toMatchObject({ rowsWritten: 0 })
    }
    expect(await eventsOfDoor()).toEqual([])
  })

  test('refuses an account after five wrong passwords, here and nowhere else', async () => {
    const token = await appPasswordOf('files:write')
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    for (let n = 0; n < 5; n++) expect(await bind('wrong')).toEqual(NO)
    expect(await bind(PASSWORD)).toEqual(NO)
    expect(await bind(token)).toEqual(YES)
    expect(await bind('bob-Passw0rd', { username: 'bob' })).toEqual(YES)
    expect((await site.login('alice', PASSWORD)).code).toBe(200)
    const first = service
    service = (await addServiceToken(site.deps, 'other', 'ldap')) ?? ''
    expect(await bind(PASSWORD)).toEqual(YES)
    service = first
    expect(await bind(PASSWORD)).toEqual(NO)
    site.now += 5 * MINUTE + 1
    expect(await bind(PASSWORD)).toEqual(YES)
    expect(await eventsOfDoor()).toHaveLength(8)
  })

  test('counts parallel guesses like consecutive ones, and forgets them after the right one', async () => {
    const guesses = Array.from({ length: 12 }, (_, n) => bind(`wrong-${n}`))
    await Promise.all(guesses)
    expect(await eventsOfDoor()).toHaveLength(5)
    site.now += 5 * MINUTE + 1
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 4; n++) await bind('wrong')
      expect(await bind(PASSWORD)).toEqual(YES)
    }
  })

  test('opens again when an operator unlocks the account', async () => {
    for (let n = 0; n < 5; n++) await bind('wrong')
    expect(await listStops(site.deps, COMMAND_LINE, alice)).toMatchObject([{ kind: 'door' }])
    await unlockUser(site.deps, COMMAND_LINE, alice)
    expect(await listStops(site.deps, COMMAND_LINE, alice)).toEqual([])
    expect(await bind(PASSWORD)).toEqual(YES)
  })

  test('does not count an attempt whose hash failed', async () => {
    let isDown = true
    const faulty = new CheapSite({
      hashPassword: async (...given) => {
        if (isDown) throw new Refusal('unavailable')
        return site.deps.hashPassword(...given)
      },
    })
    const call = {
      token: `Bearer ${service}`,
      body: { username: 'alice', password: PASSWORD, scope: 'files:write' },
    }
    for (let n = 0; n < 6; n++) {
      expect((await faulty.fetch('POST', '/api/ldap/bind', call)).status).toBe(503)
      await faulty.settle()
    }
    isDown = false
    expect(await bind(PASSWORD)).toEqual(YES)
  })

  test('refuses a wrong token, whatever the password', async () => {
    await deleteServiceToken(site.deps, 'nas')
    const unknown = 'lk_00000000000000000000000000000000000000'
    for (const password of [PASSWORD, 'wrong', '', unknown, await appPasswordOf('files:write')])
      expect(await bind(password)).toEqual({ status: 401, body: wrongToken })
    expect(await eventsOfDoor()).toEqual([])
  })

  test.each([
    [{ scope: 'admin' }, 'scope'],
    [{ username: 'a\0b' }, 'username'],
  ])('refuses the body %j', async (more, field) => {
    const { status, body } = await bind('x', more)
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 400, data: null } })
    expect(JSON.stringify(body)).toContain(field)
  })
})
