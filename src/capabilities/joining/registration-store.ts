import { sql, type SQL } from 'drizzle-orm'
import { auditEvents, users } from '../../../schema/tables.ts'
import { folderColumns } from '../../core/accounts/folders.ts'
import { type Ids, membersAdding } from '../../core/accounts/groups.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import type { Change } from '../../core/audit/changes.ts'
import { type AuditEvent, eventRow } from '../../core/audit/events.ts'
import { literal } from '../../core/database/literal.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'

/** Registrations that wait for an approval. Further ones are refused until an admin decides. */
const MAX_WAITING = 200

/** A user who registers. */
export type Registrant = Pick<
  typeof users.$inferInsert,
  | 'username'
  | 'passwordHash'
  | 'permission'
  | 'endsAt'
  | 'email'
  | 'emailVerified'
  | 'registeredNetwork'
  | 'invitationId'
> & { passwordHash: string; basePath: string; waiting: boolean }

/** Holds while another registration may wait. */
export function hasWaitingRoom(): SQL {
  return sql`(select count(*) from ${users} where ${users.waiting} = 1) < ${literal(MAX_WAITING)}`
}

/** The groups that a registration gives. */
interface GivenGroups {
  ids: Ids
  source: 'invitation' | 'registration'
  /** The maker of the invitation. */
  addedBy: number | null
}

/** Tells that the actor of an event has invited the user, and did nothing else. */
const INVITED = { field: 'invitation', from: null, to: true } satisfies Change

/**
 * Returns the statements that put a user who has just registered into groups.
 *
 * They stand after those of `registrantInsertion`. Its hash, which has a random salt, tells the
 * user from one who had the name before.
 */
export function registrantGroups(
  db: Database,
  by: Authority,
  { username, passwordHash }: Registrant,
  { ids, source, addedBy }: GivenGroups,
  event: AuditEvent,
) {
  const isRegistrant = sql`${users.usernameKey} = ${usernameKey(username)} and ${users.passwordHash} = ${passwordHash}`
  const userIds = sql`(select json_group_array(${users.id}) from ${users} where ${isRegistrant})`
  const changes = source === 'invitation' ? [INVITED] : []
  const added: AuditEvent = { ...event, kind: 'group_member_added', changes }
  return membersAdding(db, by, { userIds, groupIds: ids }, { source, addedBy }, added)
}

/**
 * Returns the statements that add a user who registers, with the event.
 *
 * @param when Such as `isFreeName`.
 */
export function registrantInsertion(
  db: Database,
  by: Authority,
  user: Registrant,
  event: AuditEvent,
  when: SQL | undefined,
) {
  const written = writing(db, by)
  const row = {
    ...user,
    ...folderColumns(user.basePath),
    usernameKey: usernameKey(user.username),
    disabled: user.waiting,
    createdAt: event.at,
  }
  return {
    inserted: written
      .insert(users, row, { where: when })
      .onConflictDoNothing()
      .returning({ id: users.id }),
    // Both are of the statement before.
    event: written.insert(
      auditEvents,
      { ...eventRow(event), userId: sql`last_insert_rowid()` },
      { where: sql`changes() = 1` },
    ),
  }
}
