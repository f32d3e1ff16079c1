import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runNightly } from '../../src/app/nightly-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { emptyStorage, resetStorage } from '../support/clean-state.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { ProgramTour } from '../support/program-tour.ts'
import { type Cost, Tour } from '../support/tour.ts'
import { watchedD1 } from '../support/watched-d1.ts'

/** Every statement that was sent on a tour. */
let statements: Set<string>
let site: CheapSite

beforeEach(async () => {
  statements = new Set()
  site = await newSite()
})

async function newSite(): Promise<CheapSite> {
  const fresh = new CheapSite({}, { DB: watchedD1((sql) => statements.add(sql)) })
  await fresh.addFirstUsers({ guestDisabled: false })
  await fresh.addUser('alice', { password: 'alice-Passw0rd' })
  return fresh
}

/** Adds users until there are about so many. */
async function addUsers(count: number): Promise<void> {
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into users (username, username_key, created_at) select 'user-' || i, 'user-' || i, 0 from n`,
  )
    .bind(count)
    .run()
}

/** Uses a session an hour after it began, and waits for the note of it. */
async function useAfterAnHour(): Promise<void> {
  const token = await site.token('admin', ADMIN_PASSWORD)
  site.now += HOUR
  await site.get('/api/me', { token })
  await site.settle()
}

/** Signs alice in. @returns The rows that this has read. */
async function rowsOfSignIn(): Promise<number> {
  await site.token('alice', 'alice-Passw0rd')
  return site.meter.rowsRead
}

const find = (costs: Cost[], call: string, code = 200) =>
  costs.filter((cost) => cost.call === call && cost.code === code)

describe('what a request costs', () => {
  test('in round trips to D1', async () => {
    const costs = await Tour.of(site)
    const trips = (call: string, code?: number) =>
      find(costs, call, code).map(({ roundTrips }) => roundTrips)
    expect(trips('GET /ping')).toEqual([0])
    expect(trips('GET /api/public/settings').at(-1), 'warm').toBe(0)
    expect(trips('GET /api/me'), 'guest and user').toEqual([1, 1])
    expect(trips('GET /api/me', 401)).toEqual([1])
    expect(trips('GET /api/me/sshkey/list')).toEqual([1])
    expect(trips('POST /api/me/sshkey/add')).toEqual([1, 1])
    expect(trips('POST /api/me/sshkey/delete')).toEqual([1])
    expect(trips('GET /api/authn/webauthn_begin_login').slice(0, 3), 'without a name').toEqual([
      0, 0, 0,
    ])
    expect(trips('GET /api/authn/webauthn_begin_login').slice(3, 6), 'with one').toEqual([1, 1, 1])
    expect(trips('POST /api/authn/webauthn_finish_login')).toEqual([2])
    expect(trips('GET /api/me/sessions')).toEqual([1])
    expect(trips('GET /api/me/events')).toEqual([1])
    expect(trips('GET /api/auth/logout')).toEqual([1])
    expect(trips('POST /api/auth/2fa/generate')).toEqual([1])
    expect(trips('POST /api/auth/2fa/verify')).toEqual([2])
    expect(trips('POST /api/me/confirm'), 'passkey, password').toEqual([2, 2])
    expect(trips('POST /api/me/confirm', 403), 'passkey, clone, password').toEqual([2, 3, 2])
    for (const count of trips('POST /api/auth/login')) expect(count).toBe(2)
    expect(trips('POST /api/auth/login', 401)).toEqual([2, 2])
  })

  test('no more rows read at a sign-in when its user has more events', async () => {
    await rowsOfSignIn()
    const few = await rowsOfSignIn()
    for (let i = 0; i < 30; i++) await rowsOfSignIn()
    expect(await rowsOfSignIn()).toBeLessThanOrEqual(few)
  })

  test('once an hour one row more, after the answer', async () => {
    await useAfterAnHour()
    const { roundTrips, rowsWritten } = site.meter
    expect([roundTrips, rowsWritten]).toEqual([2, 1])
  })
})

const rows = (costs: Cost[], call: string) => find(costs, call)[0]?.rowsRead ?? NaN

/** The statements that may read along a whole table, and why. */
const SCANS: Record<string, string> = {
  // As many rows as an operator changed settings: one for each setting at most.
  'select "key", "value" from "settings"': 'SCAN settings',
  // Once a night; an index of times would be a row more to write for each sign-in.
  'delete from "sessions" where "sessions"."expires_at" <= ?': 'SCAN sessions',
  'delete from "file_users" where "file_users"."gone_at" < ?': 'SCAN file_users',
  'delete from "app_passwords" where "app_passwords"."expires_at" <= ?': 'SCAN app_passwords',
  'delete from "throttle_counters" where "throttle_counters"."expires_at" <= ? and "throttle_counters"."charged_at" <= ?':
    'SCAN throttle_counters',
  'delete from "used_challenges" where "used_challenges"."expires_at" <= ?': 'SCAN used_challenges',
  // An operator's list has a total.
  'select count(*) from "users"': 'SCAN users USING COVERING INDEX users_ends_at',
  // One row for each migration.
  'select name from d1_migrations order by id': 'SCAN d1_migrations',
}
/** A page of a list in the order of its table: its limit ends the scan. */
const PAGES: [sql: RegExp, scan: string][] = [
  [
    /^select "id" from "notice_channels" limit 1$/,
    'SCAN notice_channels USING COVERING INDEX notice_channels_user',
  ],
  [/ from "users" order by "users"."id"( asc)? limit \?$/, 'SCAN users'],
  [/ from "audit_events" .* order by "audit_events"."id" desc limit \?$/s, 'SCAN audit_events'],
  // The list of a door that has not the current one.
  [/ from "users" where .*from json_each.* order by "users"."id" asc$/s, 'SCAN users'],
  [
    /^select "group_id", "user_id" from "group_members" where .*json_each/s,
    'SCAN group_members USING COVERING INDEX group_members_user',
  ],
  [
    /^select count\(\*\) from \(select "id" from "users" limit \?\) "found"$/,
    'SCAN users USING COVERING INDEX users_ends_at',
  ],
]
/** Has the rows of the list and no others. */
const PARTIAL_INDEX =
  /^SCAN users USING (COVERING )?INDEX users_(disabled|without_two_factor|waiting)$/
/** A part of a name can stand anywhere in it, so an operator's search reads every name. */
const SEARCH = /where \(instr\("users"."username_key", \?\) > 0/
/**
 * Tables of a few rows: the version of the list of accounts, the groups, the signing keys, the
 * programs of the site, names that were freed, and the writes and requests to the file server that
 * go on.
 */
const FEW_ROWS =
  /^SCAN (account_list|groups|file_leases|file_requests|openid_keys|later|openid_clients|reserved_names)\b/
/**
 * Only an operator who deletes a program looks for what users allowed it. An index would cost a row
 * for each.
 */
const OF_DELETED_PROGRAM = /^SCAN openid_consents$/
/** Once a night. */
const NIGHTLY = /^delete from "openid_(grants|logouts)"/
/** What stands in the statement itself and in no table. */
const NO_TABLE =
  /^SCAN ((json_each|part|kept|charged|uri|place)( EXISTS)? VIRTUAL TABLE INDEX \d+:|CONSTANT ROW|place|found|sample|span|stop|\(subquery-\d+\))$/

/**
 * A parameter that is compared with a column in the condition of a partial index. Its value can
 * decide whether the index serves, so SQLite compiles the statement again for each run.
 */
const COMPILED_AGAIN =
  /"users"."disabled" = \?|"users"."role" <> \?|"audit_events"."kind" (=|in|not in) \(?\?/
/** The kind of events that a reader asks for, in the condition of a list. */
const ASKED_KIND = /(?<= from "audit_events" .*where .*)"audit_events"."kind" = \?/s

const isCompiledAgain = (sql: string) => COMPILED_AGAIN.test(sql.replace(ASKED_KIND, ''))

describe('every statement', () => {
  test('finds its rows by an index, and is compiled once', async () => {
    await Tour.of(site)
    await ProgramTour.of(site)
    await useAfterAnHour()
    await runNightly(site.deps)
    expect(statements.size).toBeGreaterThan(100)
    expect(Array.from(statements).filter(isCompiledAgain)).toEqual([])
    for (const sql of statements) {
      const parameters = Array.from(sql.matchAll(/\?/g), () => null)
      const plan = env.DB.prepare(`explain query plan ${sql}`).bind(...parameters)
      const { results } = await plan.all<{ detail: string }>()
      const scans = results
        .map(({ detail }) => detail)
        .filter((detail) => /\bSCAN\b/.test(detail))
        .filter((detail) => !NO_TABLE.test(detail) && !PARTIAL_INDEX.test(detail))
        .filter((detail) => !FEW_ROWS.test(detail))
        .filter((detail) => !(OF_DELETED_PROGRAM.test(detail) && / "openid_clients" /.test(sql)))
      const allowed = PAGES.find(([page]) => page.test(sql))?.[1] ?? SCANS[sql]
      expect(
        SEARCH.test(sql) || NIGHTLY.test(sql) ? [] : scans.filter((scan) => scan !== allowed),
        sql,
      ).toEqual([])
    }
  })
})

/** What reads along a table shows at this size; `npm run bench` goes on to a million users. */
const MANY_USERS = 100_000

describe('from a hundred users to a hundred thousand', () => {
  // The next test would wait longer for so many rows to be deleted.
  afterEach(resetStorage)

  test('no request but the lists of all users reads or writes a row more', async () => {
    await addUsers(100)
    const few = await Tour.of(site)
    const list = 'GET /api/admin/user/list'
    const ofDoor = 'GET /api/ldap/entries'
    const page = 'GET /account/admin/users?'
    const withoutTwoFactor = `${page}group=without-two-factor`
    const search = `${page}search=lic`
    const state = 'GET /account/admin'
    await emptyStorage()
    const larger = await newSite()
    await addUsers(MANY_USERS)
    const many = await Tour.of(larger)
    const others = (costs: Cost[]) =>
      costs
        .filter(({ call }) => ![list, page, withoutTwoFactor, search, state].includes(call))
        .filter(({ call, code }) => call !== ofDoor || code === 304)
    expect(others(many)).toEqual(others(few))
    expect(rows(many, list) - rows(few, list), 'its total counts them').toBe(MANY_USERS - 100)
    expect(rows(many, ofDoor) - rows(few, ofDoor), 'lists them').toBe(MANY_USERS - 100)
    for (const call of [page, withoutTwoFactor]) {
      expect(rows(few, call), call).toBeLessThan(400)
      expect(rows(many, call), 'counts up to its limit').toBeLessThan(10_400)
    }
    expect(rows(many, state), 'counts up to its limit').toBeLessThan(rows(few, state) + 2000)
    expect(rows(many, search), 'reads every name for the page and the count').toBeLessThan(
      2 * MANY_USERS + 500,
    )
  })
})

/**
 * Sign-ins at one program: of the session that asks, of the same user elsewhere, and of other
 * users.
 */
const GRANTS = { ofSession: 1000, ofUser: 4000, ofOthers: 5000 }

async function addGrants(clientId: string, sessionId: string): Promise<void> {
  await addUsers(100)
  const { ofSession, ofUser, ofOthers } = GRANTS
  const statement = env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
     insert into openid_grants (id, issuer, client_id, user_id, session_id, scope, redirect_uri, auth_time, amr,
       code_hash, code_expires_at, used, created_at, access_hash, access_expires_at)
     select 'grant-' || i, 'http://localhost', ?, iif(i <= ?, 1, 10 + i % 90), iif(i <= ?, ?, 'session-' || i),
       'openid', 'https://files.example.org', 0, 'pwd', 'x' || i, 0, 1, i, 'y' || i, ? from n`,
  )
  const total = ofSession + ofUser + ofOthers
  await statement
    .bind(total, clientId, ofSession + ofUser, ofSession, sessionId, site.now + HOUR)
    .run()
}

