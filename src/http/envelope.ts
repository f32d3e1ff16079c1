import type { Context } from 'hono'

/**
 * The one shape of an answer under `/api`; always HTTP 200, the outcome is `code` (contract section
 * 1).
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

export function refuse(c: Context, code: number, message: string) {
  c.set('outcome', code)
  return c.json<Envelope<null>>({ code, message, data: null })
}

/** @param time Unix time, milliseconds. @returns As in `2026-11-21T09:15:06.565+00:00`. */
export function isoTime(time: number): string {
  return new Date(time).toISOString().replace('Z', '+00:00')
}
