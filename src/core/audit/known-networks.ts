import { type Placeholder, type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { auditEvents } from '../../../schema/tables.ts'
import { DAY_MILLISECONDS } from '../base/time.ts'
import { isSignIn } from './kinds.ts'

/** Milliseconds for which a network stays known after a sign-in. */
const KNOWN_NETWORK_MILLISECONDS = 30 * DAY_MILLISECONDS

/** Holds for the sign-ins that make a network known for a user, at Latchkey or at a file server. */
export const MAKES_KNOWN: SQL = isSignIn(auditEvents.kind)

/**
 * Holds for the events that report the network of an app password as unknown. It is exactly the
 * condition of the index `audit_events_elsewhere`.
 */
export const REPORTS_NETWORK: SQL = sql`${auditEvents.kind} = 'token_used_elsewhere'`

/** Holds for an event from a network that is recent enough to make it known. */
export function madeRecently(network: string | SQLWrapper, now: number | Placeholder): SQL {
  return sql`${auditEvents.network} = ${network} and ${auditEvents.at} > ${now} - ${KNOWN_NETWORK_MILLISECONDS}`
}
