import type { IncomingMessage } from 'node:http'
import { constants, createGzip, type Gzip } from 'node:zlib'

/** A shorter answer is sent as it is: it fits into one packet. */
const MIN_BYTES = 1024

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|[\w.-]+\+json)|image\/svg\+xml)/

/** An `Accept-Encoding` with gzip that is not refused by `q=0`. @see RFC 9110 section 12.5.3 */
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0\.0*[1-9])[^,]*)?\s*(?:,|$)/i

/** Tells whether an answer is sent compressed, as Cloudflare does with those of a deployed site. */
export function isCompressed(request: IncomingMessage, answer: IncomingMessage): boolean {
  const { headers, statusCode } = answer
  return (
    request.method !== 'HEAD' &&
    statusCode === 200 &&
    headers['content-encoding'] === undefined &&
    !/no-transform/.test(headers['cache-control'] ?? '') &&
    COMPRESSIBLE.test(headers['content-type'] ?? '') &&
    Number(headers['content-length'] ?? MIN_BYTES) >= MIN_BYTES &&
    GZIP.test(request.headers['accept-encoding'] ?? '')
  )
}

/** Sends on what it has at each pause of the answer, because a page may come in pieces. */
export function gzip(): Gzip {
  return createGzip({ flush: constants.Z_SYNC_FLUSH })
}

/**
 * Returns the headers of the compressed answer. Its bytes are others than those of the answer that
 * a strong `ETag` names, so it becomes weak (RFC 9110 section 8.8.3.3).
 */
export function compressedHeaders(headers: readonly [string, string][]): [string, string][] {
  const kept = headers.flatMap(([name, value]): [string, string][] => {
    const key = name.toLowerCase()
    if (key === 'content-length' || key === 'accept-ranges') return []
    return [[name, key === 'etag' && !value.startsWith('W/') ? `W/${value}` : value]]
  })
  return [...kept, ['Content-Encoding', 'gzip'], ['Vary', 'Accept-Encoding']]
}
