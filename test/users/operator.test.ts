import { notLike } from 'drizzle-orm'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, sessions, throttleCounters, users } from '../../schema/tables.ts'
import { listSiteEvents } from '../../src/capabilities/activity/operator-events.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { listStops, unlockUser } from '../../src/capabilities/users/unlock.ts'
import { COMMAND_LINE, type Operator } from '../../src/core/access/operators.ts'
import { of } from '../../src/core/access/subject.ts'
import {
  endEverySession,
  endSession,
  endEverything,
  listSessions,
} from '../../src/capabilities/sessions/manage.ts'
import { getUser, listUsers } from '../../src/capabilities/users/find-users.ts'
import { changeUser, removeUser } from '../../src/capabilities/users/manage-users.ts'
import { ADMIN, GENERAL } from '../../src/core/accounts/roles.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { loggedLines } from '../support/log.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, NOW, SECOND } from '../support/site.ts'

const ADMIN_ID = 1
const ROOT = 3
const ALICE = 4
const PASSWORD = 'alice-Passw0rd'

let site: CheapSite

const addUsers = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('root', { password: ADMIN_PASSWORD, role: ADMIN })
  await arranged.addUser('alice', { password: PASSWORD })
})

beforeEach(async () => {
  site = new CheapSite()
  await addUsers(site)
})

/** Somebody who is signed in, as decisions know them. */
async function actorOf(username: string, password: string): Promise<Operator> {
  await site.token(username, password)
  const [row] = await site.db.select().from(sessions).orderBy(sessions.createdAt)
  if (row === undefined) throw new Error('not signed in')
  return {
    sessionId: row.id,
    userId: row.userId,
    issuedAtSeconds: Math.floor(row.createdAt / 1000),
    network: row.network,
    userAgent: row.userAgent,
  }
}

async function enabledAdmins(): Promise<number[]> {
  const { users: listed } = await listUsers(site.deps, COMMAND_LINE, 1, 0)
  return listed.filter(({ role, disabled }) => role === ADMIN && !disabled).map(({ id }) => id)
}

describe('the last enabled admin', () => {
  const losses: [name: string, lose: (id: number) => Promise<void>][] = [
    ['demoted', (id) => changeUser(site.deps, COMMAND_LINE, id, { role: GENERAL })],
    ['disabled', (id) => changeUser(site.deps, COMMAND_LINE, id, { disabled: true })],
    ['deleted', (id) => removeUser(site.deps, COMMAND_LINE, id)],
  ]

  test.each(losses)('can not be %s, the last but one can', async (_, lose) => {
    await lose(ADMIN_ID)
    await expect(lose(ROOT)).rejects.toMatchObject({
      code: 400,
      detail: 'no other enabled admin has a password',
    })
    expect(await enabledAdmins()).toEqual([ROOT])
  })

  test.each(losses)('can not be %s beside admins who can not sign in', async (_, lose) => {
    await site.addUser('passwordless', { role: ADMIN })
    await site.addUser('off', { password: ADMIN_PASSWORD, role: ADMIN, disabled: true })
    await lose(ADMIN_ID)
    await expect(lose(ROOT)).rejects.toMatchObject({ code: 400 })
    expect(await site.login('root', ADMIN_PASSWORD)).toMatchObject({ code: 200 })
  })

  test.each(losses)('is nobody without a password, who can be %s', async (_, lose) => {
    await site.db.update(users).set({ passwordHash: null })
    await lose(ADMIN_ID)
    await lose(ROOT)
    expect(await enabledAdmins()).toEqual([])
  })

  test.each(losses)('is left when all are %s at once', async (_, lose) => {
    const outcomes = await Promise.allSettled([ADMIN_ID, ROOT].map(lose))
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await enabledAdmins()).toHaveLength(1)
  })

  test('is left when two admins disable themselves at once over HTTP', async () => {
    const [one, other] = await Promise.all([
      site.token('admin', ADMIN_PASSWORD),
      site.token('root', ADMIN_PASSWORD),
    ])
    const disable = (id: number, token: string | undefined) =>
      site.post('/api/admin/user/update', { id, disabled: true }, { token: token ?? '' })
    const answers = await Promise.all([disable(ADMIN_ID, one), disable(ROOT, other)])
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(await enabledAdmins()).toHaveLength(1)
  })
})

