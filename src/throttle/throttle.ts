import { and, desc, eq, gt, inArray, notExists, type SQL, sql } from 'drizzle-orm'
import { throttleCounters } from '../../schema/tables.ts'
import { logEvent } from '../audit/events.ts'
import type { Database, Deps } from '../deps.ts'
import { type Client, siteOf } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { selectKnown } from './known-networks.ts'
import { blockOf, endOf, figuresOf, isSpent, type LimitName, LIMITS } from './limits.ts'
import { countRefusals } from './refused.ts'

/**
 * An attempt is settled sooner, or its request has died. Until then an attempt that it keeps out
 * waits; after that it is a failure as any other.
 */
const IN_FLIGHT_MILLISECONDS = 10_000

/** A row of `throttle_counters`. */
interface Counter {
  limit: LimitName
  key: string
  /** The keys of counters within it that are charged with it: together they are one row written. */
  parts?: Record<'network' | 'pair', string>
}

/** What one attempt to sign in is counted against. */
export interface SignInCounters {
  counters: [site: Counter, account: Counter]
  parts: Record<'network' | 'pair', string>
  username: string
  network: string
}

/** @param nameHash Keyed hash of the user name, known or not. */
export function signInCounters(
  username: string,
  nameHash: string,
  network: string,
): SignInCounters {
  const parts = { network: `network/${network}`, pair: `pair/${nameHash}/${network}` }
  return {
    counters: [{ ...counter('site', siteOf(network)), parts }, counter('account', nameHash)],
    parts,
    username,
    network,
  }
}

/** What wrong codes of a user are counted against, at sign-in and after it. */
export function codeCounter(userId: number): Counter {
  return counter('proof', `code/${userId}`)
}

/**
 * What wrong old passwords are counted against: apart from codes, so that a thief can't use up the
 * owner's.
 */
export function oldPasswordCounter(userId: number): Counter {
  return counter('proof', `old-password/${userId}`)
}

function counter(limit: LimitName, owner: string): Counter {
  return { limit, key: `${limit}/${owner}` }
}

/**
 * Charges an attempt before anything is known of it, so that of attempts made at once no more get
 * through than of attempts made in turn. A row comes back for each row charged; none when any
 * counter blocks, and then none is charged: who tries while blocked waits no longer for it.
 */
export function chargeSignIn(db: Database, signIn: SignInCounters, now: number) {
  return charge(db, signIn.counters, now, isSignInOpen(db, signIn, now))
}

/** As `chargeSignIn`, for one counter; `when` may ask for a live session too. */
export function chargeProof(db: Database, proof: Counter, now: number, when?: SQL) {
  return charge(db, [proof], now, and(isProofOpen(db, proof, now), when))
}

function charge(db: Database, counters: readonly Counter[], now: number, when: SQL | undefined) {
  const rows = counters.map((row) => [row.key, endAfter(row, now), newParts(row, now)])
  const { key, failures, expiresAt } = throttleCounters
  const isOver = sql`coalesce(${endOf(throttleCounters)} <= ${now}, true)`
  const charged = sql`
    select charged.value ->> 0, iif(${isOver}, 1, ${failures} + 1),
      iif(${isOver}, charged.value ->> 1, ${expiresAt}), ${now}, ${chargedParts(isOver, now)}
    from json_each(${JSON.stringify(rows)}) as charged
    left join ${throttleCounters} on ${key} = charged.value ->> 0 where ${when}`
  return db
    .insert(throttleCounters)
    .select(charged)
    .onConflictDoUpdate({
      target: key,
      set: {
        failures: sql`excluded.failures`,
        expiresAt: sql`excluded.expires_at`,
        chargedAt: sql`excluded.charged_at`,
        parts: sql`excluded.parts`,
      },
    })
    .returning({ key })
}

function endAfter({ limit }: Counter, now: number): number {
  return now + LIMITS[limit].seconds * 1000
}

/** The parts of a row that was not there. */
function newParts({ parts }: Counter, now: number): Record<string, [number, number, number]> {
  if (parts === undefined) return {}
  return {
    [parts.network]: [1, endAfter(counter('network', ''), now), now],
    [parts.pair]: [1, endAfter(counter('pair', ''), now), now],
  }
}

/**
 * The parts of a row that is charged. Where the row begins anew, those that count no longer go: so
 * it never holds many more than it allows failures.
 */
