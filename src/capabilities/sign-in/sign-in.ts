import { TEXTS } from '../../../.build/queries/sign-in.ts'
import { BEGUN_WITH_PASSWORD } from '../../core/access/begun-with-names.ts'
import { isEnabledAt } from '../../core/accounts/enabled-at.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import type { selectForSignIn } from '../../core/accounts/store.ts'
import { storedKeys } from '../../core/accounts/username.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { hashName } from '../../core/crypto/key-ring.ts'
import { readFields, runTexts } from '../../core/database/query-text.ts'
import { type Deps, loadWithDatabase } from '../../core/deps.ts'
import { verifyPassword } from '../../core/passwords/passwords.ts'
import { signInCounters, type SignInCounters } from '../../core/throttle/counters.ts'
import { passGate, tooManyAttempts } from '../../core/throttle/gate.ts'
import type { RefusedSignIn } from '../../core/throttle/refused.ts'
import { needsCode } from '../two-factor/needs-code.ts'
import type { CheckedAttempt } from './complete-sign-in.ts'
import { logEvictions } from './evictions.ts'
import { newSession, signSession } from './new-session.ts'
import { chargeValues, sessionValues, signInEvent } from './sign-in-values.ts'
import type { CheckedUser } from './store.ts'

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
    await payBack(deps, checked.signIn)
    throw error
  })
  if (needsCode(checked.user) && attempt.code.trim() === '') {
    await payBack(deps, checked.signIn)
    throw new Refusal('wrongCode')
  }
  try {
    if (demanded === undefined && !needsCode(checked.user) && checked.rehash === undefined)
      return await beginSession(deps, checked, client, tokenSeconds)
    const { completeSignIn } = await loadWithDatabase(() => import('./complete-sign-in.ts'))
    const all = { ...checked, ...demanded }
    return await completeSignIn(deps, all, attempt.code, client, tokenSeconds)
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
    await payBack(deps, signIn)
    throw new Refusal('registrationWaits')
  }
  if (!isAllowedIn || stored === null || !matches) {
    const isOut = user !== undefined && !isEnabledAt(user, now)
    const event: RefusedSignIn = { ...refused, detail: isOut ? 'disabled' : 'credentials' }
    const { recordRefusal } = await loadWithDatabase(() => import('./unusual.ts'))
    await recordRefusal(deps, event, signIn)
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

type FoundUser = Awaited<ReturnType<typeof selectForSignIn>>[number]

/** What the statements that charge an attempt return. */
export interface Charged {
  /** The longest first. */
  blocks: { expiresAt: number; isInFlight: boolean }[]
  charged: unknown[]
  found: FoundUser[]
}

/**
 * Charges an attempt and loads the user in one round trip. When only attempts in flight block it,
 * it waits for them, because each may be a right sign-in that is paid back.
 *
 * @returns `blocks` when the attempt was not charged.
 */
async function chargeInTurn(deps: Deps, signIn: SignInCounters) {
  const waits = WAITS_MILLISECONDS.values()
  for (;;) {
    const now = deps.now()
    const { blocks, charged, found } = await charge(deps, signIn, now)
    const [user] = found
    if (charged.length > 0) return { now, user, blocks: undefined }
    const next = blocks.every(({ isInFlight }) => isInFlight) ? waits.next() : undefined
    if (next === undefined || next.done) return { now, user, blocks }
    await deps.wait(next.value)
  }
}

const BLOCK_FIELDS = {
  names: ['expiresAt', 'isInFlight'],
  readers: { isInFlight: Boolean },
}
const USER_FIELDS = {
  names: TEXTS.userFields,
  readers: { disabled: Boolean, waiting: Boolean, mustUseSecondFactor: Boolean },
}

async function charge(deps: Deps, signIn: SignInCounters, now: number): Promise<Charged> {
  if (storedKeys(signIn.username).length > 1) {
    const { chargeByName } = await loadWithDatabase(() => import('./unusual.ts'))
    return chargeByName(deps, signIn, now)
  }
  const { blocks, charged, found } = await runTexts(
    deps.db,
    TEXTS.charge,
    chargeValues(signIn, now),
  )
  return {
    blocks: readFields<Charged['blocks'][number]>(blocks, BLOCK_FIELDS),
    charged,
    found: readFields<FoundUser>(found, USER_FIELDS),
  }
}

/**
 * Begins a session with a password alone, as `completeSignIn` does, by the text of its statements:
 * most sign-ins need no more, and a fresh isolate then reads no Drizzle.
 *
 * @throws {Refusal} `wrongCredentials` when the account has changed since the check;
 *   `tooManySessions`.
 */
async function beginSession(
  deps: Deps,
  { user, signIn, now }: CheckedPassword,
  client: Client,
  tokenSeconds: number,
): Promise<string> {
  const { db } = deps
  const ring = await deps.keyRing()
  const session = newSession(deps, user.id, now, tokenSeconds)
  const event = signInEvent(client, user.id, now)
  const { passwordChangedAt } = user
  const values = sessionValues({ event, passwordChangedAt, session, signIn })
  const { lacking, inserted, evicted } = await runTexts(db, TEXTS.begin, values)
  // Programs hear of it, as after `deleteSessions`.
  if (evicted.length > 0) db.toSend.add('logouts')
  if (inserted.length === 0)
    throw new Refusal(lacking.length > 0 ? 'tooManySessions' : 'wrongCredentials')
  logEvent(event)
  logEvictions(event, evicted)
  return signSession(deps, ring, session)
}

async function payBack({ db }: Pick<Deps, 'db'>, { counters }: SignInCounters): Promise<void> {
  const { payBackCharge } = await loadWithDatabase(() => import('./unusual.ts'))
  await payBackCharge(db, counters)
}

/** Takes the charge back after an outage. When D1 is also unavailable, the charge expires. */
function forgiveOutage(deps: Pick<Deps, 'db' | 'defer'>, signIn: SignInCounters): void {
  deps.defer(payBack(deps, signIn).catch(() => undefined))
}
