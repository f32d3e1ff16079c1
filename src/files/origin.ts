import * as v from 'valibot'
import type { FileServer } from '../base/file-server.ts'
import { Refusal } from '../base/refusals.ts'
import type { Deps } from '../deps.ts'
import { isReading } from './rights.ts'

export type OriginDeps = Pick<Deps, 'sendOut' | 'randomBytes'>

const envelopeSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ code: v.number(), message: v.string(), data: v.unknown() }),
)
export type OriginAnswer = v.InferOutput<typeof envelopeSchema>

/** How much of an answer to a call of our own is read. */
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024
const RETRY_SECONDS = 5
/** The detail of the refusal when the file server takes too long. */
export const TOO_SLOW = 'no answer in time'

/** The file server is down, slow, or has closed the connection. */
export function filesUnavailable(detail: string): Refusal {
  return new Refusal('filesUnavailable', { detail, retryAfterSeconds: RETRY_SECONDS })
}

/**
 * Sends a request to the file server.
 *
 * @param path Encoded, with the query.
 * @param sent Resolves when the whole body was sent: the wait for the answer begins then.
 * @throws {Refusal} `filesUnavailable` when it is down or slow. The detail has no address.
 */
export async function sendToOrigin(
  deps: OriginDeps,
  { origin, headers: set, timeoutMilliseconds }: FileServer,
  path: string,
  init: RequestInit & { headers: Headers },
  sent?: Promise<unknown>,
): Promise<Response> {
  const { headers } = init
  for (const [name, value] of set) headers.set(name, value)
  const given = init.signal
  const abort = new AbortController()
  given?.addEventListener('abort', () => abort.abort())
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLate = false
  const wait = () => {
    timer = setTimeout(() => {
      isLate = true
      abort.abort()
    }, timeoutMilliseconds)
  }
  if (sent === undefined) wait()
  else void sent.then(wait, () => undefined)
  try {
    const options: RequestInit = { ...init, signal: abort.signal }
    // A cache of the platform, which keeps only these, would answer for who may not read.
    if (isReading(init.method ?? 'GET')) options.cache = 'no-store'
    return await deps.sendOut(origin + path, options, 'any')
  } catch (error) {
    throw filesUnavailable(isLate ? TOO_SLOW : whyNoAnswer(error))
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The code of the operating system, where the platform tells it; the message could have the
 * address.
 */
function whyNoAnswer(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /^[A-Z0-9_]+$/.test(code) ? `no connection (${code})` : 'no connection'
}

/**
 * Calls the interface of the file server.
 *
 * @param call `token` is sent as it is; `body` as JSON.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function callOrigin(
  deps: OriginDeps,
  files: FileServer,
  path: string,
  call: { token?: string; body?: unknown } = {},
): Promise<OriginAnswer> {
  const headers = new Headers({ 'X-Forwarded-For': randomAddress(deps) })
  if (call.token !== undefined) headers.set('Authorization', call.token)
  const init: RequestInit & { headers: Headers } = { headers }
  if (call.body !== undefined) {
    headers.set('Content-Type', 'application/json')
    Object.assign(init, { method: 'POST', body: JSON.stringify(call.body) })
  }
  const answer = await sendToOrigin(deps, files, path, init)
  const text = await answer.text().catch(() => '')
  const parsed = text.length <= MAX_ANSWER_CHARACTERS ? parseEnvelope(text) : undefined
  if (parsed === undefined)
    throw new Refusal('filesBroken', { detail: `HTTP ${answer.status} without an envelope` })
  return parsed
}

/** Calls an endpoint of administrators. @throws {Refusal} `filesBroken` also for a wrong token. */
export async function callAsAdmin(
  deps: OriginDeps,
  files: FileServer,
  path: string,
  body?: unknown,
): Promise<OriginAnswer> {
  const call = body === undefined ? {} : { body }
  const answer = await callOrigin(deps, files, path, { token: files.token, ...call })
  if (answer.code === 401 || answer.code === 403)
    throw new Refusal('filesBroken', { detail: 'the file server refuses FILES_TOKEN' })
  return answer
}

/** @returns `undefined` for a text that is no envelope. */
export function parseEnvelope(text: string): OriginAnswer | undefined {
  const parsed = v.safeParse(envelopeSchema, text)
  return parsed.success ? parsed.output : undefined
}

/** Five failures would lock an address, that of WebDAV too, so each sign-in has one of its own. */
function randomAddress({ randomBytes }: Pick<Deps, 'randomBytes'>): string {
  const groups = Array.from({ length: 6 }, () => {
    const [high = 0, low = 0] = randomBytes(2)
    return (high * 256 + low).toString(16)
  })
  // Unique local addresses: RFC 4193.
  return `fd00:0:${groups.join(':')}`
}
