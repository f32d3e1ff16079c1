import type { selectSessions } from '../../core/access/session-store.ts'
import { storedMethods } from '../../core/access/sign-in-methods.ts'
import { isoTime } from '../../core/base/time.ts'

export type StoredSession = Awaited<ReturnType<typeof selectSessions>>[number]

/** Returns a session in the form that every list shows. */
export function sessionRecord(session: StoredSession) {
  return {
    id: session.id,
    created_time: isoTime(session.createdAt),
    expires_time: isoTime(session.expiresAt),
    last_active_time: isoTime(session.lastActiveAt),
    network: session.network,
    user_agent: session.userAgent,
    /** Empty for a session of an earlier version. */
    // `hwk` tells programs what a passkey is, and is no method of its own.
    methods: storedMethods(session.amr).filter((method) => method !== 'hwk'),
  }
}
