/**
 * Tells whether an address is absolute with http(s), or a path of this site; refuses other schemes,
 * and `//host`.
 */
export function isSiteAddress(address: unknown): boolean {
  if (typeof address !== 'string') return false
  if (!/^(?:https?:\/\/|\/(?![/\\]))[^\s\p{Cc}]*$/iu.test(address)) return false
  return URL.canParse(address, 'https://site.invalid')
}
