import { Hono } from 'hono'
import { loadAll } from '../../../web/kit/capability.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { serviceTokenHash } from '../../../web/http/guard.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { introspect } from '../introspection.ts'

const FORM = 'application/x-www-form-urlencoded'

/**
 * `/oauth/introspect`, for file servers. Its answers are plain JSON, without the envelope.
 *
 * @see RFC 7662
 */
export const introspectionRoutes = new Hono<App>().post('/introspect', async (c) => {
  c.header('Cache-Control', 'no-store')
  if (!c.req.header('Authorization')) return refuseClient(c)
  const token = await readToken(c)
  if (token === undefined) return c.json({ error: 'invalid_request' }, 400)
  try {
    const readers = await loadAll(c.get('capabilities').flatMap(({ readToken: load = [] }) => load))
    return c.json(await introspect(c.get('deps'), readers, await serviceTokenHash(c), token))
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'wrongServiceToken') return refuseClient(c)
    throw error
  }
})

/** @see RFC 6749 section 5.2 */
function refuseClient(c: AppContext) {
  c.header('WWW-Authenticate', 'Basic realm="Latchkey"')
  return c.json({ error: 'invalid_client' }, 401)
}

/** Returns the token of the form; `undefined` unless there is exactly one. */
async function readToken(c: AppContext): Promise<string | undefined> {
  const type = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== FORM) return undefined
  const form = new TextDecoder().decode(await c.req.arrayBuffer())
  const [token, ...others] = new URLSearchParams(form).getAll('token')
  return others.length > 0 || token === '' ? undefined : token
}
