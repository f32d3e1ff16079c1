import * as oauth from 'oauth4webapi'
import * as v from 'valibot'
import { PROVIDER_TOLERANCE_SECONDS } from '../../core/access/sign-in-methods.ts'
import { isLoopback } from '../settings/checks.ts'
import type { SsoConfig } from './config.ts'
import type { Ask } from './outgoing.ts'
import type { Begun, ProviderCheck } from './provider-types.ts'
import { SsoError } from './reasons.ts'

/** The options of every request to a provider. Plain http is only for one on this computer. */
export function requestOptions(issuer: string, ask: Ask) {
  return {
    [oauth.customFetch]: ask,
    [oauth.allowInsecureRequests]: isLoopback(new URL(issuer)),
  }
}

/** @param now Unix time, milliseconds. */
export function oauthClientOf({ clientId }: SsoConfig, now = Date.now()): oauth.Client {
  return {
    client_id: clientId,
    [oauth.clockSkew]: Math.round((now - Date.now()) / 1000),
    [oauth.clockTolerance]: PROVIDER_TOLERANCE_SECONDS,
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
  const url = signInAddress(as)
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

function signInAddress({ authorization_endpoint: address = '' }: oauth.AuthorizationServer): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isSecure = url?.protocol === 'https:' || (url !== undefined && isLoopback(url))
  if (url === undefined || !isSecure) throw new SsoError('answer', 'authorization_endpoint')
  return url
}

/** Returns the host to which users are sent. */
export function signInHost(as: oauth.AuthorizationServer): string {
  return signInAddress(as).host
}

/**
 * Exchanges the code of a callback for the answer of the token endpoint, which is not checked yet.
 *
 * @throws {SsoError} `client`.
 */
export async function exchangeCode(
  as: oauth.AuthorizationServer,
  config: SsoConfig,
  client: oauth.Client,
  { state, verifier, redirectUri }: Begun,
  answer: URLSearchParams,
  ask: Ask,
): Promise<Response> {
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authenticationOf(as, config),
    oauth.validateAuthResponse(as, client, answer, state),
    redirectUri,
    verifier,
    requestOptions(as.issuer, ask),
  )
  if ((await blamedIn(response.clone())) === 'client')
    throw new SsoError('client', 'the provider refuses client ID or secret')
  return response
}

const NOT_GIVEN = 'nobody-has-been-given-this'
/** Some providers look for these before they look at the code. */
const USUAL_PARAMETERS = { redirect_uri: 'https://site.invalid/', code_verifier: 'x'.repeat(43) }
const errorSchema = v.object({ error: v.string() })

/** The parameter that an `error` of the token endpoint blames. GitHub has names of its own. */
const BLAMED = new Map<string, 'client' | 'code'>([
  ['invalid_client', 'client'],
  ['unauthorized_client', 'client'],
  ['incorrect_client_credentials', 'client'],
  ['invalid_grant', 'code'],
  ['bad_verification_code', 'code'],
])

/**
 * Asks the token endpoint with a wrong code. Most providers look at the client first, so their
 * error tells whether client ID and client secret are right. A second request, with a wrong client,
 * shows whether the provider does so.
 *
 * @param parameters The parameters beside the code.
 * @see RFC 6749 section 5.2,
 *   https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
 */
export async function checkServer(
  as: oauth.AuthorizationServer,
  config: SsoConfig,
  ask: Ask,
  parameters: Record<string, string> = USUAL_PARAMETERS,
): Promise<ProviderCheck> {
  const host = signInHost(as)
  const wrongCode = { ...parameters, code: NOT_GIVEN }
  const blamed = await askTokenEndpoint(as, config, ask, wrongCode)
  if (blamed === 'client') return { host, client: 'refused' }
  if (blamed === undefined) return { host, client: 'unknown' }
  const isPublic = config.clientSecret === ''
  const wrong = isPublic ? { clientId: NOT_GIVEN } : { clientSecret: NOT_GIVEN }
  const blamedThen = await askTokenEndpoint(as, { ...config, ...wrong }, ask, wrongCode)
  return { host, client: blamedThen === 'client' ? 'accepted' : 'unknown' }
}

async function askTokenEndpoint(
  as: oauth.AuthorizationServer,
  config: SsoConfig,
  ask: Ask,
  parameters: Record<string, string>,
) {
  const response = await oauth.genericTokenEndpointRequest(
    as,
    oauthClientOf(config),
    authenticationOf(as, config),
    'authorization_code',
    parameters,
    requestOptions(as.issuer, ask),
  )
  return blamedIn(response)
}

async function blamedIn(response: Response) {
  const answer = v.safeParse(errorSchema, await response.json().catch(() => undefined))
  return answer.success ? BLAMED.get(answer.output.error) : undefined
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
