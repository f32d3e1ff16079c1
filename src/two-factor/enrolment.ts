import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import { equalBytes } from '../base/encoding.ts'
import { Refusal } from '../base/refusals.ts'
import { actAs, actFreshAs, type Actor, type ActorDeps } from '../access/act-as.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { deleteOtherSessions } from '../access/session-store.ts'
import { fromBase32, toBase32 } from '../base/base32.ts'
import { qrDataUri } from './qr.ts'
import { openSeed, sealSeed } from './sealed.ts'
import { confirmPendingSeed, hasSeed, selectSeeds, setPendingSeed } from './store.ts'
import { enrolmentUri, findTimeStep, SEED_BYTES } from './totp.ts'

const PENDING_MILLISECONDS = 10 * 60 * 1000

/** A seed as a user takes it over into an authenticator. */
export interface Enrolment {
  /** Address of an image. */
  qr: string
  /** Base32. */
  secret: string
}

/**
 * Hands the user a new seed, which counts for nothing until a code from it comes back.
 *
 * @returns The seed in base32 and as a QR code.
 * @throws {Refusal} `twoFactorAlreadyOn`: a stolen session must not replace the authenticator.
 */
export async function startEnrolment(deps: Deps, actor: Actor, issuer: string): Promise<Enrolment> {
  const seed = deps.randomBytes(SEED_BYTES)
  const now = deps.now()
  const pending = {
    seed: await sealSeed(deps, await deps.keyRing(), seed, actor.userId),
    expiresAt: now + PENDING_MILLISECONDS,
  }
  const [account, updated] = await actAs(deps, actor, setPendingSeed(deps.db, actor, pending, now))
  if (updated.length === 0) throw new Refusal('twoFactorAlreadyOn')
  return showSeed(issuer, account.username, seed)
}

/**
 * Shows a seed again to the user who brings it back.
 *
 * @returns `undefined` for a text that is no seed of ours.
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
  return { qr: await qrDataUri(enrolmentUri(issuer, username, seed)), secret: toBase32(seed) }
}

/**
 * Switches two-step verification on, if the code fits the seed this user was last given, and ends
 * the user's other sessions. The code is not burnt: people sign in again within the same half
 * minute.
 *
 * @throws {Refusal} `confirmationNeeded`; `wrongEnrolmentCode` for a wrong code, and for a seed
 *   that is another, too old or used.
 */
export async function confirmEnrolment(
  deps: ActorDeps & FreshnessDeps & Pick<Deps, 'keyRing'>,
  actor: Actor,
  proof: { code: string; secret: string },
): Promise<void> {
  const now = deps.now()
  const [, [seeds]] = await actFreshAs(deps, actor, now, selectSeeds(deps.db, actor.userId, now))
  const secret = fromBase32(proof.secret.trim())
  if (!seeds?.pending || secret === undefined) throw new Refusal('wrongEnrolmentCode')
  const seed = await openSeed(await deps.keyRing(), seeds.pending, actor.userId)
  if (!equalBytes(seed, secret) || (await findTimeStep(seed, proof.code, now)) === undefined) {
    throw new Refusal('wrongEnrolmentCode')
  }
  const event = eventOf(actor, 'two_factor_on', now)
  const [, confirmed] = await actFreshAs(
    deps,
    actor,
    now,
    confirmPendingSeed(deps, actor, seeds.pending, now),
    insertEvent(deps.db, event, afterChange),
    deleteOtherSessions(deps.db, actor, now, hasSeed(deps.db, actor.userId, seeds.pending)),
  )
  if (confirmed.length === 0) throw new Refusal('wrongEnrolmentCode')
  logEvent(event)
}
