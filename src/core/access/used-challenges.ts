import { and, eq, exists, lte, type SQL } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import { usedChallenges } from '../../../schema/tables.ts'
import { type Authority, THE_SERVICE, writing } from '../database/statements.ts'
import type { Database, Deps } from '../deps.ts'

const NONCE_BYTES = 16

/**
 * Names a use of a challenge: a random text that may count once, of a passkey or of a sign-in at a
 * provider.
 */
interface ChallengeUse {
  /** SHA-256 of the challenge. */
  hash: string
  /** A random text of this request, such as the id of the session that begins. */
  usedBy: string
  /** Unix time, milliseconds. */
  expiresAt: number
}

/**
 * Returns the mark that a challenge was used, and by this request. Nothing is stored: the mark uses
 * the challenge up when `claimChallenge` inserts it.
 */
export async function challengeUse(
  deps: Pick<Deps, 'randomBytes'>,
  { challenge, expiresAt }: { challenge: Uint8Array<ArrayBuffer>; expiresAt: number },
): Promise<ChallengeUse> {
  const usedBy = base64url.encode(deps.randomBytes(NONCE_BYTES))
  const digest = await crypto.subtle.digest('SHA-256', challenge)
  return { hash: base64url.encode(new Uint8Array(digest)), usedBy, expiresAt }
}

/** Uses a challenge up, if nothing has used it. `isClaimed` then holds, and a row is returned. */
export function claimChallenge(db: Database, by: Authority, use: ChallengeUse, when?: SQL) {
  return writing(db, by)
    .insert(usedChallenges, { ...use }, { where: when })
    .onConflictDoNothing()
    .returning({ usedBy: usedChallenges.usedBy })
}

/** Holds when `claimChallenge` of this request has used the challenge up. */
export function isClaimed(db: Database, { hash, usedBy }: ChallengeUse): SQL {
  const isThis = and(eq(usedChallenges.hash, hash), eq(usedChallenges.usedBy, usedBy))
  return exists(db.select({ hash: usedChallenges.hash }).from(usedChallenges).where(isThis))
}

/** Selects the use of a challenge, by any request. */
export function selectUse(db: Database, { hash }: ChallengeUse) {
  const { usedBy } = usedChallenges
  return db.select({ usedBy }).from(usedChallenges).where(eq(usedChallenges.hash, hash))
}

/** Deletes the used challenges that have expired. An expired ceremony is refused anyway. */
export function pruneChallenges(db: Database, now: number) {
  return writing(db, THE_SERVICE).delete(usedChallenges, lte(usedChallenges.expiresAt, now))
}
