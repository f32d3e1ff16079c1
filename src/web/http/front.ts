/** Carries the secret by which the Worker recognises the front server of `npm start`. */
export const FRONT_SECRET_HEADER = 'X-Latchkey-Front'
/** Carries the client's scheme: `https`, or anything else for http. */
export const FRONT_SCHEME_HEADER = 'X-Latchkey-Scheme'

/** Marks a call for the data of the site, which a command makes (`local-worker.ts`). */
export const FRONT_DATA_HEADER = 'X-Latchkey-Data'
/** An answer to the front server carries the envelope's code and the id of the user who called. */
export const FRONT_OUTCOME_HEADER = 'X-Latchkey-Outcome'

/** The entry of `local-worker.ts` that workerd asks without looking for a built file before. */
export const DIRECT_ENTRY = 'direct'

/** The bindings that only `npm start` sets. */
export interface FrontBindings {
  /** Random at each start; known to the front server and the Worker only. */
  FRONT_SECRET: string
}

/**
 * Reads a request of the front server. Any local user can connect to workerd's port, so its headers
 * are trusted only together with the front server's secret.
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
