import { notExists, sql } from 'drizzle-orm'
import { auditEvents, users } from '../../../schema/tables.ts'
import { isNamed } from '../accounts/store.ts'
import { type AuditEvent, insertEvent } from '../audit/events.ts'
import type { Database } from '../database/database.ts'
import type { Authority } from '../database/statements.ts'

/** Number of events that are searched for a sign-in. An account can have thousands of events. */
const LATEST_EVENTS = 20

/** Selects the sign-in of this user to a server with a password, from this network, after `since`. */
export function selectRecentSignIn(db: Database, username: string, network: string, since: number) {
  const user = db.select({ id: users.id }).from(users).where(isNamed(username))
  const latest = sql`(select kind, network, at from ${auditEvents} where user_id = ${user} order by id desc limit ${LATEST_EVENTS})`
  return db
    .select({ at: sql<number>`at` })
    .from(latest)
    .where(sql`kind = 'service_sign_in' and network = ${network} and at > ${since}`)
}

/** Records a sign-in to a server, unless one after `since` is already recorded. */
export function insertServiceSignIn(
  db: Database,
  by: Authority,
  username: string,
  event: AuditEvent,
  since: number,
) {
  const recent = selectRecentSignIn(db, username, event.network, since)
  return insertEvent(db, by, event, notExists(recent))
}
