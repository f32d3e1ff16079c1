import { and, desc, eq, gte, inArray, isNull, notExists, type SQL, sql } from 'drizzle-orm'
import { auditEvents, throttleCounters } from '../../schema/tables.ts'
import { type AuditEvent, insertEvent } from '../audit/events.ts'
import type { Database } from '../deps.ts'
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
 * time that the network's failures are counted, or a stranger could fill the table.
 */
export function insertRefusal(db: Database, event: RefusedSignIn, signIn: SignInCounters) {
  if (event.userId !== undefined) return [insertEvent(db, event)] as const
  const sameEvent = selectLatest(db, event.network, beginningOf(db, signIn))
    .orderBy(desc(auditEvents.id))
    .limit(1)
  const again = db
    .update(auditEvents)
    .set({
      times: sql`${auditEvents.times} + 1`,
      // Of several names none is worth more than the others.
      nameHash: sql`case when ${auditEvents.nameHash} = ${event.nameHash ?? null} then ${auditEvents.nameHash} end`,
    })
    .where(sql`${auditEvents.id} = (${sameEvent})`)
  return [again, insertEvent(db, event, notExists(sameEvent))] as const
}

/** When the failures of a network were first counted, of those that still count. */
function beginningOf(db: Database, { counters: [site], parts }: SignInCounters): SQL {
  const end = sql`${throttleCounters.parts} ->> ${`$."${parts.network}"[1]`}`
  const row = db
    .select({ beginning: sql`(${end}) - ${LIMITS.network.seconds * 1000}`.as('beginning') })
    .from(throttleCounters)
    .where(eq(throttleCounters.key, site.key))
  return sql`(${row})`
}

/** The latest events of refusals from a network to nobody. */
function selectLatest(db: Database, network: string, since: SQL) {
  return db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(and(isRefusal(network, since), isNull(auditEvents.userId)))
}

/** How many sign-ins from a network were written down as refused since then. */
export function countRefusals(db: Database, network: string, since: SQL) {
  return db
    .select({ total: sql<number>`total(${auditEvents.times})`.as('total') })
    .from(auditEvents)
    .where(isRefusal(network, since))
}

/** No index has what this asks for: only the latest events are looked at. */
function isRefusal(network: string, since: SQL) {
  const latest = sql`(select max(newest.id) from ${auditEvents} as newest)`
  return and(
    sql`${auditEvents.id} > ${latest} - ${LATEST_EVENTS}`,
    eq(auditEvents.kind, 'sign_in_refused'),
    inArray(auditEvents.detail, CHARGED_DETAILS),
    eq(auditEvents.network, network),
    gte(auditEvents.at, since),
  )
}
