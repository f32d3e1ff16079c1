import * as oauth from 'oauth4webapi'
import * as v from 'valibot'
import { DINGTALK_ISSUER } from '../../core/base/sso-platforms.ts'
import type { SsoConfig } from './config.ts'
import { authorizationUrl, oauthClientOf, inProtocol, signInHost } from './oauth.ts'
import type { Ask } from './outgoing.ts'
import type { Asking, Provider, ProviderCheck } from './provider-types.ts'
import { SsoError } from './reasons.ts'

const SERVER = {
  issuer: DINGTALK_ISSUER,
  authorization_endpoint: `${DINGTALK_ISSUER}/oauth2/auth`,
}
const API = 'https://api.dingtalk.com/v1.0'

const tokenSchema = v.object({ accessToken: v.pipe(v.string(), v.minLength(1)) })
const refusalSchema = v.object({ code: v.string() })
const userSchema = v.object({
  unionId: v.pipe(v.string(), v.minLength(1)),
  nick: v.fallback(v.string(), ''),
})

/**
 * DingTalk: OAuth 2.0 with its own names. The code comes as `authCode`, and the token endpoint
 * takes JSON.
 *
 * @see https://open.dingtalk.com/document/orgapp/obtain-identity-credentials
 */
export function createDingtalk(config: SsoConfig, { ask }: Asking): Provider {
  const scope = `openid ${config.extraScopes}`.trim()
  return {
    begin: (begun) =>
      inProtocol(() => authorizationUrl(SERVER, config, begun, { scope, prompt: 'consent' })),
    finish: ({ state }, answer) =>
      inProtocol(async () => {
        oauth.validateAuthResponse(SERVER, oauthClientOf(config), answer, state)
        const code = answer.get('authCode') ?? ''
        const { accessToken } = await readToken(config, code, ask)
        const headers = { 'x-acs-dingtalk-access-token': accessToken }
        const { unionId, nick } = await askJson(ask, '/contact/users/me', { headers }, userSchema)
        return { issuer: DINGTALK_ISSUER, subject: unionId, name: nick, hasMfa: false }
      }),
    check: () => checkApplication(config, ask),
  }
}

/**
 * Asks for a token of the application itself, which needs no user, and does not use it. Only
 * applications of an organization get one.
 *
 * @see https://open.dingtalk.com/document/orgapp/obtain-the-access_token-of-an-internal-app
 */
async function checkApplication(
  { clientId: appKey, clientSecret: appSecret }: SsoConfig,
  ask: Ask,
): Promise<ProviderCheck> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ appKey, appSecret })
  const response = await ask(`${API}/oauth2/accessToken`, { method: 'POST', headers, body })
  const answer = v.safeParse(refusalSchema, await response.json().catch(() => undefined))
  const isRefused = answer.success && answer.output.code === 'invalidClientIdOrSecret'
  return {
    host: signInHost(SERVER),
    client: isRefused ? 'refused' : response.ok ? 'accepted' : 'unknown',
  }
}

function readToken({ clientId, clientSecret }: SsoConfig, code: string, ask: Ask) {
  const body = JSON.stringify({ clientId, clientSecret, code, grantType: 'authorization_code' })
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body }
  return askJson(ask, '/oauth2/userAccessToken', init, tokenSchema)
}

async function askJson<Schema extends v.GenericSchema>(
  ask: Ask,
  path: string,
  init: RequestInit,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const response = await ask(`${API}${path}`, init)
  if (!response.ok) throw new SsoError('answer', `${path} ${response.status}`)
  const answer = v.safeParse(schema, await response.json().catch(() => undefined))
  if (!answer.success) throw new SsoError('answer', path)
  return answer.output
}
