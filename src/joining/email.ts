import * as v from 'valibot'
import { possiblyEmptyText } from '../base/text.ts'
import { reason } from '../base/reasons.ts'

const MAX_CHARACTERS = 254
const MAX_LOCAL_CHARACTERS = 64

/** The plain form of a local part. @see RFC 5321 section 4.1.2 */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

/**
 * Reads one plain e-mail address: no display name, no quotes, no comment, no address of a computer.
 * The domain is written as it is sent: in lower case and ASCII (punycode).
 *
 * @returns `undefined` for any other text.
 */
function parseEmail(text: string): string | undefined {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  if (at < 1) return undefined
  const local = trimmed.slice(0, at)
  const domain = asciiDomain(trimmed.slice(at + 1))
  if (local.length > MAX_LOCAL_CHARACTERS || !LOCAL_PART.test(local) || domain === undefined)
    return undefined
  const address = `${local}@${domain}`
  return address.length <= MAX_CHARACTERS ? address : undefined
}

/** The host of an address of the web gets the form of a domain that mail needs. */
function asciiDomain(domain: string): string | undefined {
  // What ends a host in an address of the web stands in no domain.
  if (domain === '' || /[\s/\\?#@:%[\]]/.test(domain) || !URL.canParse(`https://${domain}`))
    return undefined
  const { hostname } = new URL(`https://${domain}`)
  const labels = hostname.split('.')
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label))
  // A host that ends in a number is an IPv4 address.
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') ? hostname : undefined
}

/** An address, or an empty text for none. */
export const emailSchema = v.pipe(
  possiblyEmptyText(),
  v.check((text) => text.trim() === '' || parseEmail(text) !== undefined, reason('email')),
  v.transform((text) => parseEmail(text) ?? ''),
)
