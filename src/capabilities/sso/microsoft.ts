import * as v from 'valibot'
import { decodeJwt } from 'jose/jwt/decode'
import type { SsoConfig } from './config.ts'
import { knowProvider } from './memory.ts'
import { checkServer, oauthClientOf, exchangeCode, inProtocol } from './oauth.ts'
import { MICROSOFT, openIdUrl, readIdToken } from './openid.ts'
import type { Asking, Provider } from './provider-types.ts'

/** The metadata of the endpoint for the accounts of all tenants. */
const COMMON = {
  issuer: `${MICROSOFT}/common/v2.0`,
  authorization_endpoint: `${MICROSOFT}/common/oauth2/v2.0/authorize`,
  token_endpoint: `${MICROSOFT}/common/oauth2/v2.0/token`,
  jwks_uri: `${MICROSOFT}/common/discovery/v2.0/keys`,
  token_endpoint_auth_methods_supported: ['client_secret_post'],
  id_token_signing_alg_values_supported: ['RS256'],
}

const answerSchema = v.object({ id_token: v.string() })
const tenantSchema = v.object({ tid: v.pipe(v.string(), v.uuid()) })

/**
 * Microsoft signs for every tenant with the same keys, and each token names the issuer of its
 * tenant. Discovery names a template (`{tenantid}`), so its answer can't be compared with a token.
 *
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
export function createMicrosoft(config: SsoConfig, { ask, now, memory }: Asking): Provider {
  return {
    begin: (begun, isAnew) => inProtocol(() => openIdUrl(COMMON, config, begun, isAnew)),
    finish: (begun, answer) =>
      inProtocol(async () => {
        const client = oauthClientOf(config, now)
        const response = await exchangeCode(COMMON, config, client, begun, answer, ask)
        const issuer = await issuerIn(response.clone())
        const known = await knowProvider(memory, COMMON.issuer, now, async () => COMMON)
        const keys = { ask, known }
        return readIdToken({ ...COMMON, issuer }, config, client, begun, response, keys)
      }),
    check: () => inProtocol(() => checkServer(COMMON, config, ask)),
  }
}

/**
 * Returns the issuer of the token's tenant. `readIdToken` compares it with `iss` of the signed
 * token, so a token can't name one tenant in `tid` and another in `iss`.
 */
async function issuerIn(response: Response): Promise<string> {
  // An error of the provider is reported by `readIdToken`, with the issuer that it knows.
  const answer = v.safeParse(answerSchema, await response.json().catch(() => undefined))
  if (!answer.success) return COMMON.issuer
  const { tid } = v.parse(tenantSchema, decodeJwt(answer.output.id_token))
  return `${MICROSOFT}/${tid}/v2.0`
}
