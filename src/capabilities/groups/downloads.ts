import { isPublicHost } from '../../core/base/public-address.ts'

/**
 * An address with nothing in front of its host, and a path behind it: programs disagree on what a
 * `\`, an `@` or a `?` before the path means, and Go's `net/url` reads hosts that `URL` refuses.
 */
const SERVER_ADDRESS = /^(?:https?|ftp):\/\/([a-z\d.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/.*)?$/i
/** Of other members, such as `ws`, a program would fetch the file from an address (BEP 19). */
const MAGNET = /^magnet:\?(?:(?:xt|dn|xl|tr|kt)(?:\.\d+)?=[^&;]*(?:&|$))+$/i
/** A file without sources of its own. */
const ED2K = /^ed2k:\/\/\|file\|[^|]+\|\d+\|[\da-f]{32}\|(?:[hp]=[^|]*\|)*\/?$/i
/** All at which a program may begin or end an address: more than Go cuts off (`unicode.IsSpace`). */
const NO_ADDRESS = /[\s\p{Z}\p{Cc}\\]/u

/**
 * Tells whether OpenList, or a program that downloads for it, takes a text for nothing but an
 * address that can be on the internet. It resolves no name.
 *
 * @param text Without the blanks around it, which OpenList cuts off.
 */
export function isBeyondThisNetwork(text: string): boolean {
  if (NO_ADDRESS.test(text)) return false
  if (MAGNET.test(text) || ED2K.test(text)) return true
  const [, host] = SERVER_ADDRESS.exec(text) ?? []
  if (host === undefined || !URL.canParse(text)) return false
  // `URL` writes hosts of these schemes in their one form. `010.1.2.3` is one address to it, and
  // another one to other programs.
  const { hostname } = new URL(text)
  return isPublicHost(hostname) && (host.startsWith('[') || hostname === host.toLowerCase())
}
