import { not, sql } from 'drizzle-orm'
import { type AuditEvent, insertEvent } from '../audit/events.ts'
import { asAuthority, type Authority, THE_SERVICE } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import {
  chargeProof,
  clearCounter,
  codeCounter,
  isProofOpen,
  selectProofBlocks,
} from '../throttle/throttle.ts'
import { resealSeed } from './sealed.ts'
import { type Enrolled, readSecondFactor } from './second-factor.ts'
import { consumeSecondFactor, isUsedFor, replaceSeed } from './store.ts'

/** A code that a sign-in brings. */
interface SignInCode {
  code: string
  /** The session that begins with it. */
  sessionId: string
  /** The event of the sign-in. */
  event: AuditEvent
}

/**
 * Reads the code of a sign-in and makes the statements that use it up. They stand in the batch in
 * the order of the properties, and the session is inserted before `resealed`.
 *
 * @param isUnchanged The user's row is still the one that was checked.
 */
export async function prepareSignInCode(
  deps: Pick<Deps, 'db' | 'keyRing' | 'randomBytes'>,
  isUnchanged: Authority,
  user: Enrolled,
  { code, sessionId, event }: SignInCode,
) {
  const { db } = deps
  const ring = await deps.keyRing()
  const now = event.at
  const factor = await readSecondFactor(ring, user, code, now)
  const resealed =
    factor.kind === 'time step' ? await resealSeed(deps, ring, user.totpSeed, user.id) : undefined
  const counter = codeCounter(user.id)
  const by = asAuthority(sql`(${isUnchanged} and ${isUsedFor(db, user, factor, sessionId)})`)
  const isOpen = isProofOpen(db, counter, now)
  const usedEvent: AuditEvent | undefined =
    factor.kind === 'recovery code' ? { ...event, kind: 'recovery_code_used' } : undefined
  return {
    /** The authority of the session: the row is unchanged, and the code was used up for it. */
    by,
    /** To be logged after the sign-in. */
    usedEvent,
    blocks: selectProofBlocks(db, counter, now),
    consumed: consumeSecondFactor(db, isUnchanged, user, factor, isOpen, sessionId),
    // In the same transaction, so that each of several concurrent codes sees the charges before it.
    charged: chargeProof(db, THE_SERVICE, counter, now, not(by)),
    cleared: clearCounter(db, by, counter),
    usedEventInsert: usedEvent && insertEvent(db, by, usedEvent),
    // Last in the batch, because the row is not the checked one after it.
    resealed: resealed === undefined ? undefined : replaceSeed(db, by, user, resealed),
  }
}
