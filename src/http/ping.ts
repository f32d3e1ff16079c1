/** Any page may read the answer. Nothing more is said of one constant word. */
const READABLE = { headers: { 'Access-Control-Allow-Origin': '*' } }

/** Answers `/ping`: there is nothing to look up, to guard or to log. */
export function ping(): Response {
  return new Response('pong', READABLE)
}

/** @see https://fetch.spec.whatwg.org/#cors-preflight-request */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method')
}
