import { type SQL, sql } from 'drizzle-orm'
import { auditEvents, throttleCounters } from '../../../schema/tables.ts'
import { isSince } from '../../core/audit/event-times.ts'
import { eventRow } from '../../core/audit/events.ts'
import { type EventKind, isRare } from '../../core/audit/kinds.ts'
import { literal } from '../../core/database/literal.ts'
import { THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { blockOf, figuresOf } from '../../core/throttle/limits.ts'
import { LIMITS } from '../../core/throttle/limit-table.ts'
import { REFUSAL_DETAILS } from '../../core/throttle/refused.ts'
import { HOUR_MILLISECONDS } from '../../core/base/time.ts'

/** Refused sign-ins of an hour, over all users, that operators are told of. */
const MANY_REFUSALS = 100

/**
 * Returns the statements that write an event when an account or a network is locked out, and when
 * many sign-ins are refused; each at most once an hour. They read the last hour of the log, so they
 * run in the cron, not at each refused sign-in.
 */
export function watchParts(db: Database, now: number) {
  const since = now - HOUR_MILLISECONDS
  // The plus keeps SQLite from reading the whole index of users, to group by it.
  const refused = sql`(
    select +user_id as user_id, times from ${auditEvents}
    where ${isSince(since)} and kind = 'sign_in_refused' and detail in ${REFUSAL_DETAILS}
  )`
  const account = sql`(
    select user_id as user_id from ${refused} where user_id is not null
    group by user_id having sum(times) >= ${LIMITS.account.failures}
  ) as locked`
  const part = figuresOf(sql`part.key`, sql`part.value`)
  const network = sql`(
    select substr(part.key, length('network/') + 1) as network
    from ${throttleCounters}, json_each(${throttleCounters.parts}) as part
    where part.key like 'network/%' and ${blockOf(part)} > ${now}
  ) as locked`
  const many = sql`(select total(times) as total from ${refused}) as counted`
  return {
    accounts: insert(db, now, 'account_locked', {
      from: account,
      row: { userId: sql`locked.user_id` },
      same: sql`recent.user_id = locked.user_id`,
    }),
    networks: insert(db, now, 'network_locked', {
      from: network,
      row: { network: sql`locked.network` },
      same: sql`recent.network = locked.network`,
    }),
    refusals: insert(db, now, 'many_refusals', {
      from: many,
      row: { detail: sql`cast(cast(counted.total as integer) as text)` },
      same: sql`true`,
      where: sql`counted.total >= ${MANY_REFUSALS}`,
    }),
  }
}

interface Finding {
  from: SQL
  /** The columns that the finding gives. */
  row: Partial<Record<'userId' | 'network' | 'detail', SQL>>
  /** Holds for an event of the kind that is about the same. */
  same: SQL
  where?: SQL
}

/** Writes an event for each finding of which there is none in the last hour. */
function insert(db: Database, now: number, kind: EventKind, finding: Finding) {
  const event = eventRow({ at: now, kind, network: '', userAgent: '' })
  const isRecent = sql`exists (
    select 1 from ${auditEvents} as recent
    where recent.kind = ${literal(kind)} and recent.at > ${now - HOUR_MILLISECONDS} and ${finding.same}
      and ${isRare(sql`recent.kind`)}
  )`
  const { from, row, where = sql`true` } = finding
  return writing(db, THE_SERVICE).insert(
    auditEvents,
    { ...event, ...row },
    { from, where: sql`${where} and not ${isRecent}` },
  )
}
