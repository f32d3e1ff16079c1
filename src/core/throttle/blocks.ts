import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { throttleCounters } from '../../../schema/tables.ts'
import { rendered } from '../database/rendered.ts'
import type { Database } from '../deps.ts'
import { pathOf } from '../database/json-path.ts'
import { type Counter, IN_FLIGHT_MILLISECONDS, type SignInCounters } from './counters.ts'
import { isOneOf } from './counter-rows.ts'
import { isKnownNetwork } from './known-networks.ts'
import { blockOf, figuresOf } from './limits.ts'
import { countRefusals } from './refused.ts'

/**
 * Selects the counters that block a sign-in, the longest block first. `isInFlight` means that the
 * block may end when the attempts in flight are decided.
 */
export function selectSignInBlocks(db: Database, signIn: SignInCounters, now: number) {
  const until = blockOfSignIn(signIn, now)
  return selectBlocks(db, signIn.counters, now, until, hasInFlight(db, signIn, now))
}

/** Selects the counters that block, the longest block first; no row while `areOpen` holds. */
export function selectBlocks(
  db: Database,
  counters: readonly Counter[],
  now: number,
  until = BLOCK_OF_ROW,
  isInFlight = sql`false`,
) {
  return db
    .select({
      expiresAt: sql<number>`blocked_until`.as('expires_at'),
      isInFlight: sql`is_in_flight`.mapWith(Boolean).as('in_flight'),
    })
    .from(
      sql`(select ${until} as blocked_until, ${isInFlight} as is_in_flight from ${rowsOf(counters)})`,
    )
    .where(sql`blocked_until > ${now}`)
    .orderBy(desc(sql`blocked_until`))
}

/** Holds when no counter blocks. `selectBlocks` then returns no row. */
export function areOpen(counters: readonly Counter[], now: number): SQL {
  return sql`not exists (select 1 from ${rowsOf(counters)} where ${BLOCK_OF_ROW} > ${now})`
}

/** Holds when no counter blocks the sign-in. */
export function isSignInOpen(signIn: SignInCounters, now: number): SQL {
  const until = blockOfSignIn(signIn, now)
  return sql`not exists (select 1 from ${rowsOf(signIn.counters)} where ${until} > ${now})`
}

/**
 * Selects the rows of counters, under the name of the table, with the parts that this attempt
 * charges.
 */
function rowsOf(counters: readonly Counter[]): SQL {
  const { network = '', pair = '' } = counters.find(({ parts }) => parts)?.parts ?? {}
  const { parts } = throttleCounters
  return sql`(select *, ${parts} -> ${pathOf(network)} as of_network, ${parts} -> ${pathOf(pair)} as of_pair
    from ${throttleCounters} where ${isOneOf(counters)}) as ${throttleCounters}`
}

/** The ends of the blocks of a row of `rowsOf`, and of its parts; 0 where nothing blocks. */
export const BLOCK_OF_ROW = rendered(() => blockOf(throttleCounters))
/** The same of a row that a sign-in charges. */
const BLOCK_AT_SIGN_IN = rendered(() => {
  const { key, failures, expiresAt, chargedAt } = throttleCounters
  return blockOf({ key, failures, expiresAt, chargedAt, limits: ['site', 'account'] })
})
const BLOCK_OF_NETWORK = blockOfPart('network')
const BLOCK_OF_PAIR = blockOfPart('pair')

function blockOfPart(name: 'network' | 'pair'): SQL {
  const block = () => blockOf(figuresOf(name, sql.raw(`of_${name}`)))
  // With null, `max` would forget the other blocks of the row.
  return rendered(() => sql`coalesce(${block()}, 0)`)
}

/** Returns the end of the longest block of a sign-in, also one that leaves out known networks. */
export function blockOfStranger({ counters }: SignInCounters): SQL {
  return sql`(select max(max(${BLOCK_AT_SIGN_IN}, ${BLOCK_OF_NETWORK}, ${BLOCK_OF_PAIR})) from ${rowsOf(counters)})`
}

/** Returns the end of the block of a row of `rowsOf`. It is in the past when the row doesn't block. */
function blockOfSignIn(signIn: SignInCounters, now: number): SQL {
  // The counters of site and account don't block the user's known networks.
  const ofStranger = sql`iif(${BLOCK_AT_SIGN_IN} > ${now} and not ${isKnownNetwork(signIn, now)}, ${BLOCK_AT_SIGN_IN}, 0)`
  return sql`max(${ofStranger}, ${BLOCK_OF_NETWORK}, ${BLOCK_OF_PAIR})`
}

/**
 * Holds in the row of a site while an attempt from there is open: charged, but not paid back and
 * not yet recorded as refused. The event of the refusal decides this, which saves a second write to
 * the counter.
 */
function hasInFlight(db: Database, { counters: [site], network }: SignInCounters, now: number) {
  const { key, failures, chargedAt } = throttleCounters
  const mayBe = and(eq(key, site.key), gt(chargedAt, now - IN_FLIGHT_MILLISECONDS))
  const refused = countRefusals(db, network)
  return sql`iif(${mayBe}, ${failures} > (${refused}), false)`
}
