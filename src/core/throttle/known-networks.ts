import { type SQL, sql } from 'drizzle-orm'
import { auditEvents, users } from '../../../schema/tables.ts'
import { isNamed } from '../accounts/store.ts'
import { madeRecently, MAKES_KNOWN } from '../audit/known-networks.ts'

/** Holds when the user has lately signed in from this network, at Latchkey or at a file server. */
export function isKnownNetwork(
  { username, network }: { username: string; network: string },
  now: number,
): SQL {
  return sql`exists (
    select 1 from ${auditEvents} join ${users} on ${users.id} = ${auditEvents.userId}
    where ${isNamed(username)} and ${MAKES_KNOWN} and ${madeRecently(users.id, network, now)}
  )`
}
