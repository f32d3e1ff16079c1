import { and, eq, inArray, not, notExists, type SQL, sql } from 'drizzle-orm'
import {
  auditEvents,
  fileUsers,
  folderRules,
  groupMembers,
  groups,
  identities,
  passkeys,
  recoveryCodes,
  reservedNames,
  serviceTokens,
  sshKeys,
  users,
} from '../../../schema/tables.ts'
import { eventRow, insertEvents } from '../../core/audit/events.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { COMMAND_LINE } from '../../core/access/operators.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { existsUser } from '../../core/accounts/store.ts'
import {
  MAX_FOLDER_RULES,
  MAX_GROUPS,
  MAX_GROUPS_OF_USER,
  MAX_RULE_FOLDERS,
} from '../../core/accounts/groups.ts'
import type { OldFolderRule, StricterRule } from './groups.ts'
import type { OldIdentity } from './accounts.ts'
import type { OldKey } from './keys.ts'
import type { OldPasskey } from './passkeys.ts'
import type { OldReservedName } from './reserved-names.ts'
import type { OldServiceToken } from './service-tokens.ts'
import { isBare, isUntouched } from './site-state.ts'
import type { OldGroup, OldMember } from './source-groups.ts'
import type { OldUser } from './users.ts'

/** The row of an account. `sub` is empty for a new one. */
export interface AccountRow extends Omit<OldUser, 'id' | 'password' | 'seed' | 'remarks'> {
  id: number
  usernameKey: string
  basePathKey: string
  /** PHC string. */
  passwordHash: string | null
  /** Sealed. */
  totpSeed: string | null
}

/** A row with the account that owns it. */
export type Owned<Row> = Row & { userId: number; usernameKey: string }

/** A user of the file server, and the account that goes on being it. */
export type FileUserRow = Owned<{ remoteId: number; remoteName: string }>

/** Adds accounts. An account whose name or id is taken, or whose name is reserved, is not added. */
export function insertAccounts(db: Database, by: Authority, rows: AccountRow[], now: number) {
  const reservation = db
    .select({ key: reservedNames.usernameKey })
    .from(reservedNames)
    .where(eq(reservedNames.usernameKey, member('usernameKey')))
  return writing(db, by)
    .insert(
      users,
      {
        ...members(
          'id',
          'username',
          'usernameKey',
          'passwordHash',
          'passwordChangedAt',
          'role',
          'permission',
          'basePath',
          'basePathKey',
          'disabled',
          'ssoId',
          'sub',
          'email',
          'emailVerified',
          'endsAt',
          'waiting',
          'totpSeed',
        ),
        createdAt: now,
      },
      { from: jsonRows(rows), where: notExists(reservation) },
    )
    .onConflictDoNothing()
}

/** Reserves names; a name that a user has here, or that is reserved, stays as it is. */
export function insertOldReservedNames(db: Database, by: Authority, rows: OldReservedName[]) {
  return writing(db, by)
    .insert(reservedNames, members('usernameKey', 'username', 'userId', 'reservedAt'), {
      from: jsonRows(rows),
      where: not(existsUser(db, eq(users.usernameKey, member('usernameKey')))),
    })
    .onConflictDoNothing()
    .returning({ username: reservedNames.username })
}

/**
 * Puts an account of the source in the place of a built-in one that nobody has used since. The
 * guest never signs in and keeps its present name.
 */
export function replaceBuiltIn(db: Database, by: Authority, row: AccountRow, now: number) {
  const { id, username, usernameKey, role, sub, ...change } = row
  return writing(db, by).update(
    users,
    { ...change, ...(role === ADMIN && { username }), ...(sub && { sub }), createdAt: now },
    and(
      eq(users.id, id),
      eq(users.usernameKey, usernameKey),
      eq(users.role, role),
      isUntouched(db, now),
    ),
  )
}

/**
 * Gives password and second factor to an account that has neither, nor sessions and keys. Its other
 * fields stay.
 */
export function completeAccount(db: Database, by: Authority, row: AccountRow, now: number) {
  const { id, usernameKey, role, passwordHash, passwordChangedAt, totpSeed, sub } = row
  return writing(db, by).update(
    users,
    { passwordHash, passwordChangedAt, totpSeed, ...(sub && { sub }), createdAt: now },
    and(eq(users.id, id), eq(users.usernameKey, usernameKey), eq(users.role, role), isBare(db)),
  )
}

/** Adds keys to the accounts that this import has made, and to no others. */
export function insertKeys(db: Database, by: Authority, rows: Owned<OldKey>[], now: number) {
  // The ids of the keys follow their order in the source.
  const owned = sql`(
    select ${users.id} as owner_id, value
    from ${jsonRows(rows)} inner join ${users} on ${isOwnerMadeAt(now)} order by json_each.key
  )`
  return writing(db, by)
    .insert(
      sshKeys,
      {
        userId: sql`owner_id`,
        ...members('title', 'fingerprint', 'type', 'bits', 'line', 'addedAt', 'lastUsedAt'),
      },
      { from: owned },
    )
    .onConflictDoNothing()
}