test('permissions given and taken at once are all kept', async () => {
  await changeUser(site.deps, COMMAND_LINE, ALICE, { permission: 0b1001 })
  const bits = [
    { set: 0b0010, clear: 0 },
    { set: 0b0100, clear: 0b0001 },
    { set: 0, clear: 0b1000 },
  ]
  const change = (permission: { set: number; clear: number }) =>
    changeUser(site.deps, COMMAND_LINE, ALICE, { permission })
  await Promise.all(bits.map(change))
  expect((await getUser(site.deps, COMMAND_LINE, ALICE)).permission).toBe(0b0110)
})

describe('unlockUser', () => {
  test('forgets what one account failed at from anywhere, and nothing else', async () => {
    const tries = [
      ['alice', '192.0.2.1'],
      ['alice', '192.0.2.2'],
      ['alicf', '192.0.2.1'],
    ] as const
    for (const [username, network] of tries) {
      for (let i = 0; i < 6; i++) {
        const body = { username, password: 'wrong-Passw0rd' }
        await site.post('/api/auth/login', body, { headers: { 'CF-Connecting-IP': network } })
      }
    }
    await site.db.insert(throttleCounters).values(
      [`proof/code/${ALICE}`, `proof/old-password/${ALICE}/x`, `proof/code/${ALICE}0`].map(
        (key) => ({
          key,
          failures: 10,
          expiresAt: site.now + HOUR,
        }),
      ),
    )
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 429 })
    expect(await unlockUser(site.deps, COMMAND_LINE, ALICE)).toBe(5)
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 200 })
    expect(await site.login('alicf', PASSWORD)).toMatchObject({ code: 429 })
    const rows = await site.db.select().from(throttleCounters)
    const left = rows.map(({ key }) => key.replace(/\/[\w-]{22}/, '/NAME'))
    expect(left).toEqual(
      expect.arrayContaining(['account/NAME', 'site/192.0.2.1', `proof/code/${ALICE}0`]),
    )
    const [event] = (await listSiteEvents(site.deps, COMMAND_LINE, { kind: 'user_unlocked' }, page))
      .events
    expect(event).toMatchObject({ userId: ALICE, network: 'command line' })
    await expect(unlockUser(site.deps, COMMAND_LINE, 99)).rejects.toMatchObject({ code: 404 })
  })
})

const from = (network: string) => ({ headers: { 'CF-Connecting-IP': network } })

async function stops() {
  const found = await listStops(site.deps, COMMAND_LINE, ALICE)
  return found.map(({ kind, network, until }) => [kind, network, (until - site.now) / MINUTE])
}

