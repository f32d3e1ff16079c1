import { and, eq, gt, sql } from 'drizzle-orm'
import { auditEvents, users } from '../../schema/tables.ts'
import type { Database } from '../deps.ts'
import { isNamed } from '../accounts/store.ts'

/** Milliseconds for which a network stays known after a sign-in. */
const KNOWN_NETWORK_MILLISECONDS = 30 * 24 * 60 * 60 * 1000

/** Selects the sign-ins that make a network known for a user, at Latchkey or at a file server. */
export function selectKnown(db: Database, username: string, network: string, now: number) {
  return db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .innerJoin(users, eq(users.id, auditEvents.userId))
    .where(
      and(
        isNamed(username),
        // This is exactly the condition of the partial index.
        sql`${auditEvents.kind} in ('sign_in', 'service_sign_in')`,
        eq(auditEvents.network, network),
        gt(auditEvents.at, now - KNOWN_NETWORK_MILLISECONDS),
      ),
    )
}
