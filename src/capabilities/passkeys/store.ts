import { and, count, eq, exists, gt, ne, notExists, or, type SQL, sql } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import { passkeys, users } from '../../../schema/tables.ts'
import { begunWithPasskeys, type Taking } from '../../core/access/begun-with.ts'
import { endSessions } from '../../core/access/endings.ts'
import { deletionOf } from '../../core/audit/deletions.ts'
import { type AuditEvent, insertEvents } from '../../core/audit/events.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { isNamed } from '../../core/accounts/store.ts'
import { toHex } from '../../core/base/encoding.ts'
import type { Assertion, NewCredential } from './verification.ts'

export const MAX_PASSKEYS_PER_USER = 20

/** The columns of a passkey that lists show. */
const passkeyColumns = {
  credentialId: passkeys.credentialId,
  name: passkeys.name,
  aaguid: passkeys.aaguid,
  transports: passkeys.transports,
  backupEligible: passkeys.backupEligible,
  backedUp: passkeys.backedUp,
  rpId: passkeys.rpId,
  createdAt: passkeys.createdAt,
  lastUsedAt: passkeys.lastUsedAt,
}

/** Selects the passkeys of a user, oldest first. */
export function selectPasskeys(db: Database, userId: number) {
  return db
    .select(passkeyColumns)
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(passkeys.createdAt, passkeys.credentialId)
}

export type StoredPasskey = Awaited<ReturnType<typeof selectPasskeys>>[number]

/**
 * Selects a user by name, in a row for each of the user's passkeys of this relying party, and in
 * one row without a passkey otherwise.
 */
export function selectForBegin(db: Database, username: string, rpId: string, now: number) {
  return db
    .select({
      userId: users.id,
      credentialId: passkeys.credentialId,
      transports: passkeys.transports,
      discoverable: passkeys.discoverable,
    })
    .from(users)
    .leftJoin(
      passkeys,
      and(eq(passkeys.userId, users.id), eq(passkeys.rpId, rpId), isAllowedIn(now)),
    )
    .where(isNamed(username))
}

/** Selects a passkey of this relying party, with its owner. */
export function selectCredential(db: Database, credentialId: string, rpId: string, now: number) {
  return db
    .select({
      credentialId: passkeys.credentialId,
      userId: passkeys.userId,
      publicKey: passkeys.publicKey,
      signCount: passkeys.signCount,
      backupEligible: passkeys.backupEligible,
      name: passkeys.name,
      username: users.username,
      isAllowedIn: sql`(${isAllowedIn(now)})`.mapWith(Boolean).as('allowed_in'),
    })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(and(eq(passkeys.credentialId, credentialId), eq(passkeys.rpId, rpId)))
}

export type Credential = Awaited<ReturnType<typeof selectCredential>>[number]

/** Holds for a row of `users` that may sign in. */
function isAllowedIn(now: number) {
  return and(isEnabled(now), isNotGuest)
}

/** Holds while the owner may sign in and no later answer of this passkey was accepted. */
export function isCurrent(
  db: Database,
  { credentialId, userId, publicKey }: Credential,
  { signCount }: Assertion,
  now: number,
): SQL {
  const current = db
    .select({ userId: passkeys.userId })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(
      and(
        eq(passkeys.credentialId, credentialId),
        eq(passkeys.userId, userId),
        eq(passkeys.publicKey, publicKey),
        isCounterBehind(signCount),
        isAllowedIn(now),
      ),
    )
  return exists(current)
}

/**
 * Holds for a row of `passkeys` whose counter this one may follow. `isCounterBack` is the same
 * check.
 */
function isCounterBehind(signCount: number): SQL | undefined {
  const isUncounted = signCount === 0 ? eq(passkeys.signCount, 0) : undefined
  return or(sql`${passkeys.signCount} < ${signCount}`, isUncounted)
}

/**
 * Records that a passkey was used. The condition on the counter stands in the update itself.
 *
 * @param isFound True when the authenticator found the passkey without the user name.
 */
export function markUsed(
  db: Database,
  by: Authority,
  { credentialId, userId }: Credential,
  { signCount, isBackupEligible, isBackedUp }: Assertion,
  isFound: boolean,
  now: number,
) {
  const set = {
    signCount,
    backupEligible: isBackupEligible,
    backedUp: isBackedUp,
    lastUsedAt: now,
    ...(isFound && { discoverable: true }),
  }
  const which = and(isPasskeyOf(userId, credentialId), isCounterBehind(signCount))
  return writing(db, by).update(passkeys, set, which)
}

/** A passkey to store. */
interface NewPasskey extends NewCredential {
  userId: number
  rpId: string
  name: string
  transports: readonly string[]
}

export function insertPasskey(db: Database, by: Authority, passkey: NewPasskey, now: number) {
  const { userId, rpId, name, algorithm, signCount, isBackupEligible, isBackedUp } = passkey
  const row = {
    credentialId: base64url.encode(passkey.id),
    userId,
    publicKey: base64url.encode(passkey.publicKey),
    algorithm,
    signCount,
    backupEligible: isBackupEligible,
    backedUp: isBackedUp,
    transports: passkey.transports.join(' '),
    aaguid: toHex(passkey.aaguid),
    rpId,
    name,
    createdAt: now,
  }
  return writing(db, by).insert(passkeys, row).returning({ credentialId: passkeys.credentialId })
}

/** Holds while nobody has a passkey with this id. */
export function isNewId(db: Database, credentialId: string): SQL {
  const taken = db.select({ id: passkeys.credentialId }).from(passkeys)
  return notExists(taken.where(eq(passkeys.credentialId, credentialId)))
}

export function countPasskeys(db: Database, userId: number) {
  return db.select({ total: count() }).from(passkeys).where(eq(passkeys.userId, userId))
}

/** Holds while a user may add a passkey. */
export function hasRoom(db: Database, userId: number): SQL {
  return gt(sql`${MAX_PASSKEYS_PER_USER}`, sql`(${countPasskeys(db, userId)})`)
}

/** Holds for a passkey of a user; without `credentialId`, for every passkey of the user. */
export function isPasskeyOf(userId: number, credentialId?: string): SQL | undefined {
  const isThis = credentialId === undefined ? undefined : eq(passkeys.credentialId, credentialId)
  return and(eq(passkeys.userId, userId), isThis)
}

/**
 * Returns the statements that delete passkeys of a user, with an event for each, and end what began
 * with them, except the actor's session.
 *
 * @param credentialId Without it, every passkey of the user.
 */
export function passkeyDeletion(
  db: Database,
  by: Authority,
  userId: number,
  credentialId: string | undefined,
  event: AuditEvent,
  taking: Taking,
) {
  const which = isPasskeyOf(userId, credentialId)
  const { deletionEvents, deleted } = deletionOf(db, by, passkeys, which, event, passkeys.name)
  const ending = begunWithPasskeys(userId, which, taking)
  const { endedGrants, ended } = endSessions(db, by, ending)
  return { deletionEvents, endedWithPasskeyGrants: endedGrants, endedWithPasskey: ended, deleted }
}

/** Returns the statements that rename a passkey and write the event. */
export function passkeyRenaming(
  db: Database,
  by: Authority,
  which: SQL | undefined,
  name: string,
  event: AuditEvent,
) {
  const isOther = and(which, ne(passkeys.name, name))
  return {
    event: insertEvents(db, by, event, {}, { from: passkeys, where: isOther }),
    renamed: writing(db, by).update(passkeys, { name }, which).returning({ name: passkeys.name }),
  }
}
