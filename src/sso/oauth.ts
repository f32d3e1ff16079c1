import * as oauth from 'oauth4webapi'
import { isLoopback } from '../settings/checks.ts'
import type { SsoConfig } from './config.ts'
import type { Ask } from './outside.ts'
import type { Begun } from './provider.ts'
import { SsoError } from './reasons.ts'

/** The clock of a provider may differ from ours. */
const TOLERANCE_SECONDS = 30

/** The options of every request to a provider. Plain http is only for one on this computer. */
export function requestOptions(issuer: string, ask: Ask) {
  return {
    [oauth.customFetch]: ask,
    [oauth.allowInsecureRequests]: isLoopback(new URL(issuer)),
  }
}

/** @param now Unix time, milliseconds. */
export function clientOf({ clientId }: SsoConfig, now = Date.now()): oauth.Client {
  return {
    client_id: clientId,
    [oauth.clockSkew]: Math.round((now - Date.now()) / 1000),
    [oauth.clockTolerance]: TOLERANCE_SECONDS,
  }
}

/**
 * Proves the client to the provider. A provider that names no method accepts `client_secret_basic`.
 *
 * @see OpenID Connect Discovery 1.0 section 3, `token_endpoint_auth_methods_supported`
 */
function authenticationOf(as: oauth.AuthorizationServer, { clientSecret }: SsoConfig) {
  if (clientSecret === '') return oauth.None()
  const methods = as.token_endpoint_auth_methods_supported ?? []
  // Preferred, because providers disagree on how `client_secret_basic` encodes special characters.
  if (methods.includes('client_secret_post')) return oauth.ClientSecretPost(clientSecret)
  return oauth.ClientSecretBasic(clientSecret)
}

/**
 * Returns the address at which a user signs in: authorization code with PKCE.
 *
 * @see RFC 6749 section 4.1.1, RFC 7636 section 4.3
 */
export async function authorizationUrl(
  as: oauth.AuthorizationServer,
  { clientId }: SsoConfig,
  { state, verifier, redirectUri }: Begun,
  parameters: Record<string, string>,
): Promise<URL> {
  const url = URL.canParse(as.authorization_endpoint ?? '')
    ? new URL(as.authorization_endpoint ?? '')
    : undefined
  const isSecure = url?.protocol === 'https:' || (url !== undefined && isLoopback(url))
  if (url === undefined || !isSecure) throw new SsoError('answer', 'authorization_endpoint')
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  }
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
  return url
}

/** Exchanges the code of a callback for the answer of the token endpoint, which is not checked yet. */
export function exchangeCode(
  as: oauth.AuthorizationServer,
  config: SsoConfig,
  client: oauth.Client,
  { state, verifier, redirectUri }: Begun,
  answer: URLSearchParams,
  ask: Ask,
): Promise<Response> {
  return oauth.authorizationCodeGrantRequest(
    as,
    client,
    authenticationOf(as, config),
    oauth.validateAuthResponse(as, client, answer, state),
    redirectUri,
    verifier,
    requestOptions(as.issuer, ask),
  )
}

/** Runs a part of the protocol. Errors of the library become {SsoError}, without their values. */
export async function inProtocol<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SsoError) throw error
    if (error instanceof oauth.AuthorizationResponseError) throw new SsoError('denied')
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new SsoError('answer', code)
  }
}
