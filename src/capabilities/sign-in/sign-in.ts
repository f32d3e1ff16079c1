import { BEGUN_WITH_PASSWORD } from '../../core/access/begun-with.ts'
import { logEvent } from '../../core/audit/events.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { hashName } from '../../core/crypto/key-ring.ts'
import { isEnabledAt } from '../../core/accounts/enabled-at.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import { selectForSignIn } from '../../core/accounts/store.ts'
import { verifyPassword } from '../../core/passwords/passwords.ts'
import { refusalParts, type RefusedSignIn } from '../../core/throttle/refused.ts'
import { needsCode } from '../two-factor/second-factor.ts'
import { type CheckedAttempt, completeSignIn } from './complete-sign-in.ts'
import type { CheckedUser } from './store.ts'
import { selectSignInBlocks } from '../../core/throttle/blocks.ts'
import { chargeSignIn, payBack } from '../../core/throttle/charges.ts'
import { noteSignInStop } from '../../core/throttle/stops.ts'
import { signInCounters, type SignInCounters } from '../../core/throttle/counters.ts'
import { passGate, tooManyAttempts } from '../../core/throttle/requests.ts'

/** The input of a sign-in. */
interface Attempt {
  username: string
  /** Static digest of the password. */
  digest: string
  /** Six digits, a recovery code, or an empty text. */
  code: string
}

type Demand = Pick<CheckedAttempt, 'isStill' | 'also'>

/** An attempt with the right password. */
interface CheckedPassword extends CheckedAttempt {
  user: CheckedUser & { permission: number; mustUseSecondFactor: boolean }
  signIn: SignInCounters
}

/** Milliseconds of each wait for attempts in flight: two seconds in all. */
const WAITS_MILLISECONDS = [50, 100, 150, 200, 300, 300, 400, 500]

/**
 * Signs a user in, in two round trips. The first charges the attempt and loads the user. After the
 * password check, the second completes the sign-in.
 *
 * @param demand Tells what else the sign-in of this user depends on and writes. It is asked after
 *   the password, and may refuse.
 * @returns The token.
 * @throws {Refusal} `tooManyAttempts`; `wrongCredentials`; `registrationWaits`; `wrongCode` when
 *   only the code is missing, wrong or used; the refusals of `demand`.
 */
export async function login(
  deps: Deps,
  attempt: Attempt,
  client: Client,
  demand?: (userId: number) => Promise<Demand>,
): Promise<string> {
  const tokenSeconds = deps.tokenSeconds()
  const checked = await checkPassword(deps, attempt, client)
  const demanded = await demand?.(checked.user.id).catch(async (error: unknown) => {
    await payBack(deps.db, THE_SERVICE, checked.signIn.counters)
    throw error
  })
  if (needsCode(checked.user) && attempt.code.trim() === '') {
    await payBack(deps.db, THE_SERVICE, checked.signIn.counters)
    throw new Refusal('wrongCode')
  }
  try {
    return await completeSignIn(
      deps,
      { ...checked, ...demanded },
      attempt.code,
      client,
      tokenSeconds,
    )
  } catch (error) {
    if (!(error instanceof Refusal) || error.code >= 500) forgiveOutage(deps, checked.signIn)
    throw error
  }
}

/**
 * Charges an attempt and checks its password.
 *
 * Unknown, disabled and password-less accounts, the guest and a wrong password cost the same hash
 * and the same round trips, and get the same answer. A user who waits for an approval is told so
 * after the right password, at the same cost, and has not failed.
 *
 * @throws {Refusal} `tooManyAttempts`, `wrongCredentials`, `registrationWaits`.
 */
export async function checkPassword(
  deps: Deps,
  { username, digest }: Pick<Attempt, 'username' | 'digest'>,
  client: Client,
): Promise<CheckedPassword> {
  const { db } = deps
  const ring = await deps.keyRing()
  await passGate(deps, client)

  const nameHash = await hashName(ring, username)
  const signIn = signInCounters(username, nameHash, client.network)
  const { now, user, blocks } = await chargeInTurn(deps, signIn)
  const owner = user === undefined ? { nameHash } : { userId: user.id }
  const refused = { ...client, ...owner, at: now, kind: 'sign_in_refused' } as const
  if (blocks !== undefined) {
    logEvent({ ...refused, detail: 'too many attempts' })
    throw tooManyAttempts(blocks, now)
  }

  const isAllowedIn = user !== undefined && isEnabledAt(user, now) && user.role !== GUEST
  // Disabled for no other reason than that nobody has approved the registration.
  const isWaiting = user?.waiting === true && isEnabledAt({ ...user, disabled: false }, now)
  const stored = isAllowedIn || isWaiting ? user.passwordHash : null
  const { matches, replacement } = await verifyPassword(deps, digest, stored).catch(
    (error: unknown) => {
      forgiveOutage(deps, signIn)
      throw error
    },
  )
  if (isWaiting && matches) {
    await payBack(db, THE_SERVICE, signIn.counters)
    throw new Refusal('registrationWaits')
  }
  if (!isAllowedIn || stored === null || !matches) {
    const isOut = user !== undefined && !isEnabledAt(user, now)
    const event: RefusedSignIn = { ...refused, detail: isOut ? 'disabled' : 'credentials' }
    await runBatch(db, refusalParts(db, THE_SERVICE, event, signIn))
    logEvent(event)
    throw new Refusal('wrongCredentials')
  }
  return {
    user,
    methods: ['pwd'],
    begunWith: BEGUN_WITH_PASSWORD,
    signIn,
    rehash: replacement === undefined ? undefined : { stored, replacement },
    now,
  }
}

/**
 * Charges an attempt and loads the user in one round trip. When only attempts in flight block it,
 * it waits for them, because each may be a right sign-in that is paid back.
 *
 * @returns `blocks` when the attempt was not charged.
 */
async function chargeInTurn(deps: Pick<Deps, 'db' | 'now' | 'wait'>, signIn: SignInCounters) {
  const { db } = deps
  const waits = WAITS_MILLISECONDS.values()
  for (;;) {
    const now = deps.now()
    const { blocks, charged, found } = await runBatch(db, {
      // Stands before the charge, which can spend a counter itself.
      blocks: selectSignInBlocks(db, signIn, now),
      charged: chargeSignIn(db, THE_SERVICE, signIn, now),
      noted: noteSignInStop(db, THE_SERVICE, signIn, now),
      found: selectForSignIn(db, signIn.username),
    })
    const [user] = found
    if (charged.length > 0) return { now, user, blocks: undefined }
    const next = blocks.every(({ isInFlight }) => isInFlight) ? waits.next() : undefined
    if (next === undefined || next.done) return { now, user, blocks }
    await deps.wait(next.value)
  }
}

/** Takes the charge back after an outage. When D1 is also unavailable, the charge expires. */
function forgiveOutage({ db, defer }: Pick<Deps, 'db' | 'defer'>, signIn: SignInCounters): void {
  defer(payBack(db, THE_SERVICE, signIn.counters).catch(() => undefined))
}
