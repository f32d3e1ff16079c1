import { and, eq, gt, inArray, isNull, not, notExists, sql } from 'drizzle-orm'
import {
  appPasswords,
  auditEvents,
  folderRules,
  groupMembers,
  groups,
  passkeys,
  reservedNames,
  sessions,
  settings,
  sshKeys,
  users,
} from '../../../schema/tables.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { isEnrolled } from '../../capabilities/two-factor/store.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** A folder and whose rights a rule there gives. One of the others is not null. */
export interface NamedRule {
  path: string
  builtIn: 'user' | 'guest' | null
  /** Of the group. */
  nameKey: string | null
  /** Less than 0 for a user who is not here: the folder stays closed to others. */
  userId: number | null
}

/** A folder rule of the site. */
export interface HereRule extends NamedRule {
  id: number
  access: 'none' | 'read' | 'write'
}

/** The state of the site into which the import writes. */
export interface SiteState {
  users: {
    id: number
    usernameKey: string
    sub: string
    role: number
    /** A built-in account that nobody has used yet. */
    isUntouched: boolean
    /** The account has no password, second factor, sessions or keys. */
    isBare: boolean
  }[]
  /** Keys of the names that accounts had here. */
  reserved: string[]
  /** The highest id that a user ever had; the user may be deleted. */
  highestId: number
  /** Credential ids of all passkeys. */
  passkeyIds: string[]
  /** Keys of the names of groups. */
  groups: string[]
  /** Users in groups. */
  groupMembers: { userId: number; nameKey: string }[]
  folderRules: HereRule[]
  /** Keys of settings that an operator has changed. */
  settings: string[]
}

export async function selectSiteState(db: Database, now: number): Promise<SiteState> {
  const { locals, reserved, highest, ids, changed, named, rules, inGroups } = await runBatch(db, {
    locals: db
      .select({
        id: users.id,
        usernameKey: users.usernameKey,
        sub: users.sub,
        role: users.role,
        isUntouched: sql`${isUntouched(db, now)}`.mapWith(Boolean).as('is_untouched'),
        isBare: sql`${isBare(db)}`.mapWith(Boolean).as('is_bare'),
      })
      .from(users),
    reserved: db.select({ key: reservedNames.usernameKey }).from(reservedNames),
    highest: selectHighestId(db),
    ids: db.select({ id: passkeys.credentialId }).from(passkeys),
    changed: db.select({ key: settings.key }).from(settings),
    named: db.select({ key: groups.nameKey }).from(groups),
    rules: selectNamedRules(db),
    inGroups: db
      .select({ userId: groupMembers.userId, nameKey: groups.nameKey })
      .from(groupMembers)
      .innerJoin(groups, eq(groups.id, groupMembers.groupId)),
  })
  return {
    users: locals,
    reserved: reserved.map(({ key }) => key),
    highestId: highest[0]?.id ?? 0,
    passkeyIds: ids.map(({ id }) => id),
    settings: changed.map(({ key }) => key),
    groups: named.map(({ key }) => key),
    groupMembers: inGroups,
    folderRules: rules,
  }
}

function selectNamedRules(db: Database) {
  return db
    .select({
      id: folderRules.id,
      access: sql<HereRule['access']>`${folderRules.access}`.as('access'),
      path: folderRules.path,
      builtIn: sql<NamedRule['builtIn']>`${folderRules.builtIn}`.as('built_in'),
      nameKey: groups.nameKey,
      userId: folderRules.userId,
    })
    .from(folderRules)
    .leftJoin(groups, eq(groups.id, folderRules.groupId))
}

/** SQLite keeps the highest id of each table with AUTOINCREMENT, also after its row is gone. */
function selectHighestId(db: Database) {
  return db
    .select({ id: sql<number>`coalesce(max(seq), 0)`.as('id') })
    .from(sql`sqlite_sequence`)
    .where(sql`name = 'users'`)
}

/** The shortest time for which events may be kept: an operator can have set it. */
const MAX_AGE_MILLISECONDS = 30 * DAY_MILLISECONDS

/**
 * Holds for a built-in account as `npm start` makes it, which nobody has signed in to or changed.
 * The events of an older account may be deleted, so it may have been used.
 */
export function isUntouched(db: Database, now: number) {
  return and(
    inArray(users.role, [ADMIN, GUEST]),
    not(isEnrolled()),
    hasNoPasskey(db),
    gt(users.createdAt, now - MAX_AGE_MILLISECONDS),
    notExists(db.select({ id: sessions.id }).from(sessions).where(eq(sessions.userId, users.id))),
    notExists(
      db
        .select({ id: appPasswords.id })
        .from(appPasswords)
        .where(eq(appPasswords.userId, users.id)),
    ),
    notExists(
      db.select({ id: auditEvents.id }).from(auditEvents).where(eq(auditEvents.userId, users.id)),
    ),
  )
}

/** Holds for an account without password, second factor, sessions and keys. */
export function isBare(db: Database) {
  return and(
    isNull(users.passwordHash),
    not(isEnrolled()),
    notExists(db.select({ id: sessions.id }).from(sessions).where(eq(sessions.userId, users.id))),
    notExists(db.select({ id: sshKeys.id }).from(sshKeys).where(eq(sshKeys.userId, users.id))),
    hasNoPasskey(db),
  )
}

function hasNoPasskey(db: Database) {
  return notExists(
    db.select({ id: passkeys.userId }).from(passkeys).where(eq(passkeys.userId, users.id)),
  )
}
