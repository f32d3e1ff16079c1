import { and, eq, exists, ne, notExists, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { identities } from '../../../schema/tables.ts'
import { selectWithPasswordOrPasskey } from '../accounts/store.ts'
import { deletionOf } from '../audit/deletions.ts'
import { type AuditEvent, insertEvent } from '../audit/events.ts'
import type { SsoPlatform } from '../base/sso-platforms.ts'
import { visible } from '../base/text.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { begunWithIdentities, type Taking } from './begun-with.ts'
import { endSessions } from './endings.ts'

/** Names an account at a provider. */
export interface IdentityKey {
  issuer: string
  subject: string
}

/** An account at a provider that its user has just signed in to. */
export interface ProvenIdentity extends IdentityKey {
  platform: SsoPlatform
  /** The provider's name of the user; empty without a name. */
  name: string
  /** When the provider asked its user to sign in (seconds since 1970), if it tells. */
  authTimeSeconds?: number | undefined
}

/** The origin of a link. */
export type LinkedBy = 'user' | 'registration' | 'import'

/** Holds while no user but this one has the identity. */
export function isFreeFor(db: Database, identity: IdentityKey, userId: number): SQL {
  const taken = db.select({ userId: identities.userId }).from(identities)
  return notExists(taken.where(and(isIdentity(identity), ne(identities.userId, userId))))
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

export function isIdentity({ issuer, subject }: IdentityKey): SQL | undefined {
  return and(eq(identities.issuer, issuer), eq(identities.subject, subject))
}

/** The parts of an identity that texts name. */
type NamedIdentity = Pick<ProvenIdentity, 'subject' | 'name'> & { platform: string }

/** Returns an identity as events show it: `Github: octocat`. */
export function identityText({ platform, name, subject }: NamedIdentity): string {
  return `${platform}: ${name || visible(subject)}`
}