describe('listStops', () => {
  const WRONG = { username: 'alice', password: 'wrong-Passw0rd' }

  test('names a spent counter of old passwords, and unlocking clears it', async () => {
    const token = await site.token('alice', PASSWORD)
    for (let i = 0; i < 10; i++) {
      expect(await stops()).toEqual([])
      await site.post('/api/me/confirm', { password: 'wrong-Passw0rd' }, { token })
    }
    expect(await stops()).toEqual([['old-password', '', 15]])
    await unlockUser(site.deps, COMMAND_LINE, ALICE)
    expect(await stops()).toEqual([])
  })

  test('names a spent counter of codes', async () => {
    const token = await site.token('alice', PASSWORD)
    const { secret } = (await site.post('/api/auth/2fa/generate', {}, { token })).data
    await site.post('/api/auth/2fa/verify', { code: site.code(secret), secret }, { token })
    for (let i = 0; i < 10; i++)
      await site.post(
        '/api/auth/login',
        { username: 'alice', password: PASSWORD, otp_code: '000000' },
        from(`192.0.2.${i}`),
      )
    expect(await stops()).toEqual([['code', '', 15]])
    expect((await listUsers(site.deps, COMMAND_LINE, 1, 0, { groups: ['locked'] })).total).toBe(1)
  })

  test('names a spent counter of the account, whose known networks are not stopped', async () => {
    for (let i = 0; i < 50; i++) await site.post('/api/auth/login', WRONG, from(`192.0.2.${i}`))
    expect(await stops()).toEqual([['account', '', 60]])
  })

  test('forgets a counter that a right password clears, and that of a deleted user', async () => {
    const isLocked = async () =>
      (await listUsers(site.deps, COMMAND_LINE, 1, 0, { groups: ['locked'] })).total
    for (let i = 0; i < 5; i++) await site.post('/api/auth/login', WRONG)
    expect(await isLocked()).toBe(1)
    site.now += 5 * MINUTE + 1
    expect(await isLocked()).toBe(0)
    for (let i = 0; i < 4; i++) await site.post('/api/auth/login', WRONG)
    // The fifth attempt is charged before its password is checked.
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 200 })
    expect(await stops()).toEqual([])
    for (let i = 0; i < 5; i++) await site.post('/api/auth/login', WRONG)
    expect(await isLocked()).toBe(1)
    await removeUser(site.deps, COMMAND_LINE, ALICE)
    expect(await isLocked()).toBe(0)
  })
})

const page = { limit: 100, offset: 0 }

describe('the sessions of any user', () => {
  test('are shown to operators, who may end one or all', async () => {
    const tokens = [await site.token('alice', PASSWORD), await site.token('alice', PASSWORD)]
    const root = await site.token('root', ADMIN_PASSWORD)
    const { sessions: listed } = await listSessions(site.deps, of(COMMAND_LINE, ALICE))
    expect(listed).toHaveLength(2)
    const [{ id } = { id: '' }] = listed
    await expect(endSession(site.deps, of(COMMAND_LINE, ROOT), id)).rejects.toMatchObject({
      code: 404,
    })
    await endSession(site.deps, of(COMMAND_LINE, ALICE), id)
    expect((await listSessions(site.deps, of(COMMAND_LINE, ALICE))).sessions).toHaveLength(1)
    expect(await endEverything(site.deps, of(COMMAND_LINE, ALICE))).toEqual({
      sessions: 1,
      appPasswords: 0,
    })
    expect(await endEverything(site.deps, of(COMMAND_LINE, ALICE))).toEqual({
      sessions: 0,
      appPasswords: 0,
    })
    for (const token of tokens) {
      expect(await site.get('/api/me', { token })).toMatchObject({ code: 401 })
    }
    expect(await site.get('/api/me', { token: root })).toMatchObject({ code: 200 })
    const { events } = await listSiteEvents(
      site.deps,
      COMMAND_LINE,
      { kind: 'session_ended' },
      page,
    )
    expect(events.map(({ userId, detail, network }) => [userId, detail, network])).toEqual([
      [ALICE, 'all', 'command line'],
      [ALICE, '', 'command line'],
    ])
    expect(loggedLines('"network":"command line"')).toEqual([])
    await expect(endEverything(site.deps, of(COMMAND_LINE, 99))).rejects.toMatchObject({
      code: 404,
    })
  })
})

test('ending several sessions at once is one event, and everybody’s too', async () => {
  await site.token('alice', PASSWORD)
  await site.token('alice', PASSWORD)
  expect((await endEverything(site.deps, of(COMMAND_LINE, ALICE))).sessions).toBe(2)
  const tokens = [await site.token('alice', PASSWORD), await site.token('root', ADMIN_PASSWORD)]
  expect(await endEverySession(site.deps, COMMAND_LINE)).toBe(2)
  for (const token of tokens) {
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 401 })
  }
  expect(await endEverySession(site.deps, COMMAND_LINE)).toBe(0)
  const { events } = await listSiteEvents(site.deps, COMMAND_LINE, { kind: 'session_ended' }, page)
  expect(events.map(({ userId, detail, network }) => [userId, detail, network])).toEqual([
    [null, 'everyone', 'command line'],
    [ALICE, 'all', 'command line'],
  ])
})