/** Links the accounts that this import has made, and no others, to users of the file server. */
export function insertOldFileUsers(db: Database, by: Authority, rows: FileUserRow[], now: number) {
  return writing(db, by)
    .insert(
      fileUsers,
      { userId: users.id, sub: users.sub, ...members('remoteId', 'remoteName') },
      { from: ofAccountsMade(rows, now) },
    )
    .onConflictDoNothing()
    .returning({ userId: fileUsers.userId })
}

/** Adds passkeys to the accounts that this import has made, and to no others. */
export function insertPasskeys(
  db: Database,
  by: Authority,
  rows: Owned<OldPasskey>[],
  now: number,
) {
  return writing(db, by)
    .insert(
      passkeys,
      members(
        'credentialId',
        'userId',
        'publicKey',
        'algorithm',
        'signCount',
        'backupEligible',
        'backedUp',
        'transports',
        'aaguid',
        'rpId',
        'name',
        'createdAt',
        'lastUsedAt',
        'discoverable',
      ),
      { from: ofAccountsMade(rows, now) },
    )
    .onConflictDoNothing()
}

/** Adds identities to the accounts that this import has made, and to no others. */
export function insertOldIdentities(
  db: Database,
  by: Authority,
  rows: Owned<OldIdentity>[],
  now: number,
) {
  return writing(db, by)
    .insert(
      identities,
      {
        ...members('issuer', 'subject', 'userId', 'platform', 'name'),
        linkedAt: now,
        linkedBy: 'import',
        lastUsedAt: null,
      },
      { from: ofAccountsMade(rows, now) },
    )
    .onConflictDoNothing()
}

/** Adds recovery codes to the accounts that this import has made, and to no others. */
export function insertOldCodes(
  db: Database,
  by: Authority,
  rows: Owned<{ codeHash: string }>[],
  now: number,
) {
  return writing(db, by)
    .insert(recoveryCodes, members('userId', 'codeHash'), { from: ofAccountsMade(rows, now) })
    .onConflictDoNothing()
}

/** Adds service tokens; a token whose name is taken is not added. */
export function insertOldServiceTokens(db: Database, by: Authority, rows: OldServiceToken[]) {
  return writing(db, by)
    .insert(serviceTokens, members('name', 'tokenHash', 'scope', 'createdAt'), {
      from: jsonRows(rows),
    })
    .onConflictDoNothing()
    .returning({ name: serviceTokens.name })
}

/** Writes the events of the admins and the guest that this import has made or replaced. */
export function insertAccountEvents(
  db: Database,
  by: Authority,
  rows: { userId: number; kind: 'user_made' | 'user_changed' }[],
  now: number,
) {
  const event = eventRow({ at: now, kind: 'user_made', detail: 'by import', ...COMMAND_LINE })
  const isMade = and(eq(users.id, member('userId')), eq(users.createdAt, now))
  return writing(db, by).insert(
    auditEvents,
    { ...event, ...members('kind', 'userId') },
    { from: sql`${jsonRows(rows)} inner join ${users} on ${isMade}` },
  )
}

/** The accounts among these that this import has made or replaced. */
export function selectWritten(db: Database, userIds: number[], now: number) {
  const ids = db.select({ id: sql`value` }).from(jsonRows(userIds))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, ids), eq(users.createdAt, now)))
}

/** Makes groups. A group of this name stays as it is here. */
export function insertOldGroups(db: Database, by: Authority, rows: OldGroup[], now: number) {
  const here = sql`select 1 from ${groups} as here where here.name_key = ${member('nameKey')}`
  return writing(db, by)
    .insert(
      groups,
      { ...members('name', 'nameKey', 'note'), createdAt: now },
      {
        from: jsonRows(rows),
        where: sql`not exists (${here}) and (select count(*) from ${groups} as others) + json_each.key < ${MAX_GROUPS}`,
      },
    )
    .onConflictDoNothing()
    .returning({ name: groups.name })
}

/** Writes an event for each group that was made. */
export function insertGroupEvents(
  db: Database,
  by: Authority,
  made: readonly { name: string }[],
  now: number,
) {
  const event = { at: now, kind: 'group_created', ...COMMAND_LINE } as const
  return insertEvents(db, by, event, { detail: member('name') }, { from: jsonRows([...made]) })
}

