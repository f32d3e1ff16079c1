import { and, eq, gt, inArray, isNull, not, notExists, sql } from 'drizzle-orm'
import {
  appPasswords,
  auditEvents,
  fileUsers,
  identities,
  passkeys,
  recoveryCodes,
  reservedNames,
  serviceTokens,
  sessions,
  settings,
  sshKeys,
  users,
} from '../../../schema/tables.ts'
import { eventRow } from '../../audit/events.ts'
import { type Authority, runBatch, writing } from '../../database/statements.ts'
import type { Database } from '../../deps.ts'
import { COMMAND_LINE } from '../../access/operators.ts'
import { ADMIN, GUEST } from '../../accounts/roles.ts'
import { isEnrolled } from '../../two-factor/store.ts'
import type { OldIdentity } from './identities.ts'
import type { OldKey } from './keys.ts'
import type { OldPasskey } from './passkeys.ts'
import type { SiteState } from './plan.ts'
import type { OldReservedName } from './reserved-names.ts'
import type { OldServiceToken } from './service-tokens.ts'

/** The row of an account. */
export interface AccountRow {
  id: number
  username: string
  usernameKey: string
  /** PHC string. */
  passwordHash: string | null
  passwordChangedAt: number
  role: number
  permission: number
  basePath: string
  disabled: boolean
  ssoId: string
  /** Empty for a new one. */
  sub: string
  email: string
  emailVerified: boolean
  /** Unix time, milliseconds; null without an end. */
  endsAt: number | null
  waiting: boolean
  /** Sealed. */
  totpSeed: string | null
}

/** A key and its owner. */
export interface KeyRow extends OldKey {
  userId: number
  usernameKey: string
}

/** A passkey and its owner. */
export interface PasskeyRow extends OldPasskey {
  userId: number
  usernameKey: string
}

/** A user of the file server, and the account that goes on being it. */
export interface FileUserRow {
  userId: number
  usernameKey: string
  remoteId: number
  remoteName: string
}

/** An identity and its owner. */
export interface IdentityRow extends OldIdentity {
  userId: number
  usernameKey: string
}

export async function selectSiteState(db: Database, now: number): Promise<SiteState> {
  const { locals, reserved, highest, ids, changed } = await runBatch(db, {
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
  })
  return {
    users: locals,
    reserved: reserved.map(({ key }) => key),
    highestId: highest[0]?.id ?? 0,
    passkeyIds: ids.map(({ id }) => id),
    settings: changed.map(({ key }) => key),
  }
}

/** SQLite keeps the highest id of each table with AUTOINCREMENT, also after its row is gone. */
function selectHighestId(db: Database) {
  return db
    .select({ id: sql<number>`coalesce(max(seq), 0)`.as('id') })
    .from(sql`sqlite_sequence`)
    .where(sql`name = 'users'`)
}

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
        id: member('id'),
        username: member('username'),
        usernameKey: member('usernameKey'),
        passwordHash: member('passwordHash'),
        passwordChangedAt: member('passwordChangedAt'),
        role: member('role'),
        permission: member('permission'),
        basePath: member('basePath'),
        disabled: member('disabled'),
        ssoId: member('ssoId'),
        sub: member('sub'),
        email: member('email'),
        emailVerified: member('emailVerified'),
        endsAt: member('endsAt'),
        waiting: member('waiting'),
        totpSeed: member('totpSeed'),
        createdAt: now,
      },
      { from: jsonRows(rows), where: notExists(reservation) },
    )
    .onConflictDoNothing()
}

