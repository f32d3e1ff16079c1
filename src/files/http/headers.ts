import type { AppContext } from '../../http/context.ts'

/**
 * Hop-by-hop headers, and those that would tell the file server something of this site. `Upgrade`
 * is an offer, which a server may leave (RFC 9110 section 7.8).
 */
const NOT_SENT =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|forwarded|x-forwarded-.*|x-real-ip|cf-.*|cookie|authorization|host|accept-encoding|session|x-latchkey-.*|true-client-ip)$/

/**
 * What the file server must not set at this origin; what this site sets itself; and the policy of
 * its answers, which is ours.
 */
const NOT_PASSED =
  /^(?:connection|keep-alive|proxy-.*|trailer|transfer-encoding|upgrade|set-cookie|www-authenticate|clear-site-data|service-worker-allowed|strict-transport-security|content-security-policy(?:-report-only)?|access-control-.*|alt-svc|server|x-powered-by|x-latchkey-.*)$/

/** The headers of a request that pass to the file server, without who is asking. */
export function sentHeaders(c: AppContext): Headers {
  const sent = withoutNames(new Headers(c.req.raw.headers), NOT_SENT)
  const url = new URL(c.req.url)
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
  withoutNames(passed.headers, NOT_PASSED)
  return passed
}

/** Takes headers out of a copy: most pass, so this is cheaper than copying each. */
function withoutNames(headers: Headers, names: RegExp): Headers {
  const found = Array.from(headers.keys()).filter((name) => names.test(name))
  for (const name of found) headers.delete(name)
  return headers
}