function chargedParts(isOver: SQL, now: number): SQL {
  const parts = sql`coalesce(${throttleCounters.parts}, '{}')`
  const kept = figuresOf(sql`kept.key`, sql`kept.value`)
  const live = sql`select json_group_object(kept.key, json(kept.value)) from json_each(${parts}) as kept where ${endOf(kept)} > ${now}`
  const old = figuresOf(sql`fresh.key`, sql`fresh.old`)
  const again = sql`json_array(${old.failures} + 1, ${old.expiresAt}, ${now})`
  const next = sql`iif(coalesce(${endOf(old)}, 0) <= ${now}, fresh.value, ${again})`
  const fresh = sql`select key, value, ${parts} -> ('$."' || key || '"') as old from json_each(charged.value, '$[2]')`
  const changed = sql`select json_group_object(fresh.key, json(${next})) from (${fresh}) as fresh`
  return sql`json_patch(iif(${isOver}, (${live}), ${parts}), (${changed}))`
}

/**
 * The counters that block a sign-in, the one that does so longest first; and whether that may be
 * over as soon as the attempts in flight are settled.
 */
export function selectSignInBlocks(db: Database, signIn: SignInCounters, now: number) {
  const until = blockOfSignIn(db, signIn, now)
  return selectBlocks(db, signIn.counters, now, until, hasInFlight(db, signIn, now))
}

export function selectProofBlocks(db: Database, proof: Counter, now: number) {
  return selectBlocks(db, [proof], now)
}