describe('the events of all users', () => {
  test('are the latest first, by user, kind and time', async () => {
    const row = { kind: 'sign_in', network: '', userAgent: '' }
    await site.db.insert(auditEvents).values([
      { ...row, at: 1, userId: ALICE },
      { ...row, at: 2, userId: ROOT, kind: 'key_added' },
      { ...row, at: 3, userId: 99 },
      { ...row, at: 4, userId: ALICE },
    ])
    const list = async (filter: Parameters<typeof listSiteEvents>[2], limit = 100, offset = 0) => {
      const window = { limit, offset }
      const { events, more } = await listSiteEvents(site.deps, COMMAND_LINE, filter, window)
      return [...events.map(({ at, username }) => `${at} ${username ?? ''}`), more]
    }
    expect(await list({})).toEqual(['4 alice', '3 ', '2 root', '1 alice', false])
    expect(await list({}, 2)).toEqual(['4 alice', '3 ', true])
    expect(await list({}, 2, 2)).toEqual(['2 root', '1 alice', false])
    expect(await list({ userId: ALICE })).toEqual(['4 alice', '1 alice', false])
    expect(await list({ kind: 'key_added' })).toEqual(['2 root', false])
    expect(await list({ kind: 'sign_in', since: 3 })).toEqual(['4 alice', '3 ', false])
  })

  test('are found by their time among many, though some were written late, and few are read', async () => {
    const EVENTS = 20_000
    await env.DB.prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into audit_events (at, kind, network, user_agent)
       select ? + i * 1000 - iif(i % 1000 = 0, 86400000, 0), 'key_used', '', '' from n`,
    )
      .bind(EVENTS, NOW)
      .run()
    const meter = createMeter()
    const deps = { ...site.deps, db: openDatabase(env.DB, meter) }
    const find = async (since: number) => {
      const { events } = await listSiteEvents(deps, COMMAND_LINE, { since, kind: 'key_used' }, page)
      return events.length
    }
    for (const late of [0, 1, 7, 50, 99]) {
      expect(await find(NOW + (EVENTS - late) * SECOND), `the last ${late}`).toBe(late)
    }
    expect(await find(0)).toBe(page.limit)
    expect(meter.rowsRead).toBeLessThan(EVENTS / 2)
  })
})

test('who only looks like the command line is nobody', async () => {
  const lookalike: typeof COMMAND_LINE = JSON.parse(JSON.stringify(COMMAND_LINE))
  await site.token('alice', PASSWORD)
  await expect(endEverything(site.deps, of(lookalike, ALICE))).rejects.toThrow('undefined')
  expect((await listSessions(site.deps, of(COMMAND_LINE, ALICE))).sessions).toHaveLength(1)
})

test('nobody but an admin reads or ends what is another’s', async () => {
  const alice = await actorOf('alice', PASSWORD)
  await site.login('root', 'wrong-Passw0rd')
  const isOfSignIn = notLike(throttleCounters.key, 'change/%')
  const before = await site.db.select().from(throttleCounters).where(isOfSignIn)
  for (const attempt of [
    () => listSessions(site.deps, of(alice, ALICE)),
    () => endEverything(site.deps, of(alice, ALICE)),
    () => endSession(site.deps, of(alice, ALICE), 'sessionId' in alice ? alice.sessionId : ''),
    () => endEverySession(site.deps, alice),
    () => unlockUser(site.deps, alice, ROOT),
    () => listSiteEvents(site.deps, alice, {}, page),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 403 })
  }
  expect((await listSessions(site.deps, of(COMMAND_LINE, ALICE))).sessions).toHaveLength(1)
  expect(await site.db.select().from(throttleCounters).where(isOfSignIn)).toEqual(before)
})
