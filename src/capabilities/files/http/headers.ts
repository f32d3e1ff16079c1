import type { AppContext } from '../../../web/http/context.ts'
import { targetOf } from './target.ts'

/**
 * Hop-by-hop headers, and those that would tell the file server something of this site. `Upgrade`
 * is an offer, which a server may leave (RFC 9110 section 7.8).
 */
const NOT_SENT =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|forwarded|x-forwarded-.*|x-real-ip|cf-.*|cookie|authorization|host|accept-encoding|session|x-latchkey-.*|true-client-ip)$/

/**
 * The headers of the file server that pass. Some storages copy all headers of a foreign server,
 * which could set cookies and policies of this origin, and let a proxy before it send its own
 * files.
 */
const PASSED =
  /^(?:accept-ranges|age|allow|cache-control|content-(?:disposition|encoding|language|length|location|md5|range|type)|date|dav|depth|digest|etag|expires|last-modified|location|lock-token|ms-author-via|pragma|retry-after|timeout|vary|x-oc-mtime)$/

/** The headers of a request that pass to the file server, without who is asking. */
export function sentHeaders(c: AppContext): Headers {
  const sent = withoutNames(new Headers(c.req.raw.headers), (name) => NOT_SENT.test(name))
  const { url } = targetOf(c)
  // OpenList believes the leftmost address, and makes links of host and scheme.
  sent.set('X-Forwarded-For', c.req.header('CF-Connecting-IP') ?? '')
  sent.set('X-Forwarded-Host', url.host)
  sent.set('X-Forwarded-Proto', url.protocol.slice(0, -1))
  // Lengths and ranges count bytes of the file.
  sent.set('Accept-Encoding', 'identity')
  return sent
}

/** The answer of the file server, with the headers that pass. Its body is streamed. */
export function passedAnswer(answer: Response, body: BodyInit | null = answer.body): Response {
  const passed = new Response(body, answer)
  withoutNames(passed.headers, (name) => !PASSED.test(name))
  return passed
}

/** Takes headers out of a copy: most pass, so this is cheaper than copying each. */
function withoutNames(headers: Headers, isLeftOut: (name: string) => boolean): Headers {
  const found = Array.from(headers.keys()).filter(isLeftOut)
  for (const name of found) headers.delete(name)
  return headers
}

/** The status and the headers of an answer that gets another body. */
export function withoutLength({ status, headers: sent }: Response): ResponseInit {
  const headers = new Headers(sent)
  headers.delete('Content-Length')
  return { status, headers }
}
