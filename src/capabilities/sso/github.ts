import * as oauth from 'oauth4webapi'
import * as v from 'valibot'
import { GITHUB_ISSUER } from '../../core/base/sso-platforms.ts'
import type { SsoConfig } from './config.ts'
import {
  authorizationUrl,
  checkServer,
  oauthClientOf,
  exchangeCode,
  inProtocol,
  requestOptions,
} from './oauth.ts'
import type { Ask } from './outgoing.ts'
import type { Asking, Provider } from './provider-types.ts'
import { SsoError } from './reasons.ts'

const SERVER = {
  issuer: GITHUB_ISSUER,
  authorization_endpoint: `${GITHUB_ISSUER}/authorize`,
  token_endpoint: `${GITHUB_ISSUER}/access_token`,
  token_endpoint_auth_methods_supported: ['client_secret_post'],
}
const USER_ENDPOINT = new URL('https://api.github.com/user')

/** A login can be changed and then taken by somebody else; the id can't. */
const userSchema = v.object({
  id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  login: v.fallback(v.string(), ''),
})

/** GitHub: OAuth 2.0 without ID tokens. */
export function createGithub(config: SsoConfig, { ask }: Asking): Provider {
  const scope = `read:user ${config.extraScopes}`.trim()
  return {
    begin: (begun) => inProtocol(() => authorizationUrl(SERVER, config, begun, { scope })),
    finish: (begun, answer) =>
      inProtocol(async () => {
        const client = oauthClientOf(config)
        const response = await exchangeCode(SERVER, config, client, begun, answer, ask)
        const { access_token: token } = await oauth.processAuthorizationCodeResponse(
          SERVER,
          client,
          response,
        )
        const { id, login } = await readUser(token, ask)
        return { issuer: GITHUB_ISSUER, subject: String(id), name: login, hasMfa: false }
      }),
    // GitHub refuses a redirect URI that is not registered, so the check sends none.
    check: () => inProtocol(() => checkServer(SERVER, config, ask, {})),
  }
}

/** @see https://docs.github.com/rest/users/users#get-the-authenticated-user */
async function readUser(token: string, ask: Ask) {
  const headers = new Headers({ Accept: 'application/vnd.github+json' })
  const options = requestOptions(GITHUB_ISSUER, ask)
  const response = await oauth.protectedResourceRequest(
    token,
    'GET',
    USER_ENDPOINT,
    headers,
    null,
    options,
  )
  if (!response.ok) throw new SsoError('answer', `user ${response.status}`)
  const user = v.safeParse(userSchema, await response.json())
  if (!user.success) throw new SsoError('answer', 'user')
  return user.output
}
