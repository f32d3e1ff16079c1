import type { Deps } from '../deps.ts'
import { equalBytes } from '../encoding.ts'
import { Refusal } from '../refusals.ts'
import { actAs } from '../tokens/sessions.ts'
import type { SessionClaims } from '../tokens/token.ts'
import { fromBase32, toBase32 } from './base32.ts'
import { qrDataUri } from './qr.ts'
import { openSeed, sealSeed } from './sealed.ts'
import { confirmPendingSeed, selectPendingSeed, setPendingSeed } from './store.ts'
import { enrolmentUri, findTimeStep, SEED_BYTES } from './totp.ts'

const PENDING_MILLISECONDS = 10 * 60 * 1000

/**
 * Hands the user a new seed, which counts for nothing until a code from it comes back.
 *
 * @returns The seed in base32 and as a QR code.
 * @throws {Refusal} `twoFactorAlreadyOn`: a stolen session must not replace the authenticator.
 */
export async function startEnrolment(
  deps: Deps,
  session: SessionClaims,
  issuer: string,
): Promise<{ qr: string; secret: string }> {
  const seed = deps.randomBytes(SEED_BYTES)
  const now = deps.now()
  const pending = {
    seed: await sealSeed(deps, await deps.keyRing(), seed, session.userId),
    expiresAt: now + PENDING_MILLISECONDS,
  }
  const [account, updated] = await actAs(
    deps,
    session,
    setPendingSeed(deps.db, session, pending, now),
  )
  if (updated.length === 0) throw new Refusal('twoFactorAlreadyOn')
  return { qr: qrDataUri(enrolmentUri(issuer, account.username, seed)), secret: toBase32(seed) }
}

/**
 * Switches two-step verification on, if the code fits the seed this user was last given. The code
 * is not burnt: people sign in again within the same half minute.
 *
 * @throws {Refusal} `wrongEnrolmentCode` for a wrong code, and for a seed that is another, too old
 *   or used.
 */
export async function confirmEnrolment(
  deps: Pick<Deps, 'db' | 'keyRing' | 'now'>,
  session: SessionClaims,
  proof: { code: string; secret: string },
): Promise<void> {
  const now = deps.now()
  const [, [pending]] = await actAs(deps, session, selectPendingSeed(deps.db, session, now))
  const secret = fromBase32(proof.secret.trim())
  if (!pending?.seed || secret === undefined) throw new Refusal('wrongEnrolmentCode')
  const seed = await openSeed(await deps.keyRing(), pending.seed, session.userId)
  if (!equalBytes(seed, secret) || findTimeStep(seed, proof.code, now) === undefined) {
    throw new Refusal('wrongEnrolmentCode')
  }
  const [, confirmed] = await actAs(
    deps,
    session,
    confirmPendingSeed(deps.db, session, pending.seed, now),
  )
  if (confirmed.length === 0) throw new Refusal('wrongEnrolmentCode')
}
