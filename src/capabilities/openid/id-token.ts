import * as base64url from 'jose/base64url'
import { SignJWT } from 'jose/jwt/sign'
import type { Deps } from '../../core/deps.ts'
import { storedMethods } from '../../core/access/sign-in-methods.ts'
import { groupNamesOf } from '../../core/accounts/groups.ts'
import { ACCESS_MILLISECONDS, type SignedInUser } from './grant-store.ts'
import { signingKey, type StoredSigningKey } from './keys.ts'
import { parseScope } from './scopes.ts'

const ONE_FACTOR = '1'
const TWO_FACTORS = '2'

/** The values of `acr`: how many factors the session has shown. */
export const ACR_VALUES = [ONE_FACTOR, TWO_FACTORS]

/**
 * The claims about a user at `/oauth/userinfo`, as the scopes allow.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims
 */
export function claimsOf(user: SignedInUser) {
  const { verifiedEmail } = user
  return {
    ...namesOf(user),
    // Programs ignore `email_verified`, and let the user into the account of this address.
    ...(parseScope(user.scope).includes('email') &&
      verifiedEmail !== null && { email: verifiedEmail, email_verified: true }),
  }
}

/** The claims about a user in every ID token, because OpenList reads `name` nowhere else. */
function namesOf(user: SignedInUser) {
  const { sub, username, scope, createdAt, renamedAt } = user
  const scopes = parseScope(scope)
  return {
    sub,
    ...(scopes.includes('profile') && {
      name: username,
      preferred_username: username,
      updated_at: toSeconds(Math.max(createdAt, renamedAt)),
    }),
    ...(scopes.includes('groups') && { groups: groupNamesOf(user.role, user.groupNames) }),
  }
}

/** The facts on which an ID token depends, beside its user. */
interface IdTokenGiven {
  accessToken: string
  /** False for a refreshed one, which has no nonce. */
  isFirst: boolean
  /** The program reads the e-mail address from the ID token alone. */
  hasEmail: boolean
}

/**
 * Signs an ID token.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IDToken
 */
export async function signIdToken(
  deps: Pick<Deps, 'now' | 'keyRing' | 'isolateMemory'>,
  keys: readonly StoredSigningKey[],
  user: SignedInUser,
  { accessToken, isFirst, hasEmail }: IdTokenGiven,
): Promise<string> {
  const { kid, key } = await signingKey(deps, keys)
  const nowSeconds = toSeconds(deps.now())
  const amr = amrOf(user.amr)
  const claims = {
    ...(hasEmail ? claimsOf(user) : namesOf(user)),
    ...(user.authTime !== null && { auth_time: toSeconds(user.authTime) }),
    at_hash: await leftHalfHash(accessToken),
    amr,
    acr: amr.includes('mfa') ? TWO_FACTORS : ONE_FACTOR,
    ...(user.sessionId !== '' && { sid: user.sessionId }),
    ...(isFirst && user.nonce !== null && { nonce: user.nonce }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
    .setIssuer(user.issuer)
    .setAudience(user.clientId)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + toSeconds(ACCESS_MILLISECONDS))
    .sign(key)
}

/** @see https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken */
async function leftHalfHash(accessToken: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(accessToken))
  return base64url.encode(new Uint8Array(hash, 0, 16))
}

/**
 * Translates the methods of a session (`access/sign-in-methods.ts`).
 *
 * @see RFC 8176 section 2
 */
function amrOf(methods: string): string[] {
  const used = storedMethods(methods)
  const hasCode = used.includes('otp') || used.includes('recovery')
  const amr = [
    ...(used.includes('pwd') ? ['pwd'] : []),
    ...(hasCode ? ['otp'] : []),
    ...(used.includes('passkey') ? [used.includes('hwk') ? 'hwk' : 'swk'] : []),
  ]
  // Another provider and a password may be the same kind of factor; a code is a second one.
  const isTwoWithCode = hasCode && (used.includes('pwd') || used.includes('sso'))
  // A passkey verifies its user, so it is two factors. `mfa` is the trusted word of another provider.
  const isTwo = isTwoWithCode || used.includes('passkey') || used.includes('mfa')
  return isTwo ? [...amr, 'mfa'] : amr
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
