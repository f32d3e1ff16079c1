import { and, desc, eq, gt, inArray, notExists, or, type SQL, sql } from 'drizzle-orm'
import { throttleCounters } from '../../schema/tables.ts'
import { logEvent } from '../audit/events.ts'
import { rendered } from '../database/rendered.ts'
import { type Authority, runBatch, THE_SERVICE, writing } from '../database/statements.ts'
import type { Database, Deps } from '../deps.ts'
import { type Client, siteOf } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { isKnownNetwork } from './known-networks.ts'
import { blockOf, endOf, figuresOf, type LimitName, LIMITS } from './limits.ts'
import { countRefusals } from './refused.ts'

/**
 * Milliseconds for which a charged attempt counts as in flight. An attempt that it keeps out waits
 * for it. After this time its request has failed, and it counts as a failure.
 */
const IN_FLIGHT_MILLISECONDS = 10_000

/** A row of `throttle_counters`. */
export interface Counter {
  limit: LimitName
  key: string
  /** The keys of the counters in the row's `parts`. They are charged with it, in one row written. */
  parts?: Parts
}

/** The keys of the counters in a row. */
type Parts = Record<'network' | 'pair', string>

/** The counters of one attempt to sign in. */
export interface SignInCounters {
  counters: [site: Counter, account: Counter]
  parts: Parts
  username: string
  network: string
}

/** @param nameHash Keyed hash of the user name. An account of that name need not exist. */
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

/** The limits that bound what strangers write, with those of a /48. They block no password. */
const LIMIT_OF_SITE = {
  stranger: 'strangers',
  appPassword: 'appPasswords',
  register: 'registers',
  forgotten: 'forgottens',
} as const

/** Returns the counters of a network, and of its /48, for what a stranger causes to be written. */
export function strangerCounters(
  limit: keyof typeof LIMIT_OF_SITE,
  network: string,
): [own: Counter, ...site: Counter[]] {
  const site = siteOf(network)
  const own = counter(limit, network)
  return site === network ? [own] : [own, counter(LIMIT_OF_SITE[limit], site)]
}

/** Charges all counters, or none when one is spent: then it returns no row. */
export function chargeUnspent(
  db: Database,
  by: Authority,
  counters: readonly Counter[],
  now: number,
  when?: SQL,
) {
  return charge(db, by, counters, now, and(areOpen(counters, now), when))
}

/**
 * Charges a request of a stranger before anything is done for it.
 *
 * @throws {Refusal} `tooManyRequests`.
 */
export async function chargeRequest(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  limit: 'register' | 'forgotten',
  { network }: Client,
): Promise<void> {
  const now = clock()
  const counters = strangerCounters(limit, network)
  const { blocks, charged } = await runBatch(db, {
    blocks: selectBlocks(db, counters, now),
    charged: chargeUnspent(db, THE_SERVICE, counters, now),
  })
  if (charged.length === 0) throw tooManyAttempts(blocks, now, 'tooManyRequests')
}

/**
 * Returns the counters of mails that confirm an address.
 *
 * @param addressHash Keyed hash: the address itself is not kept.
 */
export function confirmationCounters(userId: number, addressHash: string): Counter[] {
  return [
    counter('confirmMail', String(userId)),
    counter('confirmMails', String(userId)),
    counter('confirmMailsTo', addressHash),
  ]
}

/** Holds when no counter blocks. `selectBlocks` then returns no row. */
export function areOpen(counters: readonly Counter[], now: number): SQL {
  return sql`not exists (select 1 from ${rowsOf(counters)} where ${BLOCK_OF_ROW} > ${now})`
}

/**
 * Holds while a mail about a forgotten password may go to a user.
 *
 * @param userId A column of a query, as `isKnown`: whether the network of the request is known.
 */
export function mayMailReset(userId: SQL, isKnown: SQL, now: number): SQL {
  const { key } = throttleCounters
  return sql`not exists (
    select 1 from ${throttleCounters} where ${key} in (${resetKey(userId)}, ${resetDayKey(userId, isKnown)})
      and ${BLOCK_OF_ROW} > ${now}
  )`
}

const resetKey = (userId: SQL) => sql`('resetMail/' || ${userId})`
const resetDayKey = (userId: SQL, isKnown: SQL) =>
  sql`('resetMails/' || ${userId} || iif(${isKnown}, '/known', '/other'))`

/**
 * Charges the mails of `mayMailReset`.
 *
 * @param from Rows with the columns `id` and `is_known`, named `found`.
 */
