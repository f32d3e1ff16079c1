import { decodeJwt } from 'jose/jwt/decode'
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts'
import { type Parameters, readParameters } from './parameters.ts'
import { parseScope, type Scope } from './scopes.ts'

/** The most characters of a request. It must fit into an address within an address. */
const MAX_CHARACTERS = 4096

/**
 * The most characters of a request that is answered to its client: Cloudflare takes no longer
 * address.
 */
const MAX_ANSWERED_CHARACTERS = 16 * 1024

/** The most characters of a proof, which come on top of those of the request. */
const MAX_PROOF_CHARACTERS = 300

/** The most of a state or a nonce. */
const MAX_STATE_CHARACTERS = 2048

/** The part of a request by which the client is found. Without it, nothing is redirected. */
export interface Sender {
  clientId: string
  redirectUri: string
  state: string | undefined
  /** The answer is posted by a form, and does not stand in the address. */
  byForm: boolean
}

export interface AuthorizationRequest extends Sender {
  scopes: Scope[]
  nonce: string | undefined
  /** PKCE, S256. */
  challenge: string | undefined
  prompts: string[]
  /** The most seconds since the user proved who they are. */
  maxAgeSeconds: number | undefined
  loginHint: string | undefined
  /** An earlier ID token, not verified. */
  idTokenHint: string | undefined
  /** The known parameters as a query, without the proof. */
  query: string
  /** A text that this site has sealed (`proof.ts`), not opened. */
  proof: string | undefined
}

/**
 * `sender` is `undefined` when the request can't be trusted at all. The redirect URI of a sender is
 * an absolute address.
 */
type ParsedRequest =
  | { sender: undefined }
  | { sender: Sender; error: OAuthError }
  | { sender: Sender; error: undefined; request: AuthorizationRequest }

/**
 * Reads an authorization request.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
 */
export function parseAuthorizationRequest(params: URLSearchParams): ParsedRequest {
  const { values, repeated } = readParameters(params)
  const { client_id: clientId, redirect_uri: redirectUri = '', state, proof = '' } = values
  const length = String(params).length - Math.min(proof.length, MAX_PROOF_CHARACTERS)
  if (clientId === undefined || length > MAX_ANSWERED_CHARACTERS || !URL.canParse(redirectUri))
    return { sender: undefined }
  const mode = values['response_mode'] ?? modeOfRequestObject(values['request'])
  const sender = { clientId, redirectUri, state, byForm: mode === FORM_POST }
  try {
    if (repeated.length > 0) throw invalid('a parameter is repeated')
    if (length > MAX_CHARACTERS) throw invalid('the request is too long')
    return { sender, error: undefined, request: readRequest(sender, values) }
  } catch (error) {
    if (error instanceof OAuthError) return { sender, error }
    throw error
  }
}

/** @see https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html */
const FORM_POST = 'form_post'
export const RESPONSE_MODES = ['query', FORM_POST]

/** Parameters that are refused, each by its own code. */
const NOT_SUPPORTED: Readonly<Record<string, OAuthErrorCode>> = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
}

const KNOWN = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'prompt',
  'max_age',
  'login_hint',
  'ui_locales',
  'id_token_hint',
  'code_challenge',
  'code_challenge_method',
]

/**
 * Reads how a request object wants its answer, which is the error that refuses the object. Nothing
 * else is taken from it, because nobody has verified it.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#RequestObject
 */
function modeOfRequestObject(request: string | undefined): unknown {
  if (request === undefined) return undefined
  try {
    return decodeJwt(request)['response_mode']
  } catch {
    return undefined
  }
}

const PROMPTS = ['none', 'login', 'consent', 'select_account']

function readRequest(sender: Sender, values: Parameters): AuthorizationRequest {
  for (const [name, code] of Object.entries(NOT_SUPPORTED))
    if (values[name] !== undefined) throw new OAuthError(code, `${name} is not supported`)
  const {
    response_type: type,
    response_mode: mode = 'query',
    scope = '',
    nonce,
    prompt = '',
  } = values
  if (type === undefined) throw invalid('response_type is missing')
  if (type !== 'code')
    throw new OAuthError('unsupported_response_type', 'the response_type must be code')
  if (!RESPONSE_MODES.includes(mode)) throw invalid('the response_mode must be query or form_post')
  const scopes = parseScope(scope)
  if (!scopes.includes('openid'))
    throw new OAuthError('invalid_scope', 'the scope must contain openid')
  if (
    (nonce ?? '').length > MAX_STATE_CHARACTERS ||
    (sender.state ?? '').length > MAX_STATE_CHARACTERS
  )
    throw invalid('state or nonce is too long')
  const prompts = prompt.split(' ').filter((word) => PROMPTS.includes(word))
  if (prompts.includes('none') && prompts.length > 1) throw invalid('prompt=none stands alone')
  const known = Object.entries(values).filter(([name]) => KNOWN.includes(name))
  return {
    ...sender,
    scopes,
    nonce,
    challenge: readChallenge(values),
    prompts,
    maxAgeSeconds: readMaxAge(values['max_age']),
    loginHint: values['login_hint'],
    idTokenHint: values['id_token_hint'],
    query: new URLSearchParams(known).toString(),
    proof: values['proof'],
  }
}

/** @see RFC 7636 section 4.3 */
function readChallenge(values: Parameters): string | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = values
  if (challenge === undefined && method === undefined) return undefined
  if (method !== 'S256') throw invalid('the code_challenge_method must be S256')
  if (challenge === undefined || !/^[\w-]{43}$/.test(challenge))
    throw invalid('the code_challenge is no SHA-256')
  return challenge
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw invalid('max_age must be a number of seconds')
  return Number(text)
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_request', description)
}

/** Returns the whole request as a query, for a page that leads back to it. */
export function wholeQuery({ query, proof }: AuthorizationRequest): string {
  return proof === undefined ? query : `${query}&${new URLSearchParams({ proof }).toString()}`
}
