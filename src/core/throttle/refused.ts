import { and, desc, eq, gte, inArray, isNull, like, notExists, type SQL, sql } from 'drizzle-orm'
import { auditEvents, throttleCounters } from '../../../schema/tables.ts'
import { type AuditEvent, insertEvent } from '../audit/events.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { sitePattern } from '../base/network.ts'
import { type LimitName, LIMITS } from './limit-table.ts'
import type { Counter } from './counters.ts'

/** The reasons for which a refused sign-in stays charged. */
const CHARGED_DETAILS = ['credentials', 'disabled', 'code', 'passkey'] as const

/** A wrong app password has counters of its own. */
const APP_PASSWORD = 'app password'

export const REFUSAL_DETAILS = [...CHARGED_DETAILS, APP_PASSWORD]

/** Number of latest events that are searched for those of a network. */
const LATEST_EVENTS = 64

/** A refused sign-in. It has no `userId` when no account has the name. */
export interface RefusedSignIn extends AuditEvent {
  kind: 'sign_in_refused'
  detail: (typeof CHARGED_DETAILS)[number] | typeof APP_PASSWORD
}

/**
 * Returns the statements that record a refused sign-in, in the order of their batch. Names that no
 * account has share one event for each network and each period of the first counter, so that a
 * stranger can't fill the table.
 */
export function refusalParts(
  db: Database,
  by: Authority,
  event: RefusedSignIn,
  { counters: [counter] }: { counters: readonly [Counter, ...unknown[]] },
) {
  if (event.userId !== undefined) return { repeated: undefined, event: insertEvent(db, by, event) }
  const period = db
    .select({ beginning: beginningOf(counter.limit).as('beginning') })
    .from(throttleCounters)
    .where(eq(throttleCounters.key, counter.key))
  const details = event.detail === APP_PASSWORD ? [APP_PASSWORD] : CHARGED_DETAILS
  const shared = db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(
      and(
        isRefusal(sql`(${period})`, details),
        eq(auditEvents.network, event.network),
        isNull(auditEvents.userId),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(1)
  const again = {
    times: sql`${auditEvents.times} + 1`,
    // A shared event of several names stores no name.
    nameHash: sql`case when ${auditEvents.nameHash} = ${event.nameHash ?? null} then ${auditEvents.nameHash} end`,
  }
  return {
    // Stands before the new event, because it would count that event too.
    repeated: writing(db, by).update(auditEvents, again, sql`${auditEvents.id} = (${shared})`),
    event: insertEvent(db, by, event, notExists(shared)),
  }
}

/** Counts the sign-ins of a network that were recorded as refused while the row of its site counts. */
export function countRefusals(db: Database, network: string) {
  const isOfSite = like(auditEvents.network, sitePattern(network))
  return db
    .select({ total: sql<number>`total(${auditEvents.times})`.as('total') })
    .from(auditEvents)
    .where(and(isRefusal(beginningOf('site'), CHARGED_DETAILS), isOfSite))
}

/** Returns the time at which the row of a counter began to count. */
function beginningOf(limit: LimitName): SQL {
  return sql`${throttleCounters.expiresAt} - ${LIMITS[limit].seconds * 1000}`
}

/**
 * Holds for a refused sign-in. No index fits this condition, so callers look at the latest events
 * only.
 */
function isRefusal(since: SQL, details: readonly string[]) {
  const latest = sql`(select max(newest.id) from ${auditEvents} as newest)`
  return and(
    sql`${auditEvents.id} > ${latest} - ${LATEST_EVENTS}`,
    sql`${auditEvents.kind} = 'sign_in_refused'`,
    inArray(auditEvents.detail, details),
    gte(auditEvents.at, since),
  )
}
