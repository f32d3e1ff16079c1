/** Answers `/ping`: there is nothing to look up, to guard or to log. */
export function ping(): Response {
  const pong = new Response('pong')
  // Any page may read it; nothing more is said of one constant word. Set afterwards, because a Response that is
  // given headers is slower to make.
  pong.headers.set('Access-Control-Allow-Origin', '*')
  return pong
}
