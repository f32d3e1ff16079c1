import { begunWithIdentity } from '../../core/access/begun-with-names.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { type AuditEvent, insertEvent } from '../../core/audit/events.ts'
import { isEnabledAt } from '../../core/accounts/enabled-at.ts'
import { keptNamesIn, selectKeptNames } from '../../core/accounts/kept-names.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { completeSignIn } from '../sign-in/complete-sign-in.ts'
import { chargeRequest } from '../../core/throttle/requests.ts'
import { needsCode } from '../two-factor/needs-code.ts'
import { type Attempt, useUpState } from './attempt.ts'
import { type ProviderId, providerIdOf, type SsoConfig } from './config.ts'
import type { ProviderUser } from './provider-types.ts'
import { registerUser } from './register.ts'
import { followProvider } from './follow-provider.ts'
import { type ProvenIdentity } from '../../core/access/identities.ts'
import {
  type IdentityUser,
  isLinkedWith,
  markIdentityUsed,
  selectClaims,
  selectUserOfIdentity,
} from './store.ts'

/** A sign-in for which the account's own second factor or a linked account is missing. */
export interface Unfinished {
  missing: 'factor' | 'link'
  identity: ProvenIdentity
  /** The provider that has proven it. */
  provider: ProviderId
}

/**
 * Signs in the user of an identity that a provider has just proven.
 *
 * @throws {Refusal} `accountDisabled`; `wrongCredentials` when the account has just changed;
 *   `ssoRefused` for a state that was used; `tooManyAttempts`.
 */
export async function signInWithIdentity(
  deps: Deps,
  config: SsoConfig,
  attempt: Attempt,
  { hasMfa, groups, ...user }: ProviderUser,
  client: Client,
): Promise<{ token: string } | Unfinished> {
  const identity: ProvenIdentity = { ...user, platform: config.platform }
  const known = await findUserOf(deps, identity)
  if (known === undefined || !maySignIn(known, deps.now()))
    await chargeRequest(deps, 'stranger', client)
  await useUpState(deps, attempt, client)
  const found = known ?? (await register(deps, config, identity, client))
  const provider = providerIdOf(config)
  if (found === undefined) return { missing: 'link', identity, provider }
  await refuseDisabled(deps, found, client)
  // Before the session: it must not begin with groups that the provider has taken away.
  if (groups !== undefined) await followProvider(deps, config, found.id, groups, client)
  const isTrusted = config.trustsMfa && hasMfa
  if (!isTrusted && needsFactor(found)) return { missing: 'factor', identity, provider }
  return { token: await complete(deps, identity, found, isTrusted, '', client) }
}

/**
 * Completes the sign-in of a user who has two-step verification, with a code.
 *
 * @throws {Refusal} `wrongCode`, `tooManyAttempts`, `accountDisabled`; `identityNotFound` when the
 *   identity is no longer linked.
 */
export async function signInWithCode(
  deps: Deps,
  identity: ProvenIdentity,
  code: string,
  client: Client,
): Promise<string> {
  const user = await findUserOf(deps, identity)
  if (user === undefined) throw new Refusal('identityNotFound')
  await refuseDisabled(deps, user, client)
  if (needsCode(user) && code.trim() === '') throw new Refusal('wrongCode')
  if (!needsCode(user) && needsFactor(user)) throw new Refusal('secondFactorUnused')
  return complete(deps, identity, user, false, code, client)
}

/** Finds the user of an identity. */
export async function findUserOf(
  { db }: Pick<Deps, 'db'>,
  identity: ProvenIdentity,
): Promise<IdentityUser | undefined> {
  const [user] = await selectUserOfIdentity(db, identity)
  return user
}

/**
 * Tells whether a sign-in needs a second factor of the account: a code, or a passkey where the site
 * requires a second factor and the user has nothing else.
 */
function needsFactor(user: IdentityUser): boolean {
  return needsCode(user) || (user.mustUseSecondFactor && user.hasPasskey)
}

/** @returns `undefined` when no account may be created for the identity. */
async function register(
  deps: Deps,
  { newAccount }: SsoConfig,
  identity: ProvenIdentity,
  client: Client,
): Promise<IdentityUser | undefined> {
  if (newAccount === undefined) return undefined
  // An account that was moved here may be this user's, who then confirms it with its password.
  const { claims, kept } = await runBatch(deps.db, {
    claims: selectClaims(deps.db, [identity.subject, identity.name]),
    kept: selectKeptNames(deps.db),
  })
  if (claims.length > 0) return undefined
  await registerUser(deps, identity, newAccount, keptNamesIn(kept), client)
  return findUserOf(deps, identity)
}

function maySignIn(user: IdentityUser, now: number): boolean {
  return isEnabledAt(user, now) && user.role !== GUEST
}

async function refuseDisabled(deps: Deps, user: IdentityUser, client: Client): Promise<void> {
  const now = deps.now()
  if (maySignIn(user, now)) return
  const event: AuditEvent = {
    ...client,
    at: now,
    kind: 'sign_in_refused',
    userId: user.id,
    detail: 'disabled',
  }
  await insertEvent(deps.db, THE_SERVICE, event)
  logEvent(event)
  throw new Refusal('accountDisabled')
}

async function complete(
  deps: Deps,
  identity: ProvenIdentity,
  user: IdentityUser,
  isTrusted: boolean,
  code: string,
  client: Client,
): Promise<string> {
  const now = deps.now()
  const checked = {
    user,
    methods: isTrusted ? (['sso', 'mfa'] as const) : (['sso'] as const),
    begunWith: begunWithIdentity(identity),
    provider: identity.platform,
    authTimeSeconds: identity.authTimeSeconds,
    isStill: isLinkedWith(deps.db, identity, user.id),
    now,
  }
  const token = await completeSignIn(deps, checked, code, client, deps.tokenSeconds())
  // When this fails, the list of identities shows the previous time.
  deps.defer(
    markIdentityUsed(deps.db, identity, now).then(
      () => undefined,
      () => undefined,
    ),
  )
  return token
}
