import { type SQL, sql } from 'drizzle-orm'
import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import {
  chargeProof,
  clearCounter,
  confirmFailure,
  codeCounter,
  selectProofBlocks,
  tooManyAttempts,
} from '../throttle/throttle.ts'
import { Refusal } from '../base/refusals.ts'
import { actAs, actFreshAs, type Actor, type ActorDeps } from '../access/act-as.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { deleteOtherSessions, isFresh, isLive } from '../access/session-store.ts'
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

type CodeDeps = ActorDeps & Pick<Deps, 'keyRing'>
type ProofDeps = CodeDeps & FreshnessDeps & Pick<Deps, 'randomBytes'>

/**
 * Gives the user ten new recovery codes for a code that is used up by it; the old ones end.
 *
 * @returns The codes, which are never shown again.
 * @throws {Refusal} `confirmationNeeded`, `twoFactorOff`, `wrongEnrolmentCode`, `tooManyAttempts`.
 */
export async function renewRecoveryCodes(
  deps: ProofDeps,
  actor: Actor,
  code: string,
): Promise<string[]> {
  const { db } = deps
  const user = await useUpCodeOfFresh(deps, actor, code)
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () => makeRecoveryCode(deps))
  const hashes = await Promise.all(codes.map((one) => hashRecoveryCode(actor.userId, one)))
  const now = deps.now()
  const mayRenew = sql`(${hasSeed(db, actor.userId, user.totpSeed)} and ${isFresh(deps, actor, now)})`
  const event = eventOf(actor, 'recovery_codes_made', now)
  const [, , inserted] = await actFreshAs(
    deps,
    actor,
    now,
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
 * @throws {Refusal} `confirmationNeeded`, `twoFactorOff`, `wrongEnrolmentCode`, `tooManyAttempts`.
 */
export async function disableTwoFactor(deps: ProofDeps, actor: Actor, code: string): Promise<void> {
  const { db } = deps
  const user = await useUpCodeOfFresh(deps, actor, code)
  const now = deps.now()
  const isOff = hasSeed(db, actor.userId, null)
  const event = eventOf(actor, 'two_factor_off', now)
  const [, cleared] = await actFreshAs(
    deps,
    actor,
    now,
    clearSeed(deps, actor, user.totpSeed, now),
    insertEvent(db, event, afterChange),
    deleteRecoveryCodes(db, actor.userId, isOff),
    deleteOtherSessions(db, actor, now, isOff),
  )
  if (cleared.length === 0) throw new Refusal('twoFactorOff')
  logEvent(event)
}

/**
 * Uses up a code of a signed-in user; wrong ones count with the wrong ones of sign-ins.
 *
 * @throws {Refusal} `wrongConfirmationCode`, `twoFactorOff`, `tooManyAttempts`.
 */
export async function useUpCode(deps: CodeDeps, actor: Actor, code: string): Promise<void> {
  const now = deps.now()
  const [, [seeds]] = await actAs(deps, actor, selectSeeds(deps.db, actor.userId, now))
  const may = isLive(deps.db, actor, now)
  await useUp(deps, actor, { code, seed: seeds?.current, now, may, wrong: 'wrongConfirmationCode' })
}

/** As `useUpCode`, and uses none up of a session that is not fresh. */
async function useUpCodeOfFresh(deps: ProofDeps, actor: Actor, code: string): Promise<Enrolled> {
  const now = deps.now()
  const [, [seeds]] = await actFreshAs(deps, actor, now, selectSeeds(deps.db, actor.userId, now))
  const may = isFresh(deps, actor, now)
  return useUp(deps, actor, { code, seed: seeds?.current, now, may, wrong: 'wrongEnrolmentCode' })
}

interface Use {
  code: string
  /** Sealed; none while two-step verification is off. */
  seed: string | null | undefined
  now: number
  /** What the session must be still. */
  may: SQL
  /** What a wrong code is refused as. */
  wrong: 'wrongEnrolmentCode' | 'wrongConfirmationCode'
}

async function useUp(
  deps: CodeDeps,
  actor: Actor,
  { code, seed, now, may, wrong }: Use,
): Promise<Enrolled> {
  const { db } = deps
  if (!seed) throw new Refusal('twoFactorOff')
  const user = { id: actor.userId, totpSeed: seed }
  const factor = await readSecondFactor(await deps.keyRing(), user, code, now)
  const counter = codeCounter(user.id)
  const event = eventOf(actor, 'recovery_code_used', now)
  const refused = eventOf(actor, 'proof_refused', now, 'code')
  const [, blocks, charged, consumed] = await actAs(
    deps,
    actor,
    selectProofBlocks(db, counter, now),
    chargeProof(db, counter, now, may),
    consumeSecondFactor(db, user, factor, afterChange),
    clearCounter(db, counter, afterChange),
    insertEvent(db, event, factor.kind === 'recovery code' ? afterChange : sql`false`),
  )
  if (charged.length === 0) {
    logEvent({ ...refused, detail: 'too many codes' })
    throw tooManyAttempts(blocks, now)
  }
  if (consumed.length === 0) {
    await db.batch([insertEvent(db, refused), confirmFailure(db, [counter], now)])
    logEvent(refused)
    throw new Refusal(wrong)
  }
  if (factor.kind === 'recovery code') logEvent(event)
  return user
}
