import type { Context } from 'hono'
import type { Refusal } from '../base/refusals.ts'

/**
 * The one shape of an answer under `/api`; always HTTP 200, the outcome is `code`
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

/** Servers read the HTTP status, not the envelope: `curl -f` is what they ask with. */
const FOR_SERVERS = '/api/sftp/'

/** The envelope under `/api`; elsewhere, where browsers and crawlers ask, plain HTTP. */
export function refuse(c: Context, { code, message }: Pick<Refusal, 'code' | 'message'>) {
  c.set('outcome', code)
  const { path } = c.req
  if (!isApiPath(path)) return c.text(`${message}\n`, code)
  return c.json<Envelope<null>>({ code, message, data: null }, statusOf(path, code))
}

/** The HTTP status of a refusal. */
export function statusOf<Code extends number>(path: string, code: Code): Code | 200 {
  return isApiPath(path) && !path.startsWith(FOR_SERVERS) ? 200 : code
}

/** Whether a path is one that programs ask. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}

/** @param time Unix time, milliseconds. @returns As in `2026-11-21T09:15:06.565+00:00`. */
export function isoTime(time: number): string {
  return new Date(time).toISOString().replace('Z', '+00:00')
}