/** Puts the accounts that this import has made into groups, and no others. */
export function insertOldMembers(db: Database, by: Authority, rows: OldMember[], now: number) {
  // `before` counts what earlier parts of this import have written.
  const isRoom = sql`(select count(*) from ${groupMembers} as own where own.user_id = ${users.id}
    and (own.source <> 'import' or own.added_at <> ${now})) + ${member('before')} < ${MAX_GROUPS_OF_USER}`
  return writing(db, by)
    .insert(
      groupMembers,
      {
        groupId: sql`${groups.id}`,
        userId: sql`${users.id}`,
        addedAt: now,
        addedBy: null,
        source: 'import',
      },
      {
        from: sql`${ofAccountsMade(rows, now)} inner join ${groups} on ${groups.nameKey} = ${member('nameKey')}`,
        where: and(isRoom, sql`${users.role} <> ${GUEST}`),
      },
    )
    .onConflictDoNothing()
    .returning({ userId: groupMembers.userId })
}

/** Makes folder rules. A rule for the same user or group stays as it is here. */
export function insertOldFolderRules(
  db: Database,
  by: Authority,
  rows: OldFolderRule[],
  now: number,
) {
  // `before` and `folders` count what earlier parts of this import have written.
  const others = sql`from ${folderRules} as others where others.created_at <> ${now}`
  const isRoom = sql`(select count(*) ${others}) + ${member('before')} < ${MAX_FOLDER_RULES}
    and (exists (select 1 from ${folderRules} as here where here.path = ${member('path')})
      or (select count(distinct others.path) ${others}) + ${member('folders')} <= ${MAX_RULE_FOLDERS})`
  const isKnown = sql`(${member('nameKey')} is null or ${groups.id} is not null)
    and (${member('userId')} is null or ${member('userId')} < 0 or exists (
      select 1 from ${users} where ${users.id} = ${member('userId')} and ${users.role} <> ${ADMIN}))`
  return writing(db, by)
    .insert(
      folderRules,
      {
        path: member('path'),
        builtIn: member('builtIn'),
        groupId: sql`${groups.id}`,
        userId: member('userId'),
        access: member('access'),
        createdAt: now,
      },
      {
        from: sql`${jsonRows(rows)} left join ${groups} on ${groups.nameKey} = ${member('nameKey')}`,
        where: sql`${isKnown} and ${isRoom}`,
      },
    )
    .onConflictDoNothing()
    .returning({ id: folderRules.id })
}

/** Gives rules of the site another right. */
export function updateRules(db: Database, by: Authority, rows: StricterRule[]) {
  const row = sql`from ${jsonRows(rows)} where ${member('id')} = ${folderRules.id}`
  return writing(db, by)
    .update(
      folderRules,
      { access: sql`(select ${member('access')} ${row})` },
      sql`exists (select 1 ${row} and ${member('access')} <> ${folderRules.access})`,
    )
    .returning({ id: folderRules.id })
}

/** Selects the rules that are not here: another writer was faster. */
export function selectMissingRules(db: Database, rows: OldFolderRule[]) {
  const isSame = sql`here.path = ${member('path')} and here.built_in is ${member('builtIn')}
    and here.group_id is ${groups.id} and here.user_id is ${member('userId')}`
  return db
    .select({ path: sql<string>`${member('path')}`.as('missing_path') })
    .from(sql`${jsonRows(rows)} left join ${groups} on ${groups.nameKey} = ${member('nameKey')}`)
    .where(sql`not exists (select 1 from ${folderRules} as here where ${isSame})`)
}

/** Selects the accounts that this import has made, and that are not in their groups. */
export function selectMissingMembers(db: Database, rows: OldMember[], now: number) {
  const isIn = sql`own.user_id = ${users.id} and own.group_id = ${groups.id}`
  return db
    .select({
      nameKey: sql<string>`${member('nameKey')}`.as('name_key'),
      username: sql<string>`${users.username}`.as('member_name'),
    })
    .from(
      sql`${ofAccountsMade(rows, now)} left join ${groups} on ${groups.nameKey} = ${member('nameKey')}`,
    )
    .where(
      sql`${users.role} <> ${GUEST} and not exists (select 1 from ${groupMembers} as own where ${isIn})`,
    )
}

/** Any number of rows as one parameter: D1 takes at most a hundred parameters. */
function jsonRows(rows: unknown[]) {
  return sql`json_each(${JSON.stringify(rows)})`
}

/** A member of a row of `jsonRows`. */
function member(name: string): SQL {
  return sql`value ->> ${`$.${name}`}`
}

/** Members of a row of `jsonRows`, for the columns of the same names. */
function members<Name extends string>(...names: Name[]): Record<Name, SQL>
function members(...names: string[]): Record<string, SQL> {
  return Object.fromEntries(names.map((name) => [name, member(name)]))
}

/** The rows of `jsonRows` whose owner this import has made, with the owner. */
function ofAccountsMade(rows: Owned<unknown>[], now: number): SQL {
  return sql`${jsonRows(rows)} inner join ${users} on ${isOwnerMadeAt(now)}`
}

/** Holds for the owner of a row of `jsonRows`, when this import has made the account. */
function isOwnerMadeAt(now: number) {
  return and(
    eq(users.id, member('userId')),
    eq(users.usernameKey, member('usernameKey')),
    eq(users.createdAt, now),
  )
}
