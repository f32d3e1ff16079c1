import * as oauth from 'oauth4webapi'
import * as v from 'valibot'
import { GOOGLE_ISSUER } from '../../core/base/sso-platforms.ts'
import type { SsoConfig } from './config.ts'
import { type KnownProvider, knowProvider } from './memory.ts'
import {
  authorizationUrl,
  checkServer,
  oauthClientOf,
  exchangeCode,
  inProtocol,
  requestOptions,
} from './oauth.ts'
import type { Ask } from './outgoing.ts'
import type { Asking, Begun, Provider, ProviderUser } from './provider-types.ts'
import { SsoError } from './reasons.ts'

/**
 * The methods that mean a second factor.
 *
 * @see RFC 8176 section 2
 */
const SECOND_FACTORS: readonly unknown[] = ['mfa', 'otp', 'hwk', 'swk', 'sc']

export const MICROSOFT = 'https://login.microsoftonline.com'

/** OpenID Connect with discovery. */
export function createOpenId(config: SsoConfig, issuer: string, asking: Asking): Provider {
  const { ask, now, memory } = asking
  const discover = () =>
    knowProvider(memory, issuer, now, async () => {
      const url = new URL(issuer)
      const response = await oauth.discoveryRequest(url, requestOptions(issuer, ask))
      return oauth.processDiscoveryResponse(url, response)
    })
  return {
    begin: (begun, isAnew) =>
      inProtocol(async () => openIdUrl((await discover()).server, config, begun, isAnew)),
    finish: (begun, answer) =>
      inProtocol(async () => {
        const known = await discover()
        const client = oauthClientOf(config, now)
        const response = await exchangeCode(known.server, config, client, begun, answer, ask)
        return readIdToken(known.server, config, client, begun, response, { ask, known })
      }),
    check: () => inProtocol(async () => checkServer((await discover()).server, config, ask)),
  }
}

/** @see OpenID Connect Core 1.0 section 3.1.2.1 */
export function openIdUrl(
  as: oauth.AuthorizationServer,
  config: SsoConfig,
  begun: Begun,
  isAnew: boolean,
): Promise<URL> {
  const scope = `openid profile ${config.extraScopes}`.trim()
  const anew = isAnew ? askingAnew(as.issuer) : {}
  const claims = as.claims_parameter_supported === true ? { claims: TIME_OF_SIGN_IN } : {}
  return authorizationUrl(as, config, begun, { scope, nonce: begun.nonce, ...claims, ...anew })
}

/**
 * Asks for `auth_time`, from which the session counts. Many providers tell it only on request.
 *
 * @see OpenID Connect Core 1.0 section 5.5
 */
const TIME_OF_SIGN_IN = JSON.stringify({ id_token: { auth_time: null } })

/**
 * Returns the parameters that make a provider ask its user to sign in, also with a live session.
 * Whether it has done so, `auth_time` tells.
 *
 * @see https://developers.google.com/identity/siwg/security-bundle,
 *   https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow
 */
function askingAnew(issuer: string): Record<string, string> {
  // Google documents no value that asks for a new sign-in.
  if (issuer === GOOGLE_ISSUER) return { prompt: 'select_account' }
  // With `max_age`, Microsoft's tokens expire that long after the sign-in.
  if (issuer.startsWith(`${MICROSOFT}/`)) return { prompt: 'login' }
  return { prompt: 'login', max_age: '0' }
}

/** Where the keys of a provider come from. */
interface KeySource {
  ask: Ask
  known: KnownProvider
}

/**
 * Checks the ID token, its signature included: `iss`, `aud`, `azp`, `exp`, `nonce`.
 *
 * @see OpenID Connect Core 1.0 section 3.1.3.7
 */
export async function readIdToken(
  as: oauth.AuthorizationServer,
  { usernameClaim, groupsClaim }: SsoConfig,
  client: oauth.Client,
  { nonce }: Begun,
  response: Response,
  keys: KeySource,
): Promise<ProviderUser> {
  const answer = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await checkSignature(as, response, keys)
  const claims = oauth.getValidatedIdTokenClaims(answer)
  if (claims === undefined) throw new SsoError('answer', 'no ID token')
  const { azp = client.client_id } = claims
  if (azp !== client.client_id) throw new SsoError('answer', 'azp')
  const names = [usernameClaim, 'preferred_username', 'name', 'email'].map((name) => claims[name])
  const { amr, auth_time: authTime } = claims
  return {
    issuer: claims.iss,
    subject: claims.sub,
    name: names.find(isName) ?? '',
    hasMfa: Array.isArray(amr) && amr.some((method) => SECOND_FACTORS.includes(method)),
    authTimeSeconds: authTime === undefined ? undefined : Math.floor(authTime),
    ...(groupsClaim !== '' && { groups: readGroups(claims[groupsClaim]) }),
  }
}

const groupsSchema = v.pipe(
  v.optional(v.union([v.string(), v.array(v.string())]), []),
  v.transform((groups) => [groups].flat()),
)

/**
 * Reads the claim with groups: texts, or one text. Without it, the user has none.
 *
 * @returns Null for another type.
 */
function readGroups(claim: unknown): readonly string[] | null {
  const read = v.safeParse(groupsSchema, claim)
  return read.success ? read.output : null
}

/** Checks a signature with the keys that are known. A provider may have changed them since. */
async function checkSignature(
  as: oauth.AuthorizationServer,
  response: Response,
  { ask, known }: KeySource,
): Promise<void> {
  // The library remembers keys by the object too, so each check gets its own.
  const check = () =>
    oauth.validateApplicationLevelSignature({ ...as }, response, {
      ...requestOptions(as.issuer, ask),
      [oauth.jwksCache]: known.keys,
    })
  const hadKeys = 'jwks' in known.keys
  try {
    await check()
  } catch (error) {
    if (!hadKeys) throw error
    known.keys = {}
    await check()
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