function selectBlocks(
  db: Database,
  counters: readonly Counter[],
  now: number,
  until = blockOf(throttleCounters),
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

function isSignInOpen(db: Database, signIn: SignInCounters, now: number): SQL {
  const until = blockOfSignIn(db, signIn, now)
  return sql`not exists (select 1 from ${rowsOf(signIn.counters)} where ${until} > ${now})`
}

/** Holds while a counter doesn't block. */
export function isProofOpen(db: Database, proof: Counter, now: number): SQL {
  const isBlocking = and(isOneOf([proof]), sql`${blockOf(throttleCounters)} > ${now}`)
  const { key } = throttleCounters
  return notExists(db.select({ key }).from(throttleCounters).where(isBlocking))
}

/** The rows of counters, under the name of the table, with their parts of this attempt. */
function rowsOf(counters: readonly Counter[]): SQL {
  const { network = '', pair = '' } = counters.find(({ parts }) => parts)?.parts ?? {}
  const { parts } = throttleCounters
  return sql`(select *, ${network} as network_key, ${parts} -> ${pathOf(network)} as of_network,
    ${pair} as pair_key, ${parts} -> ${pathOf(pair)} as of_pair
    from ${throttleCounters} where ${isOneOf(counters)}) as ${throttleCounters}`
}

/** SQLite's path to a part: networks and hashes have no quotation mark. */
const pathOf = (part: string) => `$."${part}"`

const OF_NETWORK = figuresOf(sql`network_key`, sql`of_network`)
const OF_PAIR = figuresOf(sql`pair_key`, sql`of_pair`)

/** Until when one of `rowsOf` blocks a sign-in; in the past when it doesn't. */
function blockOfSignIn(db: Database, { username, network }: SignInCounters, now: number): SQL {
  const known = selectKnown(db, username, network, now)
  const ofRow = blockOf(throttleCounters)
  // Only the site's and the account's leave the networks alone that the user is known from.
  const ofStranger = sql`iif(${ofRow} > ${now} and ${notExists(known)}, ${ofRow}, 0)`
  return sql`max(${ofStranger}, coalesce(${blockOf(OF_NETWORK)}, 0), coalesce(${blockOf(OF_PAIR)}, 0))`
}

/**
 * Holds in the row of a site while an attempt from there is charged, and neither paid back nor
 * written down as refused. The event of the refusal is what tells: a second write to the counter
 * would tell no more.
 */
function hasInFlight(db: Database, { counters: [site], network }: SignInCounters, now: number) {
  const { key, failures, chargedAt } = throttleCounters
  const mayBe = and(eq(key, site.key), gt(chargedAt, now - IN_FLIGHT_MILLISECONDS))
  const refused = countRefusals(db, network)
  return sql`iif(${mayBe}, ${failures} > (${refused}), false)`
}

/**
 * Lets a counter that is spent block for its full time from now on. A charge does that by itself;
 * this is for a failure that is noticed long after it.
 */
export function confirmFailure(db: Database, counters: readonly Counter[], now: number) {
  return db
    .update(throttleCounters)
    .set({ chargedAt: now })
    .where(and(isOneOf(counters), isSpent(throttleCounters)))
}

/**
 * Takes back what a charge counted: this attempt was no failure. `when` may make it depend on a
 * session.
 */
export function payBack(db: Database, counters: readonly Counter[], when?: SQL) {
  return takeBack(db, counters, when)
}

/** As `payBack`, after a sign-in: the account's failures from this network are forgotten as well. */
export function payBackSignIn(db: Database, { counters }: SignInCounters, when: SQL) {
  return takeBack(db, counters, when, sql`null`)
}

/** @param restOfPair What becomes of the pair; null: it goes. */
function takeBack(
  db: Database,
  counters: readonly Counter[],
  when: SQL | undefined,
  restOfPair?: SQL,
) {
  const { key, failures, parts } = throttleCounters
  const cases = counters.flatMap(({ key: own, parts: charged }) => {
    if (charged === undefined) return []
    const ofPair = restOfPair ?? withoutCharge(charged.pair)
    const change = sql`json_object(${charged.network}, ${withoutCharge(charged.network)}, ${charged.pair}, ${ofPair})`
    return sql` when ${own} then json_patch(${parts}, ${change})`
  })
  return db
    .update(throttleCounters)
    .set({
      failures: sql`max(0, ${failures} - 1)`,
      ...(cases.length > 0 && { parts: sql`case ${key}${sql.join(cases)} else ${parts} end` }),
    })
    .where(and(isOneOf(counters), when))
}

/** A part with a failure less; null when none is left. */
function withoutCharge(part: string): SQL {
  const { parts } = throttleCounters
  const [path, ofFailures] = [pathOf(part), `${pathOf(part)}[0]`]
  return sql`iif(${parts} ->> ${ofFailures} > 1, json_set(${parts} -> ${path}, '$[0]', (${parts} ->> ${ofFailures}) - 1), null)`
}

/** Forgets the failures of a counter: whoever knows the answer need not fear the earlier ones. */
export function clearCounter(db: Database, proof: Counter, when?: SQL) {
  return db.delete(throttleCounters).where(and(eq(throttleCounters.key, proof.key), when))
}

function isOneOf(counters: readonly Counter[]) {
  return inArray(
    throttleCounters.key,
    counters.map(({ key }) => key),
  )
}

/**
 * Forgets all failures that were counted against one account, those of its codes and old passwords
 * too; what a network has failed at elsewhere stays.
 *
 * @param nameHash Keyed hash of the user name.
 */
export function clearAccountCounters(db: Database, userId: number, nameHash: string, when: SQL) {
  const own = [counter('account', nameHash), codeCounter(userId), oldPasswordCounter(userId)]
  return db
    .delete(throttleCounters)
    .where(and(isOneOf(own), when))
    .returning({ key: throttleCounters.key })
}

/** As `clearAccountCounters`, for the pairs of the account; a row comes back for each site. */
export function clearPairs(db: Database, nameHash: string, when: SQL) {
  const { key, parts } = throttleCounters
  const pairs = `pair/${nameHash}/`
  const rest = sql`select json_group_object(part.key, json(part.value)) from json_each(${parts}) as part where instr(part.key, ${pairs}) <> 1`
  // `0` is the character after `/`: every row of a site, found by the primary key.
  const isSite = sql`${key} >= 'site/' and ${key} < 'site0'`
  return db
    .update(throttleCounters)
    .set({ parts: sql`(${rest})` })
    .where(and(isSite, sql`instr(${parts}, ${`"${pairs}`}) > 0`, when))
    .returning({ key })
}

/** The longest that a row counts after it was last charged. */
const MAX_BLOCK_MILLISECONDS = LIMITS.proof.blockSeconds * 1000

/** Forgets what counts no longer. */
export function pruneCounters(db: Database, now: number) {
  const { expiresAt, chargedAt } = throttleCounters
  const isOver = sql`${expiresAt} <= ${now} and ${chargedAt} <= ${now - MAX_BLOCK_MILLISECONDS}`
  return db.delete(throttleCounters).where(isOver)
}

/** @param blocks What blocked in the batch in which the charge was refused. */
export function tooManyAttempts(blocks: { expiresAt: number }[], now: number): Refusal {
  const until = blocks[0]?.expiresAt ?? now
  const retryAfterSeconds = Math.max(1, Math.ceil((until - now) / 1000))
  return new Refusal('tooManyAttempts', { retryAfterSeconds })
}

/** How long the gate counts, and so how long it may stay closed. */
const GATE_SECONDS = 60

/**
 * A first, cheap gate. It counts loosely and per location; where it fails, the counters decide
 * alone.
 */
export async function passGate(
  deps: Pick<Deps, 'limitSignIns' | 'now'>,
  client: Client,
): Promise<void> {
  const isOpen = await deps.limitSignIns(client.network).catch(() => true)
  if (isOpen) return
  logEvent({ ...client, at: deps.now(), kind: 'sign_in_refused', detail: 'gate' })
  throw new Refusal('tooManyAttempts', { retryAfterSeconds: GATE_SECONDS })
}
