import type { FileServer } from '../../base/file-server.ts'
import { Refusal } from '../../base/refusals.ts'
import type { AppContext } from '../../http/context.ts'
import { sendToOrigin } from '../origin.ts'
import { targetOf } from './target.ts'

/** A larger body is sent as it comes, and can't be sent again. */
const MAX_KEPT_BYTES = 1024 * 1024

/** The body of a request to the file server. */
export interface SentBody {
  /** What can be sent again: nothing, or bytes. */
  kept: ArrayBuffer | null | undefined
  /** What is sent as it comes, after `start`. */
  stream: ReadableStream | undefined
  /** What was read of the stream already. */
  start: Uint8Array[]
}

export const NO_BODY: SentBody = keptBody(null)

export function keptBody(kept: ArrayBuffer | null): SentBody {
  return { kept, stream: undefined, start: [] }
}

/**
 * Reads the body, or the beginning of a large upload. A caller asks afterwards who sends it: a body
 * can take hours, and its sender may be thrown out meanwhile.
 *
 * @param isUpload Whether it may be large. The file server asks who sends an upload at its start.
 * @throws {Refusal} `bodyTooLarge` for what is no upload.
 */
export async function readSentBody(c: AppContext, isUpload: boolean): Promise<SentBody> {
  const { body, method, headers } = c.req.raw
  if (body === null || method === 'GET' || method === 'HEAD') return NO_BODY
  const length = Number(headers.get('Content-Length') ?? Infinity)
  if (length <= MAX_KEPT_BYTES) return keptBody(await c.req.raw.arrayBuffer())
  if (isUpload && length < Infinity) return { kept: undefined, stream: body, start: [] }
  const { chunks, isWhole } = await readStart(body)
  if (isWhole) return keptBody(await new Blob(chunks).arrayBuffer())
  if (isUpload) return { kept: undefined, stream: body, start: chunks }
  throw new Refusal('bodyTooLarge')
}

/**
 * Reads the text of a request that is looked at here.
 *
 * @throws {Refusal} `bodyTooLarge`.
 */
export async function readText(c: AppContext): Promise<string> {
  return textOf(await readSentBody(c, false))
}

/** Returns the text of a body that is no upload. */
export function textOf({ kept }: SentBody): string {
  return new TextDecoder().decode(kept ?? undefined)
}

/** Reads a body up to the most that is kept: not every client says how long it is. */
async function readStart(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const reader = body.getReader()
  for (let size = 0; size <= MAX_KEPT_BYTES; size += chunks.at(-1)?.length ?? 0) {
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

/** MacOS sends a file in chunks, and says in a header of its own how long it is. */
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

/** Sends the request of a client to the file server, with other headers. */
export function forward(
  c: AppContext,
  files: FileServer,
  headers: Headers,
  sentBody: SentBody,
): Promise<Response> {
  const { pathname, search } = targetOf(c).url
  const { method, signal } = c.req.raw
  const { body, sent } = bodyToSend(sentBody, lengthOf(c))
  // That of what is sent, which may be other bytes.
  headers.delete('Content-Length')
  const init = { method, headers, body, signal }
  return sendToOrigin(c.get('deps'), files, pathname + search, init, sent)
}
