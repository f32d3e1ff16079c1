/** Any page may read the answer. Nothing more is said of one constant word. */
const READABLE = { headers: { 'Access-Control-Allow-Origin': '*' } }

/** Answers `/ping`: there is nothing to look up, to guard or to log. */
export function ping(): Response {
  return new Response('pong', READABLE)
}