export function chargeResetMails(db: Database, by: Authority, from: SQL, now: number, when: SQL) {
  const [id, isKnown] = [sql`found.id`, sql`found.is_known`]
  const row = (key: SQL, limit: LimitName) =>
    sql`select json_array(${key}, ${endAfter(counter(limit, ''), now)}, json('{}'), ${now}) as value
      from ${from} where ${when}`
  const rows = sql`(${row(resetKey(id), 'resetMail')}
    union all ${row(resetDayKey(id, isKnown), 'resetMails')})`
  return chargeRows(db, by, rows, undefined)
}

/**
 * Charges somebody who has proven at a provider to be nobody here, before anything is written.
 *
 * @throws {Refusal} `tooManyAttempts`.
 */
export async function chargeStranger(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  { network }: Client,
): Promise<void> {
  const now = clock()
  const counters = strangerCounters('stranger', network)
  const { blocks, charged } = await runBatch(db, {
    blocks: selectBlocks(db, counters, now),
    charged: chargeUnspent(db, THE_SERVICE, counters, now),
  })
  if (charged.length === 0) throw tooManyAttempts(blocks, now)
}

/** Returns the counter of a user's wrong codes, at sign-in and after it. */
export function codeCounter(userId: number): Counter {
  return counter('proof', `code/${userId}`)
}

/**
 * Returns the counter of a user's wrong old passwords. It is not the counter of codes, so that the
 * thief of a session can't use up the owner's attempts with codes.
 */
export function oldPasswordCounter(userId: number): Counter {
  return counter('proof', `old-password/${userId}`)
}

/** Returns the counter of a user's refused passkeys, with which a session was to be confirmed. */
export function passkeyCounter(userId: number): Counter {
  return counter('proof', `passkey/${userId}`)
}

/**
 * Returns the counter of wrong passwords of one account at one LDAP door. It stands alone: such a
 * door knows no address of its users, so no network is charged with what one of them guesses.
 *
 * @param door What tells doors apart.
 */
export function doorCounter(nameHash: string, door: string): Counter {
  return counter('pair', `${nameHash}/${door}`)
}

/** Returns the counter of tests of channels for notices. @param owner A user, or a channel. */
export function testCounter(owner: string): Counter {
  return counter('test', owner)
}

function counter(limit: LimitName, owner: string): Counter {
  return { limit, key: `${limit}/${owner}` }
}

/**
 * Charges an attempt before it is checked, so that concurrent attempts get no more tries than
 * consecutive ones. Returns a row for each charged row. When a counter blocks, nothing is charged
 * and no row is returned, so an attempt during a block doesn't lengthen it. With `when`, it charges
 * only if that condition holds too.
 */
export function chargeSignIn(
  db: Database,
  by: Authority,
  signIn: SignInCounters,
  now: number,
  when?: SQL,
) {
  return charge(db, by, signIn.counters, now, and(isSignInOpen(signIn, now), when))
}

/**
 * Works like `chargeSignIn`, for one counter. With `when`, it charges only if that condition holds
 * too.
 */
export function chargeCounter(db: Database, by: Authority, one: Counter, now: number, when?: SQL) {
  return charge(db, by, [one], now, and(isCounterOpen(db, one, now), when))
}

function charge(
  db: Database,
  by: Authority,
  counters: readonly Counter[],
  now: number,
  when: SQL | undefined,
) {
  const rows = counters.map((row) => [row.key, endAfter(row, now), newParts(row, now), now])
  return chargeRows(db, by, sql`json_each(${JSON.stringify(rows)})`, when)
}

