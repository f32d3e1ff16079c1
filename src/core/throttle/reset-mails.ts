import { type SQL, sql } from 'drizzle-orm'
import { throttleCounters } from '../../../schema/tables.ts'
import type { Authority } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { BLOCK_OF_ROW } from './blocks.ts'
import { chargeRows } from './charges.ts'
import { endAfter } from './charged-rows.ts'
import type { LimitName } from './limit-table.ts'
import { counter } from './counters.ts'

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
    sql`select ${key} as key, ${endAfter(counter(limit, ''), now)} as "end", '{}' as parts, ${now} as now
      from ${from} where ${when}`
  const rows = sql`(${row(resetKey(id), 'resetMail')}
    union all ${row(resetDayKey(id, isKnown), 'resetMails')})`
  return chargeRows(db, by, rows, undefined)
}
