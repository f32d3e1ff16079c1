import { sql } from 'drizzle-orm'
import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import {
  chargeProof,
  clearCounter,
  confirmFailure,
  codeCounter,
  selectProofBlocks,
  tooManyAttempts,
} from '../login/throttle.ts'
import { Refusal } from '../refusals.ts'
import { actAs, type Actor, type ActorDeps } from '../tokens/act-as.ts'
import { deleteOtherSessions, isLive } from '../tokens/sessions.ts'
import { hashRecoveryCode, makeRecoveryCode, RECOVERY_CODE_COUNT } from './recovery.ts'
import { type Enrolled, readSecondFactor } from './second-factor.ts'
import {
  clearSeed,
  consumeSecondFactor,
  deleteRecoveryCodes,
  hasSeed,
  insertRecoveryCodes,
  selectSeeds,
} from './store.ts'

type ProofDeps = ActorDeps & Pick<Deps, 'keyRing' | 'randomBytes'>

/**
 * Gives the user ten new recovery codes for a code that is used up by it; the old ones end.
 *
 * @returns The codes, which are never shown again.
 * @throws {Refusal} `twoFactorOff`, `wrongEnrolmentCode`, `tooManyAttempts`.
 */
export async function renewRecoveryCodes(
  deps: ProofDeps,
  actor: Actor,
  code: string,
): Promise<string[]> {
  const { db } = deps
  const user = await proveSecondFactor(deps, actor, code)
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () => makeRecoveryCode(deps))
  const hashes = await Promise.all(codes.map((one) => hashRecoveryCode(actor.userId, one)))
  const now = deps.now()
  const mayRenew = sql`(${hasSeed(db, actor.userId, user.totpSeed)} and ${isLive(db, actor, now)})`
  const event = eventOf(actor, 'recovery_codes_made', now)
  const [, , inserted] = await actAs(
    deps,
    actor,
    deleteRecoveryCodes(db, actor.userId, mayRenew),
    insertRecoveryCodes(db, actor.userId, hashes, mayRenew),
    insertEvent(db, event, mayRenew),
  )
  if (inserted.length === 0) throw new Refusal('twoFactorOff')
  logEvent(event)
  return codes
}

/**
 * Switches two-step verification off for a code or a recovery code, and ends the user's other
 * sessions.
 *
 * @throws {Refusal} `twoFactorOff`, `wrongEnrolmentCode`, `tooManyAttempts`.
 */
export async function disableTwoFactor(deps: ProofDeps, actor: Actor, code: string): Promise<void> {
  const { db } = deps
  const user = await proveSecondFactor(deps, actor, code)
  const now = deps.now()
  const isOff = hasSeed(db, actor.userId, null)
  const event = eventOf(actor, 'two_factor_off', now)
  const [, cleared] = await actAs(
    deps,
    actor,
    clearSeed(db, actor, user.totpSeed, now),
    insertEvent(db, event, afterChange),
    deleteRecoveryCodes(db, actor.userId, isOff),
    deleteOtherSessions(db, actor, now, isOff),
  )
  if (cleared.length === 0) throw new Refusal('twoFactorOff')
  logEvent(event)
}

/** Uses up a code of a signed-in user; wrong ones count with the wrong ones of sign-ins. */
async function proveSecondFactor(deps: ProofDeps, actor: Actor, code: string): Promise<Enrolled> {
  const { db } = deps
  const now = deps.now()
  const [, [seeds]] = await actAs(deps, actor, selectSeeds(db, actor.userId, now))
  if (!seeds?.current) throw new Refusal('twoFactorOff')
  const user = { id: actor.userId, totpSeed: seeds.current }
  const factor = await readSecondFactor(await deps.keyRing(), user, code, now)
  const counter = codeCounter(user.id)
  const event = eventOf(actor, 'recovery_code_used', now)
  const [, blocks, charged, consumed] = await actAs(
    deps,
    actor,
    selectProofBlocks(db, counter, now),
    chargeProof(db, counter, now, isLive(db, actor, now)),
    consumeSecondFactor(db, user, factor, afterChange),
    clearCounter(db, counter, afterChange),
    insertEvent(db, event, factor.kind === 'recovery code' ? afterChange : sql`false`),
  )
  if (charged.length === 0) throw tooManyAttempts(blocks, now)
  if (consumed.length === 0) {
    await confirmFailure(db, [counter], now)
    throw new Refusal('wrongEnrolmentCode')
  }
  if (factor.kind === 'recovery code') logEvent(event)
  return user
}
