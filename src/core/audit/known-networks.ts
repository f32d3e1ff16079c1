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

/**
 * Holds for an event of a user from a network that is recent enough to make it known. Events before
 * the user secured the account do not: the network may be that of a thief.
 */
export function madeRecently(
  userId: SQLWrapper | number,
  network: string | SQLWrapper,
  now: number | Placeholder,
): SQL {
  return sql`${auditEvents.userId} = ${userId} and ${auditEvents.network} = ${network}
    and ${auditEvents.at} > max(${now} - ${KNOWN_NETWORK_MILLISECONDS}, ${checkedAt(userId, network)})`
}

/**
 * Returns when a user last secured the account after sign-ins from a network, or 0. What the user
 * then answered is the question about them, not that the network is known: the next sign-in from
 * there is the first again. Unix time, milliseconds.
 *
 * The condition on the kind is that of the index `audit_events_checked`.
 */
export function checkedAt(userId: SQLWrapper | number, network: string | SQLWrapper): SQL {
  return sql`coalesce((
    select max(answer.at) from ${auditEvents} as answer
    where answer.kind = 'account_checked' and answer.user_id = ${userId} and answer.detail = ${network}
  ), 0)`
}