test('from one sign-in at a program to ten thousand, no request but the sign-out costs more', async () => {
  const few = await ProgramTour.of(site)
  await emptyStorage()
  const many = await ProgramTour.of(await newSite(), { fill: addGrants })
  const signOut = 'GET /oauth/end_session'
  const others = (costs: Cost[]) => costs.filter(({ call }) => call !== signOut)
  const withoutRead = (costs: Cost[]) => others(costs).map((cost) => ({ ...cost, rowsRead: 0 }))
  expect(withoutRead(many)).toEqual(withoutRead(few))
  // One row more or less: ids are random, and a search ends at the row after the last it wants.
  for (const [i, { call, rowsRead }] of others(few).entries()) {
    expect(Math.abs((others(many)[i]?.rowsRead ?? 0) - rowsRead), call).toBeLessThanOrEqual(1)
  }
  const refused = few.filter(({ code }) => code >= 400).map(({ call, code }) => `${call} ${code}`)
  expect(refused, 'a wrong token, and one used twice').toEqual([
    'GET /oauth/userinfo 401',
    'POST /oauth/token 400',
  ])
  expect(find(few, 'POST /oauth/token').map(({ roundTrips }) => roundTrips)).toEqual([
    1, 1, 1, 1, 1,
  ])
  // The grant, the user, its groups and the session, and the setting that may demand a second factor.
  expect(find(many, 'GET /oauth/userinfo').map(({ rowsRead }) => rowsRead)).toEqual([8])
  // The trigger of migration 0011 ends what programs got in the session, and reads nothing else.
  const perRow = (rows(many, signOut) - rows(few, signOut)) / GRANTS.ofSession
  expect(perRow).toBeLessThan(10)
})
