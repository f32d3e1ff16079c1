import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { sendToOrigin } from '../origin.ts'
import { isReading } from '../rights.ts'
import { targetOf } from './target.ts'

/** A larger upload is sent as it comes, and can't be sent again. */
const MAX_KEPT_BYTES = 64 * 1024
/** The names of some thousand files, or all settings. */
const MAX_LIST_BYTES = 1024 * 1024
/** Of a body that is too large, so much is read and thrown away. */
const MAX_SKIPPED_BYTES = 16 * 1024 * 1024

/** The body of a request to the file server. */
export interface SentBody {
  /** A body that can be sent again: bytes, or null for none; `undefined` when it is a stream. */
  kept: ArrayBuffer | null | undefined
  /** The rest of the body, which is sent as it comes, after `start`. */
  stream: ReadableStream | undefined
  /** The bytes of the body that were read already. */
  start: Uint8Array[]
}

export const NO_BODY: SentBody = keptBody(null)

function keptBody(kept: ArrayBuffer | null): SentBody {
  return { kept, stream: undefined, start: [] }
}

export function textBody(text: string): SentBody {
  return keptBody(new Uint8Array(new TextEncoder().encode(text)).buffer)
}

/**
 * Reads an upload, or the beginning of a large one. A caller asks afterwards who sends it: a body
 * can take hours, and its sender may be thrown out meanwhile. The file server asks at the start of
 * a large one.
 */
export function readUpload(c: AppContext): Promise<SentBody> {
  return readUpTo(c, MAX_KEPT_BYTES)
}

/**
 * Reads a body that is no upload. A caller asks afterwards who sends it, as with an upload.
 *
 * @throws {Refusal} `bodyTooLarge`.
 */
export async function readWhole(c: AppContext, maxBytes = MAX_LIST_BYTES): Promise<SentBody> {
  const body = await readUpTo(c, maxBytes)
  if (body.kept !== undefined) return body
  // workerd closes the connection when the body was not read, and the answer can be lost.
  if (body.stream !== undefined) await skip(body.stream)
  throw new Refusal('bodyTooLarge')
}

async function skip(body: ReadableStream<Uint8Array>): Promise<void> {
  let bytes = 0
  for await (const { length } of body) {
    bytes += length
    if (bytes > MAX_SKIPPED_BYTES) break
  }
}

/** Keeps a body of so many bytes, and passes a larger one as a stream. That of a GET has no meaning. */
async function readUpTo(c: AppContext, maxBytes: number): Promise<SentBody> {
  const { body, method, headers } = c.req.raw
  if (body === null || isReading(method)) return NO_BODY
  const length = Number(headers.get('Content-Length') ?? Infinity)
  if (length <= maxBytes) return keptBody(await c.req.raw.arrayBuffer())
  if (length < Infinity) return { kept: undefined, stream: body, start: [] }
  const { chunks, isWhole } = await readStart(body, maxBytes)
  if (isWhole) return keptBody(await new Blob(chunks).arrayBuffer())
  return { kept: undefined, stream: body, start: chunks }
}

/**
 * Reads the text of a request that is looked at here.
 *
 * @throws {Refusal} `bodyTooLarge`.
 */
export async function readText(c: AppContext): Promise<string> {
  return bodyText(await readWhole(c))
}

/** Returns the text of a body that is no upload. */
export function bodyText({ kept }: SentBody): string {
  return new TextDecoder().decode(kept ?? undefined)
}

/** Reads a body of an unknown length, and not much more than so many bytes of it. */
async function readStart(body: ReadableStream<Uint8Array<ArrayBuffer>>, maxBytes: number) {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const reader = body.getReader()
  for (let size = 0; size <= maxBytes; size += chunks.at(-1)?.length ?? 0) {
    const { done, value } = await reader.read()
    if (done) return { chunks, isWhole: true }
    chunks.push(value)
  }
  reader.releaseLock()
  return { chunks, isWhole: false }
}

/**
 * Returns what `fetch` sends, and when all of it was sent. A stream of a known length stays one, so
 * that the file server gets its `Content-Length`.
 */
function bodyToSend(
  { kept, stream, start }: SentBody,
  length: string | undefined,
): { body: BodyInit | null; sent: Promise<unknown> | undefined } {
  if (stream === undefined) return { body: kept ?? null, sent: undefined }
  const isKnown = length !== undefined && /^\d{1,15}$/.test(length)
  const { readable, writable } = isKnown
    ? new FixedLengthStream(Number(length))
    : new IdentityTransformStream()
  const sent = sendAll(start, stream, writable)
  // The answer to a body that breaks off is that of the request itself.
  sent.catch(() => undefined)
  return { body: readable, sent }
}

/** A file from macOS comes in chunks, and a header of its own says how long it is. */
function lengthOf(c: AppContext): string | undefined {
  return c.req.header('Content-Length') ?? c.req.header('X-Expected-Entity-Length')
}

async function sendAll(
  start: Uint8Array[],
  rest: ReadableStream,
  writable: WritableStream<Uint8Array>,
): Promise<void> {
  const writer = writable.getWriter()
  for (const chunk of start) await writer.write(chunk)
  writer.releaseLock()
  await rest.pipeTo(writable)
}

/**
 * Sends the request of a client to the file server, with other headers.
 *
 * @param search The query, with its question mark; by default the client's.
 * @param isToItsEnd Whether it goes on when the client goes away.
 * @param url Has the path, encoded; by default the client's.
 */
export function forward(
  c: AppContext,
  files: FileServer,
  headers: Headers,
  sentBody: SentBody,
  search = targetOf(c).url.search,
  isToItsEnd = false,
  { pathname }: Pick<URL, 'pathname'> = targetOf(c).url,
): Promise<Response> {
  const { method, signal } = c.req.raw
  const { body, sent } = bodyToSend(sentBody, lengthOf(c))
  // That of what is sent, which may be other bytes.
  headers.delete('Content-Length')
  const init = { method, headers, body, ...(!isToItsEnd && { signal }) }
  return sendToOrigin(c.get('deps'), files, pathname + search, init, sent)
}