/** Reserves names; a name that a user has here, or that is reserved, stays as it is. */
export function insertOldReservedNames(db: Database, by: Authority, rows: OldReservedName[]) {
  const owner = db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.usernameKey, member('usernameKey')))
  return writing(db, by)
    .insert(
      reservedNames,
      {
        usernameKey: member('usernameKey'),
        username: member('username'),
        userId: member('userId'),
        reservedAt: member('reservedAt'),
      },
      { from: jsonRows(rows), where: notExists(owner) },
    )
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
export function insertKeys(db: Database, by: Authority, rows: KeyRow[], now: number) {
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
        title: member('title'),
        fingerprint: member('fingerprint'),
        type: member('type'),
        bits: member('bits'),
        line: member('line'),
        addedAt: member('addedAt'),
        lastUsedAt: member('lastUsedAt'),
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
      { userId: users.id, remoteId: member('remoteId'), remoteName: member('remoteName') },
      { from: sql`${jsonRows(rows)} inner join ${users} on ${isOwnerMadeAt(now)}` },
    )
    .onConflictDoNothing()
    .returning({ userId: fileUsers.userId })
}

/** Adds passkeys to the accounts that this import has made, and to no others. */
export function insertPasskeys(db: Database, by: Authority, rows: PasskeyRow[], now: number) {
  return writing(db, by)
    .insert(
      passkeys,
      {
        credentialId: member('credentialId'),
        userId: member('userId'),
        publicKey: member('publicKey'),
        algorithm: member('algorithm'),
        signCount: member('signCount'),
        backupEligible: member('backupEligible'),
        backedUp: member('backedUp'),
        transports: member('transports'),
        aaguid: member('aaguid'),
        rpId: member('rpId'),
        name: member('name'),
        createdAt: member('createdAt'),
        lastUsedAt: member('lastUsedAt'),
        discoverable: member('discoverable'),
      },
      { from: sql`${jsonRows(rows)} inner join ${users} on ${isOwnerMadeAt(now)}` },
    )
    .onConflictDoNothing()
}

/** Adds identities to the accounts that this import has made, and to no others. */
export function insertOldIdentities(db: Database, by: Authority, rows: IdentityRow[], now: number) {
  return writing(db, by)
    .insert(
      identities,
      {
        issuer: member('issuer'),
        subject: member('subject'),
        userId: member('userId'),
        platform: member('platform'),
        name: member('name'),
        linkedAt: now,
        linkedBy: 'import',
        lastUsedAt: null,
      },
      { from: sql`${jsonRows(rows)} inner join ${users} on ${isOwnerMadeAt(now)}` },
    )
    .onConflictDoNothing()
}

/** Adds recovery codes to the accounts that this import has made, and to no others. */
export function insertOldCodes(
  db: Database,
  by: Authority,
  rows: { userId: number; usernameKey: string; codeHash: string }[],
  now: number,
) {
  return writing(db, by)
    .insert(
      recoveryCodes,
      { userId: member('userId'), codeHash: member('codeHash') },
      { from: sql`${jsonRows(rows)} inner join ${users} on ${isOwnerMadeAt(now)}` },
    )
    .onConflictDoNothing()
}

/** Adds service tokens; a token whose name is taken is not added. */
export function insertOldServiceTokens(db: Database, by: Authority, rows: OldServiceToken[]) {
  return writing(db, by)
    .insert(
      serviceTokens,
      {
        name: member('name'),
        tokenHash: member('tokenHash'),
        scope: member('scope'),
        createdAt: member('createdAt'),
      },
      { from: jsonRows(rows) },
    )
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
    { ...event, kind: member('kind'), userId: member('userId') },
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

/** The shortest time for which events may be kept: an operator can have set it. */
const MAX_AGE_MILLISECONDS = 30 * 24 * 60 * 60 * 1000

/**
 * Holds for a built-in account as `npm start` makes it, which nobody has signed in to or changed.
 * The events of an older account may be deleted, so it may have been used.
 */
function isUntouched(db: Database, now: number) {
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
function isBare(db: Database) {
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

/** Any number of rows as one parameter: D1 takes at most a hundred parameters. */
function jsonRows(rows: unknown[]) {
  return sql`json_each(${JSON.stringify(rows)})`
}

/** A member of a row of `each`. */
function member(name: string) {
  return sql`value ->> ${`$.${name}`}`
}

/** Holds for the owner of a row of `jsonRows`, when this import has made the account. */
function isOwnerMadeAt(now: number) {
  return and(
    eq(users.id, member('userId')),
    eq(users.usernameKey, member('usernameKey')),
    eq(users.createdAt, now),
  )
}
