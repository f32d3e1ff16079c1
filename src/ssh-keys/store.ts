import { and, asc, count, eq, lt, or, sql } from 'drizzle-orm'
import { sshKeys, users } from '../../schema/tables.ts'
import type { Database } from '../deps.ts'
import type { Window } from '../paging.ts'
import { isLive } from '../tokens/sessions.ts'
import type { SessionClaims } from '../tokens/token.ts'
import type { PublicKey } from './openssh.ts'

/** Some keys of a user, by id. `limit` < 0 means all. */
export function selectKeys(db: Database, userId: number, { limit, offset }: Window) {
  return db
    .select({
      id: sshKeys.id,
      title: sshKeys.title,
      fingerprint: sshKeys.fingerprint,
      addedAt: sshKeys.addedAt,
      lastUsedAt: sshKeys.lastUsedAt,
    })
    .from(sshKeys)
    .where(eq(sshKeys.userId, userId))
    .orderBy(asc(sshKeys.id))
    .limit(limit)
    .offset(offset)
}

export function countKeys(db: Database, userId: number) {
  return db.select({ total: count() }).from(sshKeys).where(eq(sshKeys.userId, userId))
}

/** The keys of a user that have this title or this fingerprint. */
export function selectRivals(db: Database, userId: number, title: string, fingerprint: string) {
  return db
    .select({ title: sshKeys.title })
    .from(sshKeys)
    .where(
      and(
        eq(sshKeys.userId, userId),
        or(eq(sshKeys.title, title), eq(sshKeys.fingerprint, fingerprint)),
      ),
    )
}

/**
 * Adds a key to the session's user; no row when title or key are there already, or when the user
 * has `limit` keys.
 */
export function insertKey(
  db: Database,
  session: SessionClaims,
  { title, key, limit }: { title: string; key: PublicKey; limit: number },
  now: number,
) {
  const row = db
    .select({
      id: sql`null`.as('id'),
      userId: users.id,
      title: sql`${title}`.as('title'),
      fingerprint: sql`${key.fingerprint}`.as('fingerprint'),
      type: sql`${key.type}`.as('type'),
      bits: sql`${key.bits}`.as('bits'),
      line: sql`${key.line}`.as('line'),
      addedAt: sql`${now}`.as('added_at'),
      lastUsedAt: sql`${now}`.as('last_used_at'),
    })
    .from(users)
    .where(
      and(
        eq(users.id, session.userId),
        isLive(db, session, now),
        lt(sql`(${countKeys(db, session.userId)})`, limit),
      ),
    )
  return db.insert(sshKeys).select(row).onConflictDoNothing().returning({ id: sshKeys.id })
}

/** Removes a key of the session's user. */
export function deleteKey(db: Database, session: SessionClaims, keyId: number, now: number) {
  return db
    .delete(sshKeys)
    .where(and(eq(sshKeys.id, keyId), eq(sshKeys.userId, session.userId), isLive(db, session, now)))
    .returning({ id: sshKeys.id })
}
