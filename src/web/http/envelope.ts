import type { Context } from 'hono'
import type { Refusal } from '../../core/base/refusals.ts'

/**
 * The shape of every answer under `/api`: the HTTP status is 200, the outcome is `code`
 * (docs/interface.md, Answers).
 */
interface Envelope<Data> {
  code: number
  message: string
  data: Data | null
}

export function ok<Data>(c: Context, data: Data) {
  c.set('outcome', 200)
  return c.json<Envelope<Data>>({ code: 200, message: 'success', data })
}

/**
 * On these paths the HTTP status is the code as well, because servers ask with `curl -f`, and
 * proxies look at nothing else. A path that resembles `/api/forward_auth` is one of them: with 200,
 * a wrong path in the settings of a proxy would let everybody in.
 */
const FOR_SERVERS = /^\/api\/+(?:sftp\/|ldap\/|forward)/i

/** Answers with a refusal: an envelope under `/api`, elsewhere plain HTTP for browsers and crawlers. */
export function refuse(c: Context, { code, message }: Pick<Refusal, 'code' | 'message'>) {
  c.set('outcome', code)
  const { path } = c.req
  if (!isApiPath(path)) return c.text(`${message}\n`, code)
  return c.json<Envelope<null>>({ code, message, data: null }, statusOf(path, code))
}

/** The HTTP status of a refusal. */
export function statusOf<Code extends number>(path: string, code: Code): Code | 200 {
  return isApiPath(path) && !FOR_SERVERS.test(path) ? 200 : code
}

/** Tells whether a path belongs to the API. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}
