import { exists, sql } from 'drizzle-orm'
import { hashAppPassword } from '../../core/access/app-password.ts'
import { hasAppPasswordForm, isAppPassword } from '../../core/access/app-password-form.ts'
import { noteUse, selectShown } from '../../core/access/app-password-store.ts'
import { type AppPasswordScope, hasScope } from '../../core/access/scopes.ts'
import { insertServiceSignIn } from '../../core/access/service-sign-ins.ts'
import { actAsService, isService, selectServiceName } from '../../core/access/service-tokens.ts'
import { selectForSignIn, selectStillAllowed } from '../../core/accounts/store.ts'
import { type AuditEvent, insertEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { hashName } from '../../core/crypto/key-ring.ts'
import { asAuthority, runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { staticDigest, verifyPassword } from '../../core/passwords/passwords.ts'
import { replacePasswordHash } from '../sign-in/store.ts'
import { chargeUnspent, clearCounter, payBack } from '../../core/throttle/charges.ts'
import { type Counter, doorCounter } from '../../core/throttle/counters.ts'
import { noteStop } from '../../core/throttle/stops.ts'
import { needsCode } from '../two-factor/needs-code.ts'
import { hasPassword } from './store.ts'
import { HOUR_MILLISECONDS } from '../../core/base/time.ts'

interface BindAttempt {
  username: string
  /** An app password of `scope`, or the account's password. */
  password: string
  scope: Extract<AppPasswordScope, 'files:read' | 'files:write'>
}

/** The software that events name. */
const USER_AGENT = 'LDAP'
/** Sign-ins of one user through one door are one event in this time. */
const EVENT_MILLISECONDS = HOUR_MILLISECONDS
/** Digits of the token's hash that tell doors apart in a counter. */
const DOOR_DIGITS = 16

/**
 * Decides for an LDAP door whether a password is right. A door knows no address of its users: their
 * network is the name of its token.
 *
 * @returns False for every refusal, whatever the reason.
 * @throws {Refusal} `wrongServiceToken`.
 */
export async function checkBind(
  deps: Deps,
  tokenHash: string,
  attempt: BindAttempt,
): Promise<boolean> {
  const { password } = attempt
  if (isAppPassword(password)) return bindByAppPassword(deps, tokenHash, attempt)
  if (password !== '' && !hasAppPasswordForm(password))
    return bindByPassword(deps, tokenHash, attempt)
  await actAsService(deps.db, tokenHash, 'ldap', {})
  return false
}

/** A wrong app password counts nowhere: nobody guesses one, and it must lock nobody out. */
async function bindByAppPassword(
  deps: Deps,
  tokenHash: string,
  { username, password, scope }: BindAttempt,
): Promise<boolean> {
  const { db } = deps
  const now = deps.now()
  const door = selectServiceName(db, tokenHash)
  const shown = {
    tokenHash: hashAppPassword(password),
    username,
    network: sql`'ldap:' || (${door})`,
  }
  const { doors, found } = await actAsService(db, tokenHash, 'ldap', {
    doors: door,
    found: selectShown(db, shown, now),
  })
  const [owner] = found
  if (!owner?.appPassword) return false
  const client = clientOf(doors)
  noteUse(deps, client, { ...owner.appPassword, userId: owner.id }, now)
  if (hasScope(owner.appPassword.scopes, scope)) return true
  logEvent({ ...client, at: now, kind: 'sign_in_refused', userId: owner.id, detail: 'scope' })
  return false
}

/**
 * Checks the account's password. A wrong one counts for this account at this door only, before it
 * is checked, so that parallel guesses get no more tries.
 */
async function bindByPassword(
  deps: Deps,
  tokenHash: string,
  { username, password }: BindAttempt,
): Promise<boolean> {
  const { db } = deps
  const now = deps.now()
  const digest = await staticDigest(password)
  const nameHash = await hashName(await deps.keyRing(), username)
  const counter = doorCounter(nameHash, tokenHash.slice(0, DOOR_DIGITS))
  const by = isService(db, tokenHash, 'ldap')
  const { doors, charged, found } = await actAsService(db, tokenHash, 'ldap', {
    doors: selectServiceName(db, tokenHash),
    // A name without a password writes no row.
    charged: chargeUnspent(db, by, [counter], now, hasPassword(db, username, now)),
    noted: noteStop(db, by, counter, username, now),
    found: selectForSignIn(db, username),
  })
  const [user] = found
  if (user?.passwordHash == null) return false
  const who = { ...clientOf(doors), at: now, userId: user.id }
  if (charged.length === 0) {
    logEvent({ ...who, kind: 'sign_in_refused', detail: 'too many attempts' })
    return false
  }
  const stored = user.passwordHash
  const { matches, replacement } = await verifyPassword(deps, digest, stored).catch(
    (error: unknown) => {
      forgive(deps, counter)
      throw error
    },
  )
  if (!matches) {
    const event: AuditEvent = { ...who, kind: 'sign_in_refused', detail: 'credentials' }
    await insertEvent(db, THE_SERVICE, event)
    logEvent(event)
    return false
  }
  // A bind asks for no second factor, so a user who must use one needs an app password.
  const lacksFactor = needsCode(user) || user.mustUseSecondFactor
  const event: AuditEvent = lacksFactor
    ? { ...who, kind: 'sign_in_refused', detail: 'two-factor' }
    : { ...who, kind: 'service_sign_in' }
  const allowed = selectStillAllowed(db, username, user, deps.now())
  const isAllowed = asAuthority(sql`(${by} and ${exists(allowed)})`)
  const { still } = await runBatch(db, {
    still: allowed,
    counted: lacksFactor
      ? payBack(db, THE_SERVICE, [counter])
      : clearCounter(db, THE_SERVICE, counter),
    inserted: lacksFactor
      ? insertEvent(db, by, event)
      : insertServiceSignIn(db, isAllowed, username, event, now - EVENT_MILLISECONDS),
    rehashed:
      replacement === undefined
        ? undefined
        : replacePasswordHash(db, THE_SERVICE, user.id, { stored, replacement }),
  })
  // Operators read the log to find out why a client gets in no more.
  if (lacksFactor) logEvent({ ...event, detail: 'two-factor, make an app password' })
  return !lacksFactor && still.length > 0
}

function clientOf(doors: readonly { name: string }[]) {
  return { network: `ldap:${doors[0]?.name ?? ''}`, userAgent: USER_AGENT }
}

/** Takes the charge back after an outage. When D1 is also unavailable, the charge expires. */
function forgive({ db, defer }: Pick<Deps, 'db' | 'defer'>, counter: Counter): void {
  defer(payBack(db, THE_SERVICE, [counter]).catch(() => undefined))
}
