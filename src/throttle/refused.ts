import { and, desc, eq, gte, inArray, isNull, like, notExists, type SQL, sql } from 'drizzle-orm'
import { auditEvents, throttleCounters } from '../../schema/tables.ts'
import { type AuditEvent, insertEvent } from '../audit/events.ts'
import type { Database } from '../deps.ts'
import { siteOf } from '../base/network.ts'
import { LIMITS } from './limits.ts'
import type { SignInCounters } from './throttle.ts'

/** What a sign-in is refused for that stays charged. */
type RefusalDetail = 'credentials' | 'disabled' | 'code'

const CHARGED_DETAILS: RefusalDetail[] = ['credentials', 'disabled', 'code']

/** How far back among all events those of a network are looked for. */
const LATEST_EVENTS = 64

/** A sign-in that is refused; who never had the name has no `userId`. */
export interface RefusedSignIn extends AuditEvent {
  kind: 'sign_in_refused'
  detail: RefusalDetail
}

/**
 * Remembers a refused sign-in. Names that no account has share one event for each network and each
 * time that the failures of its site are counted, or a stranger could fill the table.
 */
export function insertRefusal(db: Database, event: RefusedSignIn, { counters }: SignInCounters) {
  if (event.userId !== undefined) return [insertEvent(db, event)] as const
  const site = db
    .select({ beginning: beginningOfSite().as('beginning') })
    .from(throttleCounters)
    .where(eq(throttleCounters.key, counters[0].key))
  const shared = db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(
      and(
        isRefusal(sql`(${site})`),
        eq(auditEvents.network, event.network),
        isNull(auditEvents.userId),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(1)
  const again = db
    .update(auditEvents)
    .set({
      times: sql`${auditEvents.times} + 1`,
      // Of several names none is worth more than the others.
      nameHash: sql`case when ${auditEvents.nameHash} = ${event.nameHash ?? null} then ${auditEvents.nameHash} end`,
    })
    .where(sql`${auditEvents.id} = (${shared})`)
  return [again, insertEvent(db, event, notExists(shared))] as const
}

/** How many sign-ins were written down as refused of those that the row of a site counts. */
export function countRefusals(db: Database, network: string) {
  const site = siteOf(network)
  const isOfSite =
    site === network
      ? eq(auditEvents.network, network)
      : like(auditEvents.network, site.replace(/:\/48$/, '%'))
  return db
    .select({ total: sql<number>`total(${auditEvents.times})`.as('total') })
    .from(auditEvents)
    .where(and(isRefusal(beginningOfSite()), isOfSite))
}

/** When the row of a site began to count. */
function beginningOfSite(): SQL {
  return sql`${throttleCounters.expiresAt} - ${LIMITS.site.seconds * 1000}`
}

/** No index has what this is asked with: only the latest events are looked at. */
function isRefusal(since: SQL) {
  const latest = sql`(select max(newest.id) from ${auditEvents} as newest)`
  return and(
    sql`${auditEvents.id} > ${latest} - ${LATEST_EVENTS}`,
    eq(auditEvents.kind, 'sign_in_refused'),
    inArray(auditEvents.detail, CHARGED_DETAILS),
    gte(auditEvents.at, since),
  )
}
