import * as oauth from 'oauth4webapi'
import type { SsoConfig } from './config.ts'
import { authorizationUrl, clientOf, exchangeCode, inProtocol, requestOptions } from './oauth.ts'
import type { Ask } from './outside.ts'
import type { Begun, Provider, ProviderUser } from './provider.ts'
import { SsoError } from './reasons.ts'

/**
 * The methods that mean a second factor.
 *
 * @see RFC 8176 section 2
 */
const SECOND_FACTORS: readonly unknown[] = ['mfa', 'otp', 'hwk', 'swk', 'sc']

/** OpenID Connect with discovery. */
export function createOpenId(config: SsoConfig, issuer: string, ask: Ask, now: number): Provider {
  const discover = async () => {
    const url = new URL(issuer)
    const response = await oauth.discoveryRequest(url, requestOptions(issuer, ask))
    return oauth.processDiscoveryResponse(url, response)
  }
  return {
    begin: (begun) => inProtocol(async () => openIdUrl(await discover(), config, begun)),
    finish: (begun, answer) =>
      inProtocol(async () => {
        const as = await discover()
        const client = clientOf(config, now)
        const response = await exchangeCode(as, config, client, begun, answer, ask)
        return readIdToken(as, config, client, begun, response, ask)
      }),
  }
}

/** @see OpenID Connect Core 1.0 section 3.1.2.1 */
export function openIdUrl(
  as: oauth.AuthorizationServer,
  config: SsoConfig,
  begun: Begun,
): Promise<URL> {
  const scope = `openid profile ${config.extraScopes}`.trim()
  return authorizationUrl(as, config, begun, { scope, nonce: begun.nonce })
}

/**
 * Checks the ID token, its signature included: `iss`, `aud`, `azp`, `exp`, `nonce`.
 *
 * @see OpenID Connect Core 1.0 section 3.1.3.7
 */
export async function readIdToken(
  as: oauth.AuthorizationServer,
  { usernameClaim }: SsoConfig,
  client: oauth.Client,
  { nonce }: Begun,
  response: Response,
  ask: Ask,
): Promise<ProviderUser> {
  const answer = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(as, response, requestOptions(as.issuer, ask))
  const claims = oauth.getValidatedIdTokenClaims(answer)
  if (claims === undefined) throw new SsoError('answer', 'no ID token')
  const { azp = client.client_id } = claims
  if (azp !== client.client_id) throw new SsoError('answer', 'azp')
  const names = [usernameClaim, 'preferred_username', 'name', 'email'].map((name) => claims[name])
  const { amr } = claims
  return {
    issuer: claims.iss,
    subject: claims.sub,
    name: names.find(isName) ?? '',
    hasMfa: Array.isArray(amr) && amr.some((method) => SECOND_FACTORS.includes(method)),
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
