import { type AuditEvent, logEvent } from '../../core/audit/audit-event.ts'

/** Logs the sessions that `evictSessions` has ended. */
export function logEvictions(signIn: AuditEvent, evicted: readonly unknown[]): void {
  if (evicted.length > 0) logEvent(endedBy(signIn))
}

/** The event of sessions that a sign-in ends. */
export function endedBy(signIn: AuditEvent): AuditEvent {
  return { ...signIn, kind: 'session_ended', detail: 'device limit' }
}
