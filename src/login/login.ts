import { type AuditEvent, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../network.ts'
import { Refusal } from '../refusals.ts'
import { hashName } from '../tokens/key-ring.ts'
import { GUEST, selectForLogin } from '../users/store.ts'
import { verifyPassword } from './passwords.ts'
import { settle } from './settle.ts'
import {
  chargeSignIn,
  passGate,
  payBack,
  selectSpent,
  signInCounters,
  tooManyAttempts,
} from './throttle.ts'

/** Who wants in, with what proof. */
interface Attempt {
  username: string
  /** Static digest of the password. */
  digest: string
  /** Six digits, a recovery code, or empty. */
  code: string
}

/**
 * Signs a user in, in two round trips: charge and load; then, once the password has been checked,
 * settle all the rest.
 *
 * Unknown, disabled and password-less accounts, the guest and a wrong password cost the same hash
 * and the same round trips, and get the same answer.
 *
 * @returns The token.
 * @throws {Refusal} `tooManyAttempts`; `wrongCredentials`; `wrongCode` when only the code is
 *   missing, wrong or used.
 */
export async function login(deps: Deps, attempt: Attempt, client: Client): Promise<string> {
  const { db } = deps
  const ring = await deps.keyRing()
  const now = deps.now()
  await passGate(deps, client.network)

  const nameHash = await hashName(ring, attempt.username)
  const signIn = signInCounters(attempt.username, nameHash, client.network)
  const [spent, charged, [user]] = await db.batch([
    selectSpent(db, signIn.counters, now),
    chargeSignIn(db, signIn, now),
    selectForLogin(db, attempt.username),
  ])
  const owner = user === undefined ? { nameHash } : { userId: user.id }
  const refused: AuditEvent = { ...client, ...owner, at: now, kind: 'sign_in_refused' }
  if (charged.length === 0) {
    logEvent({ ...refused, detail: 'too many attempts' })
    throw tooManyAttempts(spent, now)
  }

  const isAllowedIn = user !== undefined && !user.disabled && user.role !== GUEST
  const stored = isAllowedIn ? user.passwordHash : null
  const { matches, replacement } = await verifyPassword(deps, attempt.digest, stored)
  if (!isAllowedIn || stored === null || !matches) {
    const event = { ...refused, detail: user?.disabled ? 'disabled' : 'credentials' }
    await insertEvent(db, event)
    logEvent(event)
    throw new Refusal('wrongCredentials')
  }
  if (user.totpSeed !== null && attempt.code.trim() === '') {
    await payBack(db, signIn)
    throw new Refusal('wrongCode')
  }
  const rehash = replacement === undefined ? undefined : { stored, replacement }
  return settle(deps, { user, code: attempt.code, client, signIn, rehash, now, ring })
}
