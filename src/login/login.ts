import { base64url } from 'jose'
import type { Deps } from '../deps.ts'
import type { Client } from '../network.ts'
import { Refusal } from '../refusals.ts'
import { signToken } from '../tokens/token.ts'
import { openSeed } from '../two-factor/sealed.ts'
import { findTimeStep } from '../two-factor/totp.ts'
import { GUEST, selectForLogin } from '../users/store.ts'
import { verifyPassword } from './passwords.ts'
import { burnTimeStep, insertSession } from './store.ts'

const SESSION_ID_BYTES = 16

/** Who wants in, with what proof. */
interface Attempt {
  username: string
  /** Static digest of the password. */
  digest: string
  /** Six digits, or empty. */
  code: string
}

/**
 * Signs a user in.
 *
 * Unknown, disabled and password-less accounts, the guest and a wrong password cost the same hash
 * and get the same answer. The session is written under the condition that the account is still
 * what was checked, so a password changed meanwhile yields no token.
 *
 * @returns The token.
 * @throws {Refusal} `wrongCredentials`; `wrongCode` when only the code is missing, wrong or used.
 */
export async function login(deps: Deps, attempt: Attempt, client: Client): Promise<string> {
  const ring = await deps.keyRing()
  const [user] = await selectForLogin(deps.db, attempt.username)
  const isAllowedIn = user !== undefined && !user.disabled && user.role !== GUEST
  const { matches } = await verifyPassword(
    deps,
    attempt.digest,
    isAllowedIn ? user.passwordHash : null,
  )
  if (!isAllowedIn || !matches) throw new Refusal('wrongCredentials')

  const now = deps.now()
  let timeStep: number | undefined
  if (user.totpSeed !== null) {
    timeStep = findTimeStep(await openSeed(ring, user.totpSeed, user.id), attempt.code, now)
    if (timeStep === undefined) throw new Refusal('wrongCode')
  }
  const issuedAt = Math.floor(now / 1000)
  const session = {
    sessionId: base64url.encode(deps.randomBytes(SESSION_ID_BYTES)),
    userId: user.id,
    issuedAt,
    expiresAt: issuedAt + deps.tokenSeconds,
  }
  const insert = insertSession(deps.db, {
    user,
    session,
    client,
    burnsTimeStep: timeStep !== undefined,
  })
  const inserted =
    timeStep === undefined
      ? await insert
      : (await deps.db.batch([burnTimeStep(deps.db, user, timeStep), insert]))[1]
  if (inserted.length === 0)
    throw new Refusal(timeStep === undefined ? 'wrongCredentials' : 'wrongCode')
  return signToken(ring, session)
}