/** @param rows Their column `value` is that of `CHARGED_ROW`. */
function chargeRows(db: Database, by: Authority, rows: SQL, when: SQL | undefined) {
  const { key } = throttleCounters
  const charged = sql`${rows} as charged
    left join ${throttleCounters} on ${key} = charged.value ->> 0`
  return writing(db, by)
    .insert(throttleCounters, CHARGED_ROW, { from: charged, where: when })
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

/** Returns the parts of a new row. */
function newParts({ parts }: Counter, now: number): Record<string, [number, number, number]> {
  if (parts === undefined) return {}
  const { network, pair } = parts
  return {
    [network]: [1, endAfter(counter('network', ''), now), now],
    [pair]: [1, endAfter(counter('pair', ''), now), now],
  }
}

/** Returns the row of a counter after a charge: `charged.value` is its key, end, new parts and now. */
function chargedRow() {
  const { failures, expiresAt } = throttleCounters
  const now = sql`(charged.value ->> 3)`
  const isOver = rendered(() => sql`coalesce(${endOf(throttleCounters)} <= ${now}, true)`)
  return {
    key: sql`charged.value ->> 0`,
    failures: rendered(() => sql`iif(${isOver}, 1, ${failures} + 1)`),
    expiresAt: rendered(() => sql`iif(${isOver}, charged.value ->> 1, ${expiresAt})`),
    chargedAt: now,
    parts: rendered(() => chargedParts(isOver, now)),
  }
}

const CHARGED_ROW = chargedRow()

/**
 * Returns the parts of a row after a charge. When the row starts again, parts that have ended are
 * removed, so their number stays near the number of failures that the row allows.
 */
function chargedParts(isOver: SQL, now: SQL): SQL {
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
 * Selects the counters that block a sign-in, the longest block first. `isInFlight` means that the
 * block may end when the attempts in flight are decided.
 */
export function selectSignInBlocks(db: Database, signIn: SignInCounters, now: number) {
  const until = blockOfSignIn(signIn, now)
  return selectBlocks(db, signIn.counters, now, until, hasInFlight(db, signIn, now))
}

/** Selects the block of one counter. It returns no row exactly when `isCounterOpen` holds. */
export function selectCounterBlocks(db: Database, one: Counter, now: number) {
  return selectBlocks(db, [one], now)
}

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

/** Holds when no counter blocks the sign-in. */
export function isSignInOpen(signIn: SignInCounters, now: number): SQL {
  const until = blockOfSignIn(signIn, now)
  return sql`not exists (select 1 from ${rowsOf(signIn.counters)} where ${until} > ${now})`
}

/** Holds when the counter doesn't block. */
export function isCounterOpen(db: Database, one: Counter, now: number): SQL {
  const isBlocking = and(isOneOf([one]), sql`${BLOCK_OF_ROW} > ${now}`)
  const { key } = throttleCounters
  return notExists(db.select({ key }).from(throttleCounters).where(isBlocking))
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

/** Returns SQLite's path to a part. Networks and hashes contain no quotation mark. */
const pathOf = (part: string) => `$."${part}"`

/** The ends of the blocks of a row of `rowsOf`, and of its parts; 0 where nothing blocks. */
const BLOCK_OF_ROW = rendered(() => blockOf(throttleCounters))
const BLOCK_OF_NETWORK = blockOfPart('network')
const BLOCK_OF_PAIR = blockOfPart('pair')

function blockOfPart(name: 'network' | 'pair'): SQL {
  const block = () => blockOf(figuresOf(name, sql.raw(`of_${name}`)))
  // With null, `max` would forget the other blocks of the row.
  return rendered(() => sql`coalesce(${block()}, 0)`)
}

/** Returns the end of the block of a row of `rowsOf`. It is in the past when the row doesn't block. */
function blockOfSignIn(signIn: SignInCounters, now: number): SQL {
  // The counters of site and account don't block the user's known networks.
  const ofStranger = sql`iif(${BLOCK_OF_ROW} > ${now} and not ${isKnownNetwork(signIn, now)}, ${BLOCK_OF_ROW}, 0)`
  return sql`max(${ofStranger}, ${BLOCK_OF_NETWORK}, ${BLOCK_OF_PAIR})`
}

/**
 * Holds in the row of a site while an attempt from there is charged, and neither paid back nor
 * recorded as refused. The event of the refusal decides this, which saves a second write to the
 * counter.
 */
function hasInFlight(db: Database, { counters: [site], network }: SignInCounters, now: number) {
  const { key, failures, chargedAt } = throttleCounters
  const mayBe = and(eq(key, site.key), gt(chargedAt, now - IN_FLIGHT_MILLISECONDS))
  const refused = countRefusals(db, network)
  return sql`iif(${mayBe}, ${failures} > (${refused}), false)`
}

/** Takes back a charge, because the attempt was not a failure. */
export function payBack(db: Database, by: Authority, counters: readonly Counter[]) {
  return takeBack(db, by, counters)
}

/** Works like `payBack`, after a sign-in. It also deletes the account's failures from this network. */
export function payBackSignIn(db: Database, by: Authority, { counters }: SignInCounters) {
  return takeBack(db, by, counters, sql`null`)
}

/** @param restOfPair The new value of the pair's part; null removes it. */
function takeBack(db: Database, by: Authority, counters: readonly Counter[], restOfPair?: SQL) {
  const { key, failures, parts } = throttleCounters
  const cases = counters.flatMap(({ key: own, parts: charged }) => {
    if (charged === undefined) return []
    const { network, pair } = charged
    const ofPair = restOfPair ?? withoutCharge(pair)
    const change = sql`json_object(${network}, ${withoutCharge(network)}, ${pair}, ${ofPair})`
    return sql` when ${own} then json_patch(${parts}, ${change})`
  })
  const set = {
    failures: sql`max(0, ${failures} - 1)`,
    ...(cases.length > 0 && { parts: sql`case ${key}${sql.join(cases)} else ${parts} end` }),
  }
  return writing(db, by).update(throttleCounters, set, isOneOf(counters))
}

/** Returns a part with one failure less; null when none is left. */
function withoutCharge(part: string): SQL {
  const { parts } = throttleCounters
  const [path, ofFailures] = [pathOf(part), `${pathOf(part)}[0]`]
  return sql`iif(${parts} ->> ${ofFailures} > 1, json_set(${parts} -> ${path}, '$[0]', (${parts} ->> ${ofFailures}) - 1), null)`
}

/** Deletes the failures of a counter, after a right password or code. */
export function clearCounter(db: Database, by: Authority, one: Counter, when?: SQL) {
  return writing(db, by).delete(throttleCounters, and(eq(throttleCounters.key, one.key), when))
}

function isOneOf(counters: readonly Counter[]) {
  return inArray(
    throttleCounters.key,
    counters.map(({ key }) => key),
  )
}

/**
 * Deletes all failures of one account, including those of codes and old passwords. The counters of
 * networks stay.
 *
 * @param nameHash Keyed hash of the user name.
 */
export function clearAccountCounters(
  db: Database,
  by: Authority,
  userId: number,
  nameHash: string,
) {
  const own = [
    counter('account', nameHash),
    codeCounter(userId),
    oldPasswordCounter(userId),
    passkeyCounter(userId),
  ]
  const { key } = throttleCounters
  // Those of LDAP doors. `0` is the character after `/`.
  const isOfDoor = sql`${key} >= ${`pair/${nameHash}/`} and ${key} < ${`pair/${nameHash}0`}`
  return writing(db, by)
    .delete(throttleCounters, or(isOneOf(own), isOfDoor))
    .returning({ key })
}

/** Works like `clearAccountCounters`, for the pairs of the account. Returns a row for each site. */
export function clearPairs(db: Database, by: Authority, nameHash: string) {
  const { key, parts } = throttleCounters
  const pairs = `pair/${nameHash}/`
  const rest = sql`select json_group_object(part.key, json(part.value)) from json_each(${parts}) as part where instr(part.key, ${pairs}) <> 1`
  // `0` is the character after `/`. The range finds every row of a site by the primary key.
  const isSite = sql`${key} >= 'site/' and ${key} < 'site0'`
  const hasPair = sql`instr(${parts}, ${`"${pairs}`}) > 0`
  return writing(db, by)
    .update(throttleCounters, { parts: sql`(${rest})` }, and(isSite, hasPair))
    .returning({ key })
}

/** The longest time for which a row blocks after its latest charge. */
const MAX_BLOCK_MILLISECONDS =
  Math.max(...Object.values(LIMITS).map(({ blockSeconds }) => blockSeconds)) * 1000

/** Deletes the counters that have ended and no longer block. */
export function pruneCounters(db: Database, now: number) {
  const { expiresAt, chargedAt } = throttleCounters
  const isOver = sql`${expiresAt} <= ${now} and ${chargedAt} <= ${now - MAX_BLOCK_MILLISECONDS}`
  return writing(db, THE_SERVICE).delete(throttleCounters, isOver)
}

/**
 * @param blocks The blocks that the batch of the refused charge read.
 * @param refusal `testedLately`, whose message names the seconds, for a test of a channel.
 *   `tooManyRequests` where nothing was tried.
 */
export function tooManyAttempts(
  blocks: { expiresAt: number }[],
  now: number,
  refusal: 'tooManyAttempts' | 'testedLately' | 'tooManyRequests' = 'tooManyAttempts',
): Refusal {
  const until = blocks[0]?.expiresAt ?? now
  const retryAfterSeconds = Math.max(1, Math.ceil((until - now) / 1000))
  return new Refusal(refusal, { values: { seconds: retryAfterSeconds }, retryAfterSeconds })
}

/** Seconds for which the gate counts, and the longest time that it stays closed. */
const GATE_SECONDS = 60

/**
 * Passes a first, cheap gate, which counts approximately and separately for each location. When the
 * gate fails, only the counters decide.
 *
 * @throws {Refusal} `tooManyAttempts`.
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
