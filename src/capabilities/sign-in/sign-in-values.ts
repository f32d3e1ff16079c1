import type { AuditEvent } from '../../core/audit/audit-event.ts'
import { signInDetail } from '../../core/audit/sign-in-detail.ts'
import { type Client, sitePattern } from '../../core/base/network.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import type { NewSession } from '../../core/access/token.ts'
import type { NamedValues } from '../../core/database/named-text.ts'
import { chargedRows } from '../../core/throttle/charged-rows.ts'
import { pathOf } from '../../core/database/json-path.ts'
import { IN_FLIGHT_MILLISECONDS, type SignInCounters } from '../../core/throttle/counters.ts'

/** Returns the values of the statements that charge an attempt and find its user. */
export function chargeValues(signIn: SignInCounters, now: number): NamedValues {
  const { counters, parts, username, network } = signIn
  const [site, account] = counters
  return {
    now,
    inFlightSince: now - IN_FLIGHT_MILLISECONDS,
    username,
    usernameKey: usernameKey(username),
    network,
    sitePattern: sitePattern(network),
    site: site.key,
    account: account.key,
    networkPart: pathOf(parts.network),
    pairPart: pathOf(parts.pair),
    place: pathOf(network),
    rows: chargedRows(counters, now),
  }
}

/** The event of a sign-in with a password alone. */
export function signInEvent(client: Client, userId: number, at: number) {
  const detail = signInDetail({ methods: ['pwd'] })
  return { ...client, at, kind: 'sign_in' as const, userId, detail }
}

/** A session that begins with a password alone. */
export interface PasswordSession {
  /** The sign-in. */
  event: AuditEvent & { userId: number }
  passwordChangedAt: number
  session: NewSession
  signIn: SignInCounters
}

/** Returns the values of the statements that begin a session. */
export function sessionValues({ event, passwordChangedAt, session, signIn }: PasswordSession) {
  const { counters, parts } = signIn
  const [site, account] = counters
  const { at, userId, network, userAgent, country = '' } = event
  return {
    now: at,
    userId,
    network,
    userAgent,
    country,
    passwordChangedAt,
    sessionId: session.sessionId,
    createdAt: session.issuedAtSeconds * 1000,
    expiresAt: session.expiresAtSeconds * 1000,
    site: site.key,
    account: account.key,
    networkPart: parts.network,
    networkPath: pathOf(parts.network),
    networkFailures: `${pathOf(parts.network)}[0]`,
    pairPart: parts.pair,
  }
}
