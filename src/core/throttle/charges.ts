import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import { throttleCounters } from '../../../schema/tables.ts'
import { rendered } from '../database/rendered.ts'
import { type Authority, THE_SERVICE, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { areOpen, isSignInOpen } from './blocks.ts'
import { pathOf } from '../database/json-path.ts'
import { codeCounter, type Counter, counter, proofKeysOf, type SignInCounters } from './counters.ts'
import { chargedRows } from './charged-rows.ts'
import { isOneOf } from './counter-rows.ts'
import { LIMITS } from './limit-table.ts'
import { restartOf, figuresOf } from './limits.ts'

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
 * Works like `chargeSignIn`, for other counters: it charges all of them, or none when one blocks,
 * and then returns no row.
 *
 * @param when A further condition.
 */
export function chargeUnspent(
  db: Database,
  by: Authority,
  counters: readonly Counter[],
  now: number,
  when?: SQL,
) {
  return charge(db, by, counters, now, and(areOpen(counters, now), when))
}

function charge(
  db: Database,
  by: Authority,
  counters: readonly Counter[],
  now: number,
  when: SQL | undefined,
) {
  const columns = sql`value ->> 'key' as key, value ->> 'end' as "end", value -> 'parts' as parts, value ->> 'now' as now`
  return chargeRows(
    db,
    by,
    sql`(select ${columns} from json_each(${chargedRows(counters, now)}))`,
    when,
  )
}

/**
 * Charges rows, each with the counters in it. A sign-in writes two rows instead of four, because
 * the counters of the network and of the pair are parts of the row of the site:
 *
 *     key                     failures  expires_at  charged_at  parts
 *     site/2001:db8::/48             3       12:05       12:02  {"network/2001:db8::/64": [2, 12:05, 12:01],
 *                                                                "pair/1f2e…/2001:db8::/64": [1, 12:07, 12:02]}
 *     account/1f2e…                  1       13:02       12:02  {}
 *
 * A part is `[failures, expires at, charged at]`. A row or a part that has ended starts again at 1.
 *
 * @param rows A query of what is charged: the column `key`; `end`, at which the counter expires
 *   when it starts again; `parts`, each as it is when it starts again; `now`. Times are Unix time,
 *   milliseconds.
 */
export function chargeRows(db: Database, by: Authority, rows: SQL, when: SQL | undefined) {
  const { key } = throttleCounters
  const charged = sql`${rows} as charged
    left join ${throttleCounters} on ${key} = charged.key`
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

/** Returns the row of a counter after a charge. */
function chargedRow() {
  const { failures, expiresAt } = throttleCounters
  const now = sql`charged.now`
  const isOver = rendered(() => sql`coalesce(${restartOf(throttleCounters)} <= ${now}, true)`)
  return {
    key: sql`charged.key`,
    failures: rendered(() => sql`iif(${isOver}, 1, ${failures} + 1)`),
    expiresAt: rendered(() => sql`iif(${isOver}, charged."end", ${expiresAt})`),
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
  const live = sql`select json_group_object(kept.key, json(kept.value)) from json_each(${parts}) as kept where ${restartOf(kept)} > ${now}`
  const old = figuresOf(sql`fresh.key`, sql`fresh.old`)
  const again = sql`json_array(${old.failures} + 1, ${old.expiresAt}, ${now})`
  const next = sql`iif(coalesce(${restartOf(old)}, 0) <= ${now}, fresh.value, ${again})`
  const fresh = sql`select key, value, ${parts} -> ('$."' || key || '"') as old from json_each(charged.parts)`
  const changed = sql`select json_group_object(fresh.key, json(${next})) from (${fresh}) as fresh`
  return sql`json_patch(iif(${isOver}, (${live}), ${parts}), (${changed}))`
}

/**
 * Takes back a charge, because the attempt was not a failure.
 *
 * @param restOfPair The new value of the pair's part; null removes it.
 */
export function payBack(
  db: Database,
  by: Authority,
  counters: readonly Counter[],
  restOfPair?: SQL,
) {
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

/** Works like `payBack`, after a sign-in. It also deletes the account's failures from this network. */
export function payBackSignIn(db: Database, by: Authority, { counters }: SignInCounters) {
  return payBack(db, by, counters, sql`null`)
}

/** Returns a part with one failure less; null when none is left. */
function withoutCharge(part: string): SQL {
  const { parts } = throttleCounters
  const [path, ofFailures] = [pathOf(part), `${pathOf(part)}[0]`]
  return sql`iif(${parts} ->> ${ofFailures} > 1, json_set(${parts} -> ${path}, '$[0]', (${parts} ->> ${ofFailures}) - 1), null)`
}

/** Deletes the failures of a counter, after a right password or code. */
export function clearCounter(db: Database, by: Authority, { key }: Counter, when?: SQL) {
  return writing(db, by).delete(throttleCounters, and(eq(throttleCounters.key, key), when))
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
  const own = [counter('account', nameHash), codeCounter(userId)]
  const { key } = throttleCounters
  // Those of LDAP doors and of sessions. `0` is the character after `/`.
  const isBelow = (start: string) =>
    sql`${key} >= ${start} and ${key} < ${start.replace(/\/$/, '0')}`
  const ofOthers = [`pair/${nameHash}/`, ...proofKeysOf(userId)].map(isBelow)
  return writing(db, by)
    .delete(throttleCounters, or(isOneOf(own), ...ofOthers))
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
