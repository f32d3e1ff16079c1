/**
 * Reads an issuer identifier that an operator has set: an https origin, or http on this computer,
 * without a path and without a slash at its end. Clients compare it byte by byte.
 *
 * @returns `undefined` for anything else.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#IssuerIdentifier
 */
export function parseIssuer(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.origin === text && isSafeUrl(url) ? text : undefined
}

/** Returns the issuer identifier that an operator may have meant, or an example of one. */
export function nearestIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && isSafeUrl(url) ? url.origin : 'https://account.example.org'
}

/** Holds for https, and for http on this computer. */
export function isSafeUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisComputer(url))
}

/** Holds for an address of the computer that opens it. */
export function isOnThisComputer({ hostname }: URL): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
}
