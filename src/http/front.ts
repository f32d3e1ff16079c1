/** How the front server of `npm start` shows the Worker that a request is from it. */
export const FRONT_SECRET_HEADER = 'X-Latchkey-Front'
/** `https` when the client reached the proxy in front by https; anything else is http. */
export const FRONT_SCHEME_HEADER = 'X-Latchkey-Scheme'

/** What only `npm start` gives the Worker. */
export interface FrontBindings {
  /** Made anew at each start; known to the front server and to the Worker. */
  FRONT_SECRET: string
}

/**
 * Any local user may connect to the port that workerd listens on, so the headers there say nothing
 * unless the secret of the front server comes with them.
 *
 * @returns The request as the client made it; `undefined` when it is not from the front server.
 */
export function readFrontRequest(request: Request, secret: string): Request | undefined {
  if (!isSecret(request.headers.get(FRONT_SECRET_HEADER) ?? '', secret)) return undefined
  const url = new URL(request.url)
  url.protocol = request.headers.get(FRONT_SCHEME_HEADER) === 'https' ? 'https:' : 'http:'
  const passed = new Request(url, request)
  passed.headers.delete(FRONT_SECRET_HEADER)
  passed.headers.delete(FRONT_SCHEME_HEADER)
  return passed
}

function isSecret(shown: string, secret: string): boolean {
  const encoder = new TextEncoder()
  const [a, b] = [encoder.encode(shown), encoder.encode(secret)]
  return secret !== '' && a.length === b.length && crypto.subtle.timingSafeEqual(a, b)
}
