import * as v from 'valibot'
import type { Cost } from './metered.ts'
import { headersOf, isGood, type Request } from './load.ts'
import { PASSWORD } from './sites.ts'

const envelopeSchema = v.object({ code: v.number(), message: v.string(), data: v.unknown() })
const tokenSchema = v.object({ token: v.string() })
const count = v.number()
const costSchema = v.object({
  d1Trips: count,
  rowsRead: count,
  rowsWritten: count,
  kvReads: count,
  kvWrites: count,
  objectCalls: count,
}) satisfies v.GenericSchema<unknown, Cost>

/** One answered request: how long it took, and what it cost where the Worker is metered. */
export interface Step {
  milliseconds: number
  cost: Cost | undefined
  data: unknown
}

/** Sends one request. @throws When the answer is not success. */
export async function send(url: URL, request: Request): Promise<Step> {
  const start = performance.now()
  const response = await fetch(new URL(request.path, url), {
    method: request.method,
    headers: headersOf(request),
    ...(request.body && { body: JSON.stringify(request.body) }),
  })
  const text = await response.text()
  const milliseconds = performance.now() - start
  if (!isGood(text)) throw new Error(`${request.method} ${request.path}: ${text.slice(0, 200)}`)
  return {
    milliseconds,
    cost: costOf(response),
    data: text === 'pong' ? undefined : v.parse(envelopeSchema, JSON.parse(text)).data,
  }
}

/** What a metered Worker says that an answer cost. */
export function costOf(response: Response): Cost | undefined {
  const cost = response.headers.get('X-Cost')
  return cost === null ? undefined : v.parse(costSchema, JSON.parse(cost))
}

export function signInOf(username: string, password = PASSWORD): Request {
  return { method: 'POST', path: '/api/auth/login', body: { username, password } }
}

export function tokenIn({ data }: Step): string {
  return v.parse(tokenSchema, data).token
}
