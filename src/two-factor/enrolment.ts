import { eventOf, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import { equalBytes } from '../base/encoding.ts'
import { Refusal } from '../base/refusals.ts'
import { actAs, actFreshAs, type SessionActor, type ActorDeps } from '../access/act-as.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { toEnrol } from '../access/sign-in-methods.ts'
import { endSessions, withNewFactor } from '../access/endings.ts'
import { isFresh, isLive, strengthenSession } from '../access/session-store.ts'
import { fromBase32, toBase32 } from '../base/base32.ts'
import { qrDataUri } from './qr.ts'
import { openSeed, sealSeed } from './sealed.ts'
import { confirmPendingSeed, isPending, selectSeeds, setPendingSeed } from './store.ts'
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
 * Gives the user a new seed. It has no effect before `confirmEnrolment`.
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
  const seed = deps.randomBytes(SEED_BYTES)
  const now = deps.now()
  const pending = {
    seed: await sealSeed(deps, await deps.keyRing(), seed, actor.userId),
    expiresAt: now + PENDING_MILLISECONDS,
  }
  const by = isLive(deps.db, actor, now)
  const { account, updated } = await actAs(deps, actor, {
    updated: setPendingSeed(deps.db, by, actor.userId, pending),
  })
  if (updated.length === 0) throw new Refusal('twoFactorAlreadyOn')
  return showSeed(issuer, account.username, seed)
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

/**
 * Turns on two-step verification when the code fits the latest seed of the user, and ends the
 * user's other sessions and everything that programs got. The code stays usable, because users
 * often sign in again within the same 30 seconds.
 *
 * @throws {Refusal} `confirmationNeeded`; `wrongEnrolmentCode` for a wrong code, and for a seed
 *   that is not the latest one, has expired or is in force.
 */
export async function confirmEnrolment(
  deps: ActorDeps & FreshnessDeps & Pick<Deps, 'keyRing'>,
  session: SessionActor,
  shown: { code: string; secret: string },
): Promise<void> {
  const actor = toEnrol(session)
  const { db } = deps
  const { userId } = actor
  const now = deps.now()
  const read = await actFreshAs(deps, actor, now, { seeds: selectSeeds(db, userId, now) })
  const sealed = read.seeds[0]?.pending
  const secret = fromBase32(shown.secret.trim())
  if (!sealed || secret === undefined) throw new Refusal('wrongEnrolmentCode')
  const seed = await openSeed(await deps.keyRing(), sealed, userId)
  if (!equalBytes(seed, secret) || (await findTimeStep(seed, shown.code, now)) === undefined) {
    throw new Refusal('wrongEnrolmentCode')
  }
  const event = eventOf(actor, 'two_factor_on', now)
  const by = isFresh(deps, actor, now)
  const pending = { userId, seed: sealed }
  const isStillPending = isPending(db, pending, now)
  const { confirmed } = await actFreshAs(deps, actor, now, {
    event: insertEvent(db, by, event, isStillPending),
    ...endSessions(db, by, withNewFactor(actor), isStillPending),
    // The user has just shown a code of the new authenticator app.
    strengthened: strengthenSession(db, by, actor, ['otp'], isStillPending),
    // Stands last, because the seed is no longer pending after it.
    confirmed: confirmPendingSeed(db, by, pending, now),
  })
  if (confirmed.length === 0) throw new Refusal('wrongEnrolmentCode')
  logEvent(event)
}
