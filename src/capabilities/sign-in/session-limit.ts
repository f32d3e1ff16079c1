import { and, not, type SQL, sql } from 'drizzle-orm'
import { sessions, settings, users } from '../../../schema/tables.ts'
import { deleteSessions } from '../../core/access/endings.ts'
import type { NewSession } from '../../core/access/token.ts'
import { isAdmin } from '../../core/accounts/conditions.ts'
import { type AuditEvent, insertEvent } from '../../core/audit/events.ts'
import { rendered } from '../../core/database/rendered.ts'
import { asAuthority, type Authority } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { endedBy } from './evictions.ts'

/** The number of live sessions that a user may have; 0 means any number. */
const LIMIT = rendered(
  () =>
    sql`cast(coalesce((select ${settings.value} from ${settings} where ${settings.key} = 'max_devices'), '0') as integer)`,
)
const DENIES = rendered(
  () =>
    sql`coalesce((select ${settings.value} from ${settings} where ${settings.key} = 'device_evict_policy'), '') = 'deny'`,
)

function isFull(userId: number, now: number): SQL {
  const live = sql`(select count(*) from ${sessions} where ${sessions.userId} = ${userId} and ${sessions.expiresAt} > ${now})`
  return sql`iif(${LIMIT} > 0, ${live} >= ${LIMIT}, false)`
}

/** Holds for a user who has too many sessions to begin another. An admin always may. */
function lacksRoom(userId: number, now: number): SQL {
  const ofAdmin = sql`exists (select 1 from ${users} where ${users.id} = ${userId} and ${isAdmin})`
  return sql`(${DENIES} and ${isFull(userId, now)} and not ${ofAdmin})`
}

/**
 * Adds to the authority of a sign-in that the user may begin another session. The statement that
 * inserts the session carries it, so parallel sign-ins get no more sessions than consecutive ones.
 */
export function withRoom(by: Authority, userId: number, now: number): Authority {
  return asAuthority(sql`(${and(by, not(lacksRoom(userId, now)))})`)
}

/** Selects a row when only the limit refuses the sign-in. It stands before the session is inserted. */
export function selectLacksRoom(db: Database, by: Authority, userId: number, now: number) {
  return db
    .select({ lacksRoom: sql<number>`1`.as('lacks_room') })
    .from(sql`(select 1)`)
    .where(and(by, lacksRoom(userId, now)))
}

/**
 * Ends the oldest sessions of a user who has more than the limit. The statements stand after the
 * session was inserted, and do nothing without it. `logEvictions` follows the batch.
 *
 * @returns Parts of a batch.
 */
export function evictSessions(
  db: Database,
  { userId, sessionId }: NewSession,
  signIn: AuditEvent,
  now: number,
) {
  const isNew = sql`exists (select 1 from ${sessions} where ${sessions.userId} = ${userId} and ${sessions.id} = ${sessionId})`
  const by = asAuthority(sql`(${LIMIT} > 0 and ${isNew})`)
  // SQLite knows no offset without a limit. Without a limit of sessions, none is read.
  const surplus = sql`(select ${sessions.userId}, ${sessions.id} from json_each(iif(${LIMIT} > 0, '[1]', '[]')) cross join ${sessions} where ${sessions.userId} = ${userId} and ${sessions.expiresAt} > ${now}
    order by ${sessions.id} = ${sessionId} desc, ${sessions.createdAt} desc, ${sessions.id} limit -1 offset ${LIMIT})`
  return {
    evictedEvent: insertEvent(db, by, endedBy(signIn), sql`exists ${surplus}`),
    evicted: deleteSessions(db, by, sql`(${sessions.userId}, ${sessions.id}) in ${surplus}`),
  }
}
