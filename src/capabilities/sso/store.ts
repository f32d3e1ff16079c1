import { and, desc, eq, exists, ne, notExists, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { identities, users } from '../../../schema/tables.ts'
import { begunWithIdentities, type Taking } from '../../core/access/begun-with.ts'
import { endSessions } from '../../core/access/endings.ts'
import { deletionOf } from '../../core/audit/deletions.ts'
import { type AuditEvent, insertEvent } from '../../core/audit/events.ts'
import { accountColumns } from '../../core/accounts/accounts.ts'
import { signInColumns, selectWithPasswordOrPasskey } from '../../core/accounts/store.ts'
import type { SsoPlatform } from '../../core/base/sso-platforms.ts'
import { type Authority, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'

/** Names an account at a provider. */
export interface IdentityKey {
  issuer: string
  subject: string
}

/** An account at a provider that its user has just signed in to. */
export interface ProvenIdentity extends IdentityKey {
  platform: SsoPlatform
  /** What the provider calls the user; empty without a name. */
  name: string
  /** When the provider asked its user to sign in (seconds since 1970), if it tells. */
  authTimeSeconds?: number | undefined
}

/** Who links an identity. */
export type LinkedBy = 'user' | 'registration' | 'import'

/** The columns of an identity that lists show. */
const identityColumns = {
  issuer: identities.issuer,
  subject: identities.subject,
  platform: identities.platform,
  name: identities.name,
  linkedAt: identities.linkedAt,
  linkedBy: identities.linkedBy,
  lastUsedAt: identities.lastUsedAt,
}

/** Selects the identities of a user, oldest first. */
export function selectIdentities(db: Database, userId: number) {
  return db
    .select(identityColumns)
    .from(identities)
    .where(eq(identities.userId, userId))
    .orderBy(identities.linkedAt, identities.issuer, identities.subject)
}

export type StoredIdentity = Awaited<ReturnType<typeof selectIdentities>>[number]

/** Selects the user of an identity, for a sign-in. */
export function selectUserOfIdentity(db: Database, identity: IdentityKey) {
  return db
    .select({
      ...signInColumns,
      username: users.username,
      hasPasskey: accountColumns.hasPasskey,
    })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(isIdentity(identity))
}

export type IdentityUser = Awaited<ReturnType<typeof selectUserOfIdentity>>[number]

/** Holds while the identity is linked with this user. */
export function isLinkedWith(db: Database, identity: IdentityKey, userId: number): SQL {
  const linked = db.select({ userId: identities.userId }).from(identities)
  return exists(linked.where(and(isIdentity(identity), eq(identities.userId, userId))))
}

/** Holds while no user but this one has the identity. */
export function isFreeFor(db: Database, identity: IdentityKey, userId: number): SQL {
  const taken = db.select({ userId: identities.userId }).from(identities)
  return notExists(taken.where(and(isIdentity(identity), ne(identities.userId, userId))))
}

/** Records that the identity was used, and its name if none is stored: imports know none. */
export function markIdentityUsed(db: Database, identity: ProvenIdentity, now: number) {
  const name = sql`coalesce(nullif(${identities.name}, ''), ${identity.name})`
  const values = { lastUsedAt: now, name }
  return writing(db, THE_SERVICE).update(identities, values, isIdentity(identity))
}

/** Tells whether a user has this text as `sso_id` and nobody has confirmed it (`docs/interface.md`). */
export function selectClaims(db: Database, texts: readonly string[]) {
  const claimed = or(...texts.filter((text) => text !== '').map((text) => eq(users.ssoId, text)))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(claimed ?? sql`false`, ne(users.ssoId, sql`''`), hasNoIdentity(db)))
    .limit(1)
}

function hasNoIdentity(db: Database): SQL {
  const own = db.select({ userId: identities.userId }).from(identities)
  return notExists(own.where(eq(identities.userId, users.id)))
}

/**
 * Returns the statements that link an identity with a user and write the event. Nothing happens
 * when the identity is linked already, with this user or another.
 */
export function identityLinking(
  db: Database,
  by: Authority,
  userId: number,
  identity: ProvenIdentity,
  linkedBy: LinkedBy,
  event: AuditEvent,
  when?: SQL,
) {
  const { issuer, subject, platform, name } = identity
  const linked = db.select({ userId: identities.userId }).from(identities)
  const isNew = and(notExists(linked.where(isIdentity(identity))), when)
  const row = {
    issuer,
    subject,
    userId,
    platform,
    name,
    linkedAt: event.at,
    linkedBy,
    lastUsedAt: null,
  }
  return {
    linkEvent: insertEvent(db, by, event, isNew),
    linked: writing(db, by)
      .insert(identities, row, { where: isNew })
      .returning({ userId: identities.userId }),
  }
}

/** Shows the latest identity of a user as `sso_id`; empty without one. */
export function showIdentity(db: Database, by: Authority, userId: number, when?: SQL) {
  const latest = db
    .select({ subject: identities.subject })
    .from(identities)
    .where(eq(identities.userId, userId))
    .orderBy(desc(identities.linkedAt))
    .limit(1)
  const ssoId = sql`coalesce((${latest}), '')`
  return writing(db, by).update(users, { ssoId }, and(eq(users.id, userId), when))
}

/**
 * Returns the statements that unlink identities of a user, with an event for each, and end what
 * began with them, except the actor's session.
 *
 * @param identity Without it, all of them.
 * @param when A further condition. Where users act for themselves, `hasOtherWayIn` is part of it.
 */
export function identityUnlinking(
  db: Database,
  by: Authority,
  userId: number,
  identity: IdentityKey | undefined,
  event: AuditEvent,
  when: SQL | undefined,
  taking: Taking,
) {
  const which = and(when, eq(identities.userId, userId), identity && isIdentity(identity))
  // The same text as `identityText`.
  const shown = sql`coalesce(nullif(${identities.name}, ''), ${identities.subject})`
  const detail = sql`${identities.platform} || ': ' || ${shown}`
  const { deletionEvents, deleted } = deletionOf(db, by, identities, which, event, detail)
  const ending = begunWithIdentities(userId, which, taking)
  const { endedGrants, ended } = endSessions(db, by, ending)
  return { deletionEvents, endedWithIdentityGrants: endedGrants, endedWithIdentity: ended, deleted }
}

/**
 * Works like `identityUnlinking`, for one identity, and shows another one as `sso_id` instead. When
 * nothing is unlinked, the text stays: it may be a claim that nobody has confirmed.
 */
export function oneUnlinking(
  db: Database,
  by: Authority,
  userId: number,
  identity: IdentityKey,
  event: AuditEvent,
  when: SQL | undefined,
  taking: Taking,
) {
  return {
    ...identityUnlinking(db, by, userId, identity, event, when, taking),
    // `changes()` is that of the statement before.
    shown: showIdentity(db, by, userId, sql`changes() > 0`),
  }
}

/** Selects whether a user can sign in with a password or a passkey. */
export function selectHasOtherWayIn(db: Database, userId: number) {
  return db
    .select({ hasOtherWayIn: hasOtherWayIn(db, userId).mapWith(Boolean).as('other_way') })
    .from(users)
    .where(eq(users.id, userId))
}

/**
 * Holds while a user can sign in without an identity, or without any: with a password, a passkey or
 * another identity.
 */
export function hasOtherWayIn(db: Database, userId: number, identity?: IdentityKey): SQL {
  const others = alias(identities, 'others')
  const other =
    identity &&
    exists(
      db
        .select({ userId: others.userId })
        .from(others)
        .where(
          and(
            eq(others.userId, userId),
            or(ne(others.issuer, identity.issuer), ne(others.subject, identity.subject)),
          ),
        ),
    )
  return sql`(${or(exists(selectWithPasswordOrPasskey(db, userId)), other)})`
}

function isIdentity({ issuer, subject }: IdentityKey): SQL | undefined {
  return and(eq(identities.issuer, issuer), eq(identities.subject, subject))
}
