import { and, desc, eq, gt, gte, inArray, lt, notExists, or, type SQL, sql } from 'drizzle-orm'
import { auditEvents, throttleCounters, users } from '../../schema/tables.ts'
import { logEvent } from '../audit/events.ts'
import type { Database, Deps } from '../deps.ts'
import type { Client } from '../network.ts'
import { Refusal } from '../refusals.ts'
import { isNamed } from '../users/store.ts'

/** How many failures a counter allows, and for how long from the first on it counts them. */
interface Limit {
  failures: number
  seconds: number
}

const LIMITS = {
  /** One account from one network: somebody guesses, or has forgotten. */
  pair: { failures: 5, seconds: 5 * 60 },
  /** One network over all accounts: somebody tries a list. */
  network: { failures: 30, seconds: 5 * 60 },
  /**
   * One account from anywhere: a botnet. From here on only networks that its user is known from may
   * try.
   */
  account: { failures: 50, seconds: 60 * 60 },
  /** Codes and old passwords of one user, whose password or session is in the wrong hands. */
  proof: { failures: 10, seconds: 15 * 60 },
} as const satisfies Record<string, Limit>

type LimitName = keyof typeof LIMITS

/** How long a network stays known after a sign-in. */
const KNOWN_NETWORK_MILLISECONDS = 30 * 24 * 60 * 60 * 1000

/** A row of `throttle_counters`: which limit, whose failures. */
interface Counter {
  limit: LimitName
  key: string
}

/** What one attempt to sign in is counted against. */
export interface SignInCounters {
  counters: [pair: Counter, network: Counter, account: Counter]
  username: string
  network: string
}

/** @param nameHash Keyed hash of the user name, known or not. */
export function signInCounters(
  username: string,
  nameHash: string,
  network: string,
): SignInCounters {
  return {
    counters: [
      counter('pair', `${nameHash}/${network}`),
      counter('network', network),
      counter('account', nameHash),
    ],
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
 * through than of attempts made in turn. A row comes back for each counter charged; none when any
 * of them blocks, and then none is charged: who tries while blocked waits no longer for it.
 */
export function chargeSignIn(db: Database, signIn: SignInCounters, now: number) {
  return charge(db, signIn.counters, now, { blocks: blocksFor(db, signIn, now) })
}

/** As `chargeSignIn`, for one counter; `when` may ask for a live session too. */
export function chargeProof(db: Database, proof: Counter, now: number, when?: SQL) {
  return charge(db, [proof], now, { when })
}

function charge(
  db: Database,
  counters: Counter[],
  now: number,
  { blocks, when }: { blocks?: SQL; when?: SQL | undefined },
) {
  const rows = counters.map(({ limit, key }) => [key, now + LIMITS[limit].seconds * 1000])
  const { key, failures, expiresAt } = throttleCounters
  const blocking = db
    .select({ key })
    .from(throttleCounters)
    .where(and(isSpent(counters, now), blocks))
  const isOver = sql`${expiresAt} <= ${now}`
  return db
    .insert(throttleCounters)
    .select(
      sql`select value ->> 0, 1, value ->> 1 from json_each(${JSON.stringify(rows)}) where ${and(notExists(blocking), when)}`,
    )
    .onConflictDoUpdate({
      target: key,
      set: {
        failures: sql`case when ${isOver} then 1 else ${failures} + 1 end`,
        expiresAt: sql`case when ${isOver} then excluded.expires_at else ${expiresAt} end`,
      },
    })
    .returning({ key })
}

/** The counters that block a sign-in, the one that does so longest first. */
export function selectSignInBlocks(db: Database, signIn: SignInCounters, now: number) {
  return selectBlocks(db, signIn.counters, now, blocksFor(db, signIn, now))
}

export function selectProofBlocks(db: Database, proof: Counter, now: number) {
  return selectBlocks(db, [proof], now)
}

function selectBlocks(db: Database, counters: Counter[], now: number, blocks?: SQL) {
  return db
    .select({ expiresAt: throttleCounters.expiresAt })
    .from(throttleCounters)
    .where(and(isSpent(counters, now), blocks))
    .orderBy(desc(throttleCounters.expiresAt))
}

/** A spent counter of the account does not block the networks that its user is known from. */
function blocksFor(db: Database, { username, network }: SignInCounters, now: number): SQL {
  const known = db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .innerJoin(users, eq(users.id, auditEvents.userId))
    .where(
      and(
        isNamed(username),
        eq(auditEvents.kind, 'sign_in'),
        eq(auditEvents.network, network),
        gt(auditEvents.at, now - KNOWN_NETWORK_MILLISECONDS),
      ),
    )
  return sql`(${throttleCounters.key} not like 'account/%' or ${notExists(known)})`
}

function isSpent(counters: Counter[], now: number) {
  const { key, failures, expiresAt } = throttleCounters
  const keys = counters.map((one) => one.key)
  const limit = byLimit(({ failures: most }) => most)
  return and(inArray(key, keys), gt(expiresAt, now), sql`${failures} >= ${limit}`)
}

/** A figure of the limit that a row counts towards, which its key begins with. */
function byLimit(figure: (limit: Limit) => number): SQL {
  const cases = Object.entries(LIMITS).map(
    ([name, limit]) => sql`when ${throttleCounters.key} like ${`${name}/%`} then ${figure(limit)}`,
  )
  return sql`case ${sql.join(cases, sql` `)} end`
}

/**
 * Lets the counters that this failure has spent block for their full time from now on. Not the
 * account's: its hour is one hour, or a user at home could keep themselves out everywhere else.
 */
export function confirmFailure(db: Database, counters: Counter[], now: number) {
  const { key, failures } = throttleCounters
  const keys = counters.filter(({ limit }) => limit !== 'account').map((one) => one.key)
  return db
    .update(throttleCounters)
    .set({ expiresAt: sql`${now} + 1000 * ${byLimit(({ seconds }) => seconds)}` })
    .where(and(inArray(key, keys), sql`${failures} >= ${byLimit(({ failures: most }) => most)}`))
}

/**
 * Takes back what a charge counted: this attempt was no failure. `when` may make it depend on a
 * session.
 */
export function payBack(db: Database, counters: readonly Counter[], when?: SQL) {
  const { key, failures } = throttleCounters
  const keys = counters.map((one) => one.key)
  return db
    .update(throttleCounters)
    .set({ failures: sql`max(0, ${failures} - 1)` })
    .where(and(inArray(key, keys), when))
}

/** Forgets the failures of a counter: whoever knows the answer need not fear the earlier ones. */
export function clearCounter(db: Database, { key }: Counter, when?: SQL) {
  return db.delete(throttleCounters).where(and(eq(throttleCounters.key, key), when))
}

/**
 * Forgets all failures that were counted against one account, those of its codes and old passwords
 * too; what a network has failed at elsewhere stays.
 *
 * @param nameHash Keyed hash of the user name.
 */
export function clearAccountCounters(db: Database, userId: number, nameHash: string, when: SQL) {
  const { key } = throttleCounters
  const own = [counter('account', nameHash), codeCounter(userId), oldPasswordCounter(userId)]
  const pairs = counter('pair', nameHash).key
  // `0` is the character after `/`: every key that begins with this, found by the index.
  const isPair = and(gte(key, `${pairs}/`), lt(key, `${pairs}0`))
  const isOwn = inArray(
    key,
    own.map((one) => one.key),
  )
  return db
    .delete(throttleCounters)
    .where(and(or(isOwn, isPair), when))
    .returning({ key })
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
