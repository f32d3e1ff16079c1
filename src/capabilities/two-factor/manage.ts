import { and, not, type SQL } from 'drizzle-orm'
import { eventOf, insertEvent, recordEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { tooManyAttempts } from '../../core/throttle/gate.ts'
import type { Authority, Parts } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { areOpen, selectBlocks } from '../../core/throttle/blocks.ts'
import { chargeUnspent, clearCounter } from '../../core/throttle/charges.ts'
import { sessionCodeCounter } from '../../core/throttle/counters.ts'
import { noteStop } from '../../core/throttle/stops.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { SessionActor } from '../../core/access/act-as.ts'
import { endSessions, withNewFactor } from '../../core/access/endings.ts'
import { isFreshAfterRecovery } from '../../core/access/recovery.ts'
import { act, authorityOf, change, type ChangeDeps, own } from '../../core/access/subject.ts'
import {
  refuseLastFactor,
  type TakenFactors,
  takingFactors,
} from '../../core/accounts/last-factor.ts'
import { toBase32 } from '../../core/base/base32.ts'
import { makePendingSeed } from './enrolment.ts'
import { isRecoveryCode, makeRecoveryCodes } from './recovery.ts'
import { needsCode } from './needs-code.ts'
import { type Enrolled, readSecondFactor } from './second-factor.ts'
import {
  clearSeed,
  forgetPendingSeeds,
  consumeSecondFactor,
  deleteRecoveryCodes,
  hasSeed,
  insertRecoveryCodes,
  isEnrolled,
  isUsable,
  selectSeeds,
  setPendingSeed,
} from './store.ts'

type CodeDeps = ChangeDeps & Pick<Deps, 'keyRing'>
type FactorDeps = CodeDeps & Pick<Deps, 'randomBytes'>

/** Demands on changes with a code. A thief who uses up the user's changes can't prevent them. */
const FRESH = { fresh: true, ends: true } as const

/**
 * Gives the user ten new recovery codes and deletes the old ones. It uses up the code.
 *
 * @returns The codes, which are never shown again.
 * @throws {Refusal} `confirmationNeeded`, `twoFactorOff`, `wrongEnrolmentCode`, `tooManyAttempts`.
 */
export async function renewRecoveryCodes(
  deps: FactorDeps,
  actor: SessionActor,
  code: string,
): Promise<string[]> {
  const { db } = deps
  const user = await useUpCodeOfFresh(deps, actor, code)
  const { codes, hashes } = await makeRecoveryCodes(deps, actor.userId)
  const isOn = hasSeed(db, actor.userId, user.totpSeed)
  const { inserted } = await change(
    deps,
    own(actor),
    { kind: 'recovery_codes_made', ...FRESH },
    ({ by, event }) => ({
      event: insertEvent(db, by, event, isOn),
      deleted: deleteRecoveryCodes(db, by, actor.userId, isOn),
      inserted: insertRecoveryCodes(db, by, actor.userId, hashes, isOn),
    }),
  )
  if (inserted.length === 0) throw new Refusal('twoFactorOff')
  return codes
}

/**
 * Turns off two-step verification with a code or a recovery code, and ends the user's other
 * sessions and everything that programs got.
 *
 * @throws {Refusal} `confirmationNeeded`, `lastFactor`, `twoFactorOff`, `wrongEnrolmentCode`,
 *   `tooManyAttempts`.
 */
export async function disableTwoFactor(
  deps: FactorDeps,
  actor: SessionActor,
  code: string,
): Promise<void> {
  const { db } = deps
  const taken = { userId: actor.userId, takenBy: actor.userId, app: true }
  const { totpSeed } = await useUpCodeOfFresh(deps, actor, code, { taken })
  const isOn = hasSeed(db, actor.userId, totpSeed)
  const done = await change(
    deps,
    own(actor),
    { kind: 'two_factor_off', ...FRESH },
    ({ by: isFresh, event }) => {
      const { by, kept } = takingFactors(db, isFresh, taken)
      return {
        kept,
        event: insertEvent(db, by, event, isOn),
        deleted: deleteRecoveryCodes(db, by, actor.userId, isOn),
        ...endSessions(db, by, withNewFactor(actor), isOn),
        forgotten: forgetPendingSeeds(db, by, actor.userId, isOn),
        // Stands last, because the seed is no longer in force after it.
        cleared: clearSeed(db, by, actor.userId, totpSeed),
      }
    },
  )
  refuseLastFactor(done)
  if (done.cleared.length === 0) throw new Refusal('twoFactorOff')
}

/**
 * Gives the session of a user with two-step verification a seed for another phone. The seed in
 * force, the recovery codes and every session stay as they are until `confirmEnrolment`.
 *
 * @param code It is used up. Without one, the session must have begun with a recovery code a moment
 *   ago, because the phone is lost.
 * @returns The seed, base32.
 * @throws {Refusal} `confirmationNeeded`, `twoFactorOff`, `wrongEnrolmentCode`, `tooManyAttempts`.
 */
export async function startMove(
  deps: FactorDeps,
  actor: SessionActor,
  code?: string,
): Promise<string> {
  const { db } = deps
  const { userId } = actor
  const { seed, pending } = await makePendingSeed(deps, userId, deps.now())
  if (code !== undefined) {
    await useUpCodeOfFresh(deps, actor, code, {
      also: (by, isGood) => ({
        pending: setPendingSeed(db, by, actor, pending, and(isEnrolled(), isGood)),
      }),
    })
    return toBase32(seed)
  }
  const { seeds, updated } = await act(deps, own(actor), { fresh: true }, ({ now }) => {
    const by = isFreshAfterRecovery(deps, actor, now)
    return {
      seeds: selectSeeds(db, actor, now),
      updated: setPendingSeed(db, by, actor, pending, isEnrolled()),
    }
  })
  if (updated.length > 0) return toBase32(seed)
  throw new Refusal(seeds[0]?.current ? 'confirmationNeeded' : 'twoFactorOff')
}

/**
 * Uses up a code of a signed-in user. A wrong code is counted together with the wrong codes of
 * sign-ins.
 *
 * @returns The kind of the code.
 * @throws {Refusal} `wrongConfirmationCode`, `twoFactorOff`, `tooManyAttempts`.
 */
export async function useUpCode(
  deps: CodeDeps,
  actor: SessionActor,
  code: string,
): Promise<'otp' | 'recovery'> {
  const { seeds } = await act(deps, own(actor), { confirms: true }, ({ now }) => ({
    seeds: selectSeeds(deps.db, actor, now),
  }))
  await useUp(deps, actor, { code, seed: seeds[0]?.current, wrong: 'wrongConfirmationCode' })
  return isRecoveryCode(code) ? 'recovery' : 'otp'
}

/**
 * Works like `useUpCode`, for a fresh session only.
 *
 * @param options `taken` are the factors that the code is to take; a code that may not take them is
 *   not used up.
 */
async function useUpCodeOfFresh(
  deps: FactorDeps,
  actor: SessionActor,
  code: string,
  { taken, also }: { taken?: TakenFactors; also?: Use['also'] } = {},
): Promise<Enrolled> {
  const { seeds, kept } = await act(deps, own(actor), FRESH, ({ now, by }) => ({
    seeds: selectSeeds(deps.db, actor, now),
    kept: taken && takingFactors(deps.db, by, taken).kept,
  }))
  refuseLastFactor({ kept })
  return useUp(deps, actor, { code, seed: seeds[0]?.current, wrong: 'wrongEnrolmentCode', also })
}

interface Use {
  code: string
  /** Sealed; null or missing while two-step verification is off. */
  seed: string | null | undefined
  /** The refusal of a wrong code; `wrongEnrolmentCode` where the session must be fresh. */
  wrong: 'wrongEnrolmentCode' | 'wrongConfirmationCode'
  /** Further writes of the transaction that uses the code up, while the code is good. */
  also?: ((by: Authority, isGood: SQL | undefined) => Parts) | undefined
}

async function useUp(
  deps: CodeDeps,
  actor: SessionActor,
  { code, seed = null, wrong, also }: Use,
): Promise<Enrolled> {
  const { db } = deps
  const user = { id: actor.userId, totpSeed: seed }
  if (!needsCode(user)) throw new Refusal('twoFactorOff')
  const factor = await readSecondFactor(await deps.keyRing(), user, code, deps.now())
  const counter = sessionCodeCounter(actor)
  const isGood = isUsable(db, user, factor)
  const subject = own(actor)
  const done = await act(deps, subject, { confirms: true }, ({ now, by: mayConfirm }) => {
    const by = wrong === 'wrongEnrolmentCode' ? authorityOf(deps, subject, FRESH, now) : mayConfirm
    const isOpen = areOpen([counter], now)
    const mayUse = and(isOpen, isGood)
    const event = eventOf(actor, 'recovery_code_used', now)
    return {
      blocks: selectBlocks(db, [counter], now),
      // A charge can spend the counter, but only for a code that `mayUse` refuses anyway.
      charged: chargeUnspent(db, by, [counter], now, not(isGood)),
      noted: noteStop(db, by, counter, user.id, now),
      event: factor.kind === 'recovery code' ? insertEvent(db, by, event, mayUse) : undefined,
      cleared: clearCounter(db, by, counter, mayUse),
      ...also?.(by, mayUse),
      // Stands last, because the code is no longer usable after it.
      consumed: consumeSecondFactor(db, by, user, factor, isOpen),
    }
  })
  if (done.consumed.length > 0) return user
  const refused = eventOf(actor, 'proof_refused', done.now, 'code')
  if (done.charged.length === 0) {
    logEvent({ ...refused, detail: 'too many codes' })
    throw tooManyAttempts(done.blocks, done.now)
  }
  await recordEvent(db, refused)
  throw new Refusal(wrong)
}
