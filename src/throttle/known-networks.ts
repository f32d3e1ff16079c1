import { and, eq } from 'drizzle-orm'
import { auditEvents, users } from '../../schema/tables.ts'
import { madeRecently, MAKES_KNOWN } from '../audit/known-networks.ts'
import type { Database } from '../deps.ts'
import { isNamed } from '../accounts/store.ts'

/** Selects the sign-ins that make a network known for a user, at Latchkey or at a file server. */
export function selectKnown(db: Database, username: string, network: string, now: number) {
  return db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .innerJoin(users, eq(users.id, auditEvents.userId))
    .where(and(isNamed(username), MAKES_KNOWN, madeRecently(network, now)))
}
