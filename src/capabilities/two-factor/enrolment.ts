import { not } from 'drizzle-orm'
import { insertEvent } from '../../core/audit/events.ts'
import type { Deps } from '../../core/deps.ts'
import { equalBytes } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { ReaderDeps, SessionActor } from '../../core/access/act-as.ts'
import { toEnrol } from '../../core/access/leniency.ts'
import { endSessions, withNewFactor } from '../../core/access/endings.ts'
import { strengthenSession } from '../../core/access/session-store.ts'
import { act, change, type ChangeDeps, own, read } from '../../core/access/subject.ts'
import { fromBase32, toBase32 } from '../../core/base/base32.ts'
import { qrDataUri } from './qr.ts'
import { makeRecoveryCodes } from './recovery.ts'
import { openSeed, sealSeed } from './sealed.ts'
import {
  confirmPendingSeed,
  deleteRecoveryCodes,
  forgetPendingSeed,
  insertRecoveryCodes,
  isEnrolled,
  isPending,
  selectSeeds,
  setPendingSeed,
} from './store.ts'
import { enrolmentUri, findTimeStep, SEED_BYTES } from './totp.ts'

const PENDING_MILLISECONDS = 10 * 60 * 1000

/** A seed in the forms that an authenticator app reads. */
export interface Enrolment {
  /** A QR code as a `data:` URI. */
  qr: string
  /** Base32. */
  secret: string
  /** The text of the QR code, which is also a link to an app on the same device. */
  uri: string
}

/**
 * Gives the session a new seed. It has no effect before `confirmEnrolment` in the same session, and
 * replaces only the one that this session was given before.
 *
 * @throws {Refusal} `twoFactorAlreadyOn`, because a stolen session must not replace the
 *   authenticator.
 */
export async function startEnrolment(
  deps: Deps,
  session: SessionActor,
  issuer: string,
): Promise<Enrolment> {
  const actor = toEnrol(session)
  const { seed, pending } = await makePendingSeed(deps, actor.userId, deps.now())
  const { account, updated } = await act(deps, own(actor), {}, ({ by }) => ({
    updated: setPendingSeed(deps.db, by, actor, pending, not(isEnrolled())),
  }))
  if (updated.length === 0) throw new Refusal('twoFactorAlreadyOn')
  return showSeed(issuer, account.username, seed)
}

/** @param now Unix time, milliseconds. */
export async function makePendingSeed(
  deps: Pick<Deps, 'keyRing' | 'randomBytes'>,
  userId: number,
  now: number,
) {
  const seed = deps.randomBytes(SEED_BYTES)
  const sealed = await sealSeed(deps, await deps.keyRing(), seed, userId)
  return { seed, pending: { seed: sealed, expiresAt: now + PENDING_MILLISECONDS } }
}

/**
 * Returns the QR code for a seed that the user sends back.
 *
 * @returns `undefined` for a text that is not a seed.
 */
export async function showSecret(
  issuer: string,
  username: string,
  secret: string,
): Promise<Enrolment | undefined> {
  const seed = fromBase32(secret)
  return seed?.length === SEED_BYTES ? showSeed(issuer, username, seed) : undefined
}

async function showSeed(issuer: string, username: string, seed: Uint8Array): Promise<Enrolment> {
  const uri = enrolmentUri(issuer, username, seed)
  return { qr: await qrDataUri(uri), secret: toBase32(seed), uri }
}

interface Shown {
  /** Of the authenticator app with the new seed. */
  code: string
  /** The seed, base32. */
  secret: string
}

/**
 * Puts the latest seed of the session in force when the code fits it, and ends the user's other
 * sessions and everything that programs got. It turns two-step verification on, or moves it to
 * another phone (`startMove`): until then, the old seed is in force, and with it the old recovery
 * codes end. The code stays usable, because users often sign in again within the same 30 seconds.
 *
 * @throws {Refusal} `confirmationNeeded`; `wrongEnrolmentCode` for a wrong code, and for a seed
 *   that is not the latest one of this session, has expired or is in force.
 */
export async function confirmEnrolment(
  deps: ConfirmDeps,
  session: SessionActor,
  shown: Shown,
): Promise<void> {
  await confirm(deps, session, shown)
}

/**
 * Works like `confirmEnrolment`, and replaces the recovery codes in the same transaction.
 *
 * @returns The codes, which are never shown again.
 */
export async function confirmWithRecoveryCodes(
  deps: ConfirmDeps & Pick<Deps, 'randomBytes'>,
  session: SessionActor,
  shown: Shown,
): Promise<string[]> {
  const { codes, hashes } = await makeRecoveryCodes(deps, session.userId)
  await confirm(deps, session, shown, hashes)
  return codes
}

/** Reads the account of an actor, and whether the session has a seed that can still be confirmed. */
export async function readEnrolment(deps: ReaderDeps, session: SessionActor) {
  const actor = toEnrol(session)
  const { account, seeds } = await read(deps, own(actor), {
    seeds: selectSeeds(deps.db, actor, deps.now()),
  })
  return { account, isPending: Boolean(seeds[0]?.pending) }
}

type ConfirmDeps = ChangeDeps & Pick<Deps, 'keyRing'>

/**
 * @param recoveryHashes Replace those of the user. Without them, a move to another phone leaves
 *   none.
 */
async function confirm(
  deps: ConfirmDeps,
  session: SessionActor,
  shown: Shown,
  recoveryHashes?: string[],
): Promise<void> {
  const actor = toEnrol(session)
  const { db } = deps
  const { userId } = actor
  const found = await act(deps, own(actor), { fresh: true }, ({ now }) => ({
    seeds: selectSeeds(db, actor, now),
  }))
  const { pending: sealed, current = null } = found.seeds[0] ?? {}
  const secret = fromBase32(shown.secret.trim())
  if (!sealed || secret === undefined) throw new Refusal('wrongEnrolmentCode')
  const seed = await openSeed(await deps.keyRing(), sealed, userId)
  if (
    !equalBytes(seed, secret) ||
    (await findTimeStep(seed, shown.code, found.now)) === undefined
  ) {
    throw new Refusal('wrongEnrolmentCode')
  }
  const endsCodes = current !== null || recoveryHashes !== undefined
  const pending = { holder: actor, seed: sealed, current }
  const { confirmed } = await change(
    deps,
    own(actor),
    { kind: current === null ? 'two_factor_on' : 'two_factor_moved', fresh: true, ends: true },
    ({ now, by, event }) => {
      const isStillPending = isPending(db, pending, now)
      const ofCodes = { ...event, kind: 'recovery_codes_made' } as const
      return {
        event: insertEvent(db, by, event, isStillPending),
        eventOfCodes: recoveryHashes && insertEvent(db, by, ofCodes, isStillPending),
        deletedCodes: endsCodes ? deleteRecoveryCodes(db, by, userId, isStillPending) : undefined,
        insertedCodes:
          recoveryHashes && insertRecoveryCodes(db, by, userId, recoveryHashes, isStillPending),
        ...endSessions(db, by, withNewFactor(actor), isStillPending),
        // The user has just shown a code of the new authenticator app.
        strengthened: strengthenSession(db, by, actor, ['otp'], isStillPending),
        // Stands after them, because the seed is no longer pending after it.
        confirmed: confirmPendingSeed(db, by, pending, now),
        forgotten: forgetPendingSeed(db, by, pending),
      }
    },
  )
  if (confirmed.length === 0) throw new Refusal('wrongEnrolmentCode')
}
