import { and, eq, gt, sql } from 'drizzle-orm'
import { auditEvents, users } from '../../schema/tables.ts'
import type { Database } from '../deps.ts'
import { isNamed } from '../accounts/store.ts'

/** How long a network stays known after a sign-in. */
const KNOWN_NETWORK_MILLISECONDS = 30 * 24 * 60 * 60 * 1000

/** The sign-ins that make a network known for a user, here or at a file server. */
export function selectKnown(db: Database, username: string, network: string, now: number) {
  return db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .innerJoin(users, eq(users.id, auditEvents.userId))
    .where(
      and(
        isNamed(username),
        // Exactly the condition of the partial index.
        sql`${auditEvents.kind} in ('sign_in', 'service_sign_in')`,
        eq(auditEvents.network, network),
        gt(auditEvents.at, now - KNOWN_NETWORK_MILLISECONDS),
      ),
    )
}
