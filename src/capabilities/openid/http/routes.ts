import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { clientOf } from '../../../web/http/client.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { refuse } from '../../../web/http/envelope.ts'
import { getHasEffect } from '../../../web/http/http-methods.ts'
import { logError } from '../../../core/database/log.ts'
import { refusalIn } from '../../../core/base/refusals.ts'
import { readCredentials } from './client-credentials.ts'
import { discoveryDocument } from '../discovery.ts'
import { claimsOf } from '../id-token.ts'
import { KEY_SET_SECONDS, readKeySet } from '../keys.ts'
import { OAuthError } from '../oauth-error.ts'
import { isFormType, readFormParameters } from '../parameters.ts'
import { exchange, findByAccessToken, revoke } from '../token.ts'

const noStore = createMiddleware<App>(async function noStore(c, next) {
  c.header('Cache-Control', 'no-store')
  await next()
})

/** `/.well-known/…`: neither reads D1. */
export const discoveryRoutes = new Hono<App>()
  .get('/openid-configuration', discover)
  .get('/oauth-authorization-server', discover)

function discover(c: AppContext) {
  c.header('Cache-Control', `public, max-age=${KEY_SET_SECONDS}`)
  return c.json(discoveryDocument(c.get('deps').issuer(c.req.url)))
}

/** `/oauth/…`, for programs. The pages of this protocol are in `pages/openid`. */
export const openidRoutes = new Hono<App>()
  // Its first reader makes the first key.
  .get('/jwks', getHasEffect, async (c) => {
    const keySet = await readKeySet(c.get('deps'))
    c.header('Cache-Control', `public, max-age=${KEY_SET_SECONDS}`)
    return c.body(keySet, 200, { 'Content-Type': 'application/json' })
  })
  .post('/token', noStore, async (c) => {
    const form = await readFormParameters(c.req)
    const credentials = await readCredentials(c.req.raw, form)
    return c.json(await exchange(c.get('deps'), { credentials, form, from: clientOf(c) }))
  })
  .get('/userinfo', noStore, async (c) => showUser(c, bearerToken(c)))
  .post('/userinfo', noStore, async (c) => {
    const shown = bearerToken(c)
    const isForm = isFormType(c.req.header('Content-Type'))
    const form = isForm ? await readFormParameters(c.req) : {}
    const { access_token: inForm } = form
    if (shown !== undefined && inForm !== undefined)
      throw new OAuthError('invalid_request', 'the request shows two access tokens')
    return showUser(c, shown ?? inForm)
  })
  .post('/revoke', noStore, async (c) => {
    const form = await readFormParameters(c.req)
    const credentials = await readCredentials(c.req.raw, form)
    await revoke(c.get('deps'), { credentials, form })
    return c.json({})
  })
  .onError((error, c) => answerError(error, c))

/** @see https://openid.net/specs/openid-connect-core-1_0.html#UserInfo */
async function showUser(c: AppContext, token: string | undefined) {
  if (token === undefined) {
    c.header('WWW-Authenticate', 'Bearer realm="Latchkey"')
    return c.body(null, 401)
  }
  return c.json(claimsOf(await findByAccessToken(c.get('deps'), token)))
}

/** @see RFC 6750 section 2.1 */
function bearerToken(c: AppContext): string | undefined {
  return /^bearer +(\S+)$/i.exec(c.req.header('Authorization') ?? '')?.[1]
}

/** @see RFC 6749 section 5.2, RFC 6750 section 3 */
function answerError(error: Error, c: AppContext) {
  c.header('Cache-Control', 'no-store')
  if (!(error instanceof OAuthError)) {
    const refusal = refusalIn(error)
    if (refusal.code >= 500) logError(error, { id: c.get('requestId'), path: c.req.path })
    return refuse(c, refusal)
  }
  const { code, message } = error
  if (code === 'invalid_token')
    c.header(
      'WWW-Authenticate',
      `Bearer realm="Latchkey", error="${code}", error_description="${message}"`,
    )
  if (code === 'invalid_client') c.header('WWW-Authenticate', 'Basic realm="Latchkey"')
  const status = code === 'invalid_client' || code === 'invalid_token' ? 401 : 400
  return c.json({ error: code, error_description: message }, status)
}
