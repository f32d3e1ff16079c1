import type { FileServer } from '../../base/file-server.ts'
import { Refusal } from '../../base/refusals.ts'
import type { AppContext } from '../../http/context.ts'
import { sendToOrigin } from '../origin.ts'

/** A larger body is sent as it comes, and can't be sent again. */
const MAX_KEPT_BYTES = 1024 * 1024

/** The body of a request to the file server. */
export interface SentBody {
  /** What can be sent again: nothing, or bytes. */
  kept: ArrayBuffer | null | undefined
  /** What is sent as it comes. */
  stream: ReadableStream | undefined
}

export const NO_BODY: SentBody = { kept: null, stream: undefined }

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
  if (length <= MAX_KEPT_BYTES) return { kept: await c.req.raw.arrayBuffer(), stream: undefined }
  if (isUpload) return { kept: undefined, stream: body }
  return { kept: await (await readBlob(c)).arrayBuffer(), stream: undefined }
}

/**
 * Reads the text of a request that is looked at here.
 *
 * @throws {Refusal} `bodyTooLarge`.
 */
export async function readText(c: AppContext): Promise<string> {
  return (await readBlob(c)).text()
}

/** Not every client says how long its body is. @throws {Refusal} `bodyTooLarge`. */
async function readBlob(c: AppContext): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.length
    if (size > MAX_KEPT_BYTES) throw new Refusal('bodyTooLarge')
    chunks.push(chunk)
  }
  return new Blob(chunks)
}

/**
 * Returns what `fetch` sends, and when all of it was sent. A stream of a known length stays one, so
 * that the file server gets its `Content-Length`.
 */
function bodyToSend(
  { kept, stream }: SentBody,
  contentLength: string | undefined,
): { body: BodyInit | null; sent: Promise<unknown> | undefined } {
  if (stream === undefined) return { body: kept ?? null, sent: undefined }
  const isKnown = contentLength !== undefined && /^\d{1,15}$/.test(contentLength)
  const { readable, writable } = isKnown
    ? new FixedLengthStream(Number(contentLength))
    : new IdentityTransformStream()
  const sent = stream.pipeTo(writable)
  // The answer to a body that breaks off is that of the request itself.
  sent.catch(() => undefined)
  return { body: readable, sent }
}

/** Sends the request of a client to the file server, with other headers. */
export function forward(
  c: AppContext,
  files: FileServer,
  headers: Headers,
  sentBody: SentBody,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url)
  const { method, signal } = c.req.raw
  const { body, sent } = bodyToSend(sentBody, c.req.header('Content-Length'))
  // That of what is sent, which may be other bytes.
  headers.delete('Content-Length')
  const init = { method, headers, body, signal }
  return sendToOrigin(c.get('deps'), files, pathname + search, init, sent)
}
