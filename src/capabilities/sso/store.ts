import { and, desc, eq, exists, ne, notExists, or, type SQL, sql } from 'drizzle-orm'
import { identities, users } from '../../../schema/tables.ts'
import type { Taking } from '../../core/access/begun-with.ts'
import {
  hasOtherWayIn,
  type IdentityKey,
  identityUnlinking,
  isIdentity,
  type ProvenIdentity,
} from '../../core/access/identities.ts'
import { accountColumns } from '../../core/accounts/accounts.ts'
import { signInColumns } from '../../core/accounts/store.ts'
import type { AuditEvent } from '../../core/audit/events.ts'
import { type Authority, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'

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
