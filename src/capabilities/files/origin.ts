import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { ListEntries } from './list-entries.ts'
import { isReading } from './rights.ts'

export type OriginDeps = Pick<Deps, 'sendOut' | 'randomBytes'>

const envelopeSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ code: v.number(), message: v.string(), data: v.unknown() }),
)
export type OriginAnswer = v.InferOutput<typeof envelopeSchema>

/** How much is read of an answer that is held here. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** A refusal is shorter. */
const MAX_REFUSAL_BYTES = 1024
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
 * @returns An answer whose body is for a client that reads it, and takes as long as that does. What
 *   is read here goes through `readAnswer`.
 * @throws {Refusal} `filesUnavailable` when it is down or slow. The detail has no address.
 */
export async function sendToOrigin(
  deps: OriginDeps,
  files: FileServer,
  path: string,
  init: SentInit,
  sent?: Promise<unknown>,
): Promise<Response> {
  const deadline = beginDeadline(files, sent)
  try {
    return await send(deps, files, path, init, deadline.late)
  } finally {
    deadline.clear()
  }
}

/**
 * Reads the body of an answer that is held here: of so many bytes, and as long as the file server
 * may take.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function readAnswer(files: FileServer, answer: Response): Promise<string> {
  const deadline = beginDeadline(files)
  try {
    return await readBefore(deadline.late, answer)
  } finally {
    deadline.clear()
  }
}

/**
 * Tells whether an answer is this refusal: OpenList gives it with HTTP 200, in a few words.
 *
 * @returns The answer as well, which is still to read.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function readRefusal(
  files: FileServer,
  answer: Response,
  code: number,
): Promise<{ isRefused: boolean; answer: Response }> {
  const length = Number(answer.headers.get('Content-Length') ?? Infinity)
  if (answer.status !== 200 || length > MAX_REFUSAL_BYTES) return { isRefused: false, answer }
  const text = await readAnswer(files, answer)
  return { isRefused: parseEnvelope(text)?.code === code, answer: new Response(text, answer) }
}

type SentInit = RequestInit & { headers: Headers }

/** The time that the file server has. `late` is aborted when it is over. */
function beginDeadline({ timeoutMilliseconds }: FileServer, from?: Promise<unknown>) {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = () => {
    timer = setTimeout(() => controller.abort(), timeoutMilliseconds)
  }
  if (from === undefined) begin()
  else void from.then(begin, () => undefined)
  return { late: controller.signal, clear: () => clearTimeout(timer) }
}

async function send(
  deps: OriginDeps,
  { origin, headers: set }: FileServer,
  path: string,
  init: SentInit,
  late: AbortSignal,
): Promise<Response> {
  const { headers } = init
  for (const [name, value] of set) headers.set(name, value)
  const abort = new AbortController()
  for (const given of [init.signal, late]) given?.addEventListener('abort', () => abort.abort())
  try {
    const options: RequestInit = { ...init, signal: abort.signal }
    // A cache of the platform, which keeps only these, would answer for who may not read.
    if (isReading(init.method ?? 'GET')) options.cache = 'no-store'
    return await deps.sendOut(origin + path, options, 'any')
  } catch (error) {
    throw filesUnavailable(late.aborted ? TOO_SLOW : whyNoAnswer(error))
  }
}

async function readBefore(late: AbortSignal, answer: Response): Promise<string> {
  let text = ''
  let bytes = 0
  for await (const part of partsBefore(late, answer)) {
    text += part.text
    bytes += part.bytes
    refuseLong(bytes)
  }
  return text
}

/**
 * Reads a body, as long as it is not too late.
 *
 * @yields The next part of its text, and how many bytes it had.
 * @throws {Refusal} `filesUnavailable`.
 */
async function* partsBefore(
  late: AbortSignal,
  answer: Response,
): AsyncGenerator<{ text: string; bytes: number }> {
  const reader = answer.body?.getReader()
  if (reader === undefined) return
  const end = () => void reader.cancel().catch(() => undefined)
  late.addEventListener('abort', end)
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw filesUnavailable(late.aborted ? TOO_SLOW : 'the answer broke off')
      })
      if (late.aborted) throw filesUnavailable(TOO_SLOW)
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true })
      yield { text, bytes: value?.length ?? 0 }
      if (done) return
    }
  } finally {
    late.removeEventListener('abort', end)
    end()
  }
}

function refuseLong(length: number): void {
  if (length <= MAX_ANSWER_BYTES) return
  throw new Refusal('filesBroken', { detail: `an answer of more than ${MAX_ANSWER_BYTES} bytes` })
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
  call: OriginCall = {},
): Promise<OriginAnswer> {
  return exchange(deps, files, path, call, readBefore)
}

/**
 * Reads a list of any length: its entries are not held here.
 *
 * @param each Gets the JSON of each entry.
 * @returns The answer with `null` for each entry.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function readOriginList(
  deps: OriginDeps,
  files: FileServer,
  path: string,
  each: (entry: string) => void,
): Promise<OriginAnswer> {
  return exchange(deps, files, path, { token: files.token }, async (late, answer) => {
    const entries = new ListEntries()
    for await (const part of partsBefore(late, answer)) {
      for (const entry of entries.read(part.text)) each(entry)
      refuseLong(entries.length)
    }
    return entries.rest
  })
}

interface OriginCall {
  token?: string
  body?: unknown
}

async function exchange(
  deps: OriginDeps,
  files: FileServer,
  path: string,
  call: OriginCall,
  read: (late: AbortSignal, answer: Response) => Promise<string>,
): Promise<OriginAnswer> {
  const headers = new Headers({ 'X-Forwarded-For': randomAddress(deps) })
  if (call.token !== undefined) headers.set('Authorization', call.token)
  const init: SentInit = { headers }
  if (call.body !== undefined) {
    headers.set('Content-Type', 'application/json')
    Object.assign(init, { method: 'POST', body: JSON.stringify(call.body) })
  }
  // One deadline for all of it: the lease of a write outlives the longest call.
  const deadline = beginDeadline(files)
  try {
    const answer = await send(deps, files, path, init, deadline.late)
    const parsed = parseEnvelope(await read(deadline.late, answer))
    if (parsed !== undefined) return parsed
    throw new Refusal('filesBroken', { detail: `HTTP ${answer.status} without an envelope` })
  } finally {
    deadline.clear()
  }
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
function parseEnvelope(text: string): OriginAnswer | undefined {
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
