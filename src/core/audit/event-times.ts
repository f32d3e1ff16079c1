import { and, gte, lt, lte, type SQL, sql } from 'drizzle-orm'
import { auditEvents } from '../../../schema/tables.ts'
import { literal } from '../database/literal.ts'
import { THE_SERVICE, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'

export function pruneEvents(db: Database, before: number) {
  return writing(db, THE_SERVICE).delete(
    auditEvents,
    and(isEarlyIn(before), lte(auditEvents.at, before)),
  )
}

/**
 * An event may be this much older than the events before it, because a shared event keeps its first
 * time.
 */
const LATE_MILLISECONDS = 10 * 60 * 1000

/** Number of events that may be written after newer ones. */
const OUT_OF_ORDER_EVENTS = 100

/**
 * Number of consecutive events that must all be older than a time before the search skips them. A
 * few events from a slow clock are not enough.
 */
const NEIGHBOURS = 8

export function isSince(since: number) {
  const isLate = gte(auditEvents.id, firstIdSince(since - LATE_MILLISECONDS))
  return and(isLate, gte(auditEvents.at, since))
}

export function isUntil(until: number) {
  return and(isEarlyIn(until + LATE_MILLISECONDS), lt(auditEvents.at, until))
}

/** Holds for every event before a time, and for few after it. */
function isEarlyIn(time: number) {
  return lte(auditEvents.id, sql`${firstIdSince(time)} + ${OUT_OF_ORDER_EVENTS}`)
}

/**
 * Larger than the number of events will ever be. It is not a parameter, because D1 would halve a
 * parameter to a fraction.
 */
const FIRST_STEP = literal(2 ** 40)

/**
 * Finds about the last id whose event is older than a time, by a binary search: ids rise almost in
 * the order of times. From 0 it goes 2^40, 2^39, … 1 ids on, each step only if the next events
 * after it are older too.
 *
 * It reads 203 rows among 100,000 events. An index of times would cost a second written row for
 * each event; ids noted once a night would let `watchParts` read a whole day every five minutes.
 */
export function firstIdSince(since: number): SQL {
  const neighbours = sql`select event.at as at from ${auditEvents} as event where event.id >= place.id + place.step order by event.id limit ${NEIGHBOURS}`
  const isBefore = sql`coalesce((select max(at) from (${neighbours})) < ${since}, false)`
  return sql`(with recursive place(id, step) as (
    select 0, ${FIRST_STEP}
    union all
    select id + step * ${isBefore}, step / 2 from place where step > 0
  ) select max(id) from place)`
}
