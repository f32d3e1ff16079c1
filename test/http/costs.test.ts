import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { runNightly } from '../../src/nightly-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { emptyStorage } from '../support/clean-state.ts'
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
    expect(trips('GET /api/me/sessions')).toEqual([1])
    expect(trips('GET /api/me/events')).toEqual([1])
    expect(trips('GET /api/auth/logout')).toEqual([1])
    expect(trips('POST /api/auth/2fa/generate')).toEqual([1])
    expect(trips('POST /api/auth/2fa/verify')).toEqual([2])
    expect(trips('POST /api/me/confirm')).toEqual([2])
    expect(trips('POST /api/me/confirm', 403)).toEqual([2])
    for (const count of trips('POST /api/auth/login')) expect(count).toBe(2)
    expect(trips('POST /api/auth/login', 401)).toEqual([2, 2])
  })
})

/** The statements that may read along a whole table, and why. */
const SCANS: Record<string, string> = {
  // As many rows as an operator changed settings: one for each setting at most.
  'select "key", "value" from "settings"': 'SCAN settings',
  // Once a night; an index of times would be a row more to write for each sign-in.
  'delete from "sessions" where ("sessions"."expires_at" <= ? and true)': 'SCAN sessions',
  'delete from "throttle_counters" where ("throttle_counters"."expires_at" <= ? and "throttle_counters"."charged_at" <= ? and true)':
    'SCAN throttle_counters',
  // An operator's list has a total.
  'select count(*) from "users"': 'SCAN users USING COVERING INDEX users_role',
}
/** A page of users in the order of the table: its limit ends the scan. */
const PAGE_OF_USERS = / from "users" order by "users"."id" limit \?$/
/** What stands in the statement itself and in no table. */
const NO_TABLE =
  /^SCAN ((json_each|part|kept|charged) VIRTUAL TABLE INDEX \d+:|CONSTANT ROW|place|\(subquery-\d+\))$/

describe('every statement', () => {
  test('finds its rows by an index', async () => {
    await Tour.of(site)
    await runNightly(site.deps)
    expect(statements.size).toBeGreaterThan(60)
    for (const sql of statements) {
      const parameters = Array.from(sql.matchAll(/\?/g), () => null)
      const plan = env.DB.prepare(`explain query plan ${sql}`).bind(...parameters)
      const { results } = await plan.all<{ detail: string }>()
      const scans = results
        .map(({ detail }) => detail)
        .filter((detail) => /\bSCAN\b/.test(detail) && !NO_TABLE.test(detail))
      const allowed = PAGE_OF_USERS.test(sql) ? 'SCAN users' : SCANS[sql]
      expect(
        scans.filter((scan) => scan !== allowed),
        sql,
      ).toEqual([])
    }
  })
})

describe('from a hundred users to a million', () => {
  test('no request but the list of all users reads or writes a row more', async () => {
    await addUsers(100)
    const few = await Tour.of(site)
    const list = 'GET /api/admin/user/list'
    await emptyStorage()
    const larger = await newSite()
    await addUsers(1_000_000)
    const many = await Tour.of(larger)
    const others = (costs: Cost[]) => costs.filter(({ call }) => call !== list)
    expect(others(many)).toEqual(others(few))
    const [before, after] = [few, many].map((costs) => find(costs, list)[0]?.rowsRead ?? 0)
    expect((after ?? 0) - (before ?? 0), 'its total counts them').toBe(999_900)
  })
})
