const MAX_CHARACTERS = 254
const MAX_LOCAL_CHARACTERS = 64

/** A dot-atom: no quotes, no comment, ASCII only. @see RFC 5322 section 3.2.3 */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/

/** Characters that `URL` would not read as part of a host name. */
const NOT_OF_A_HOST = /[\s/?#@:\\[\]%<>|^]/u

const LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?'
/** A domain has at least two labels. The last one has a letter, so it is no IPv4 address. */
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+(?=[a-z\\d-]*[a-z])${LABEL}$`)

/**
 * Reads one plain e-mail address. Blanks around it are cut, and an internationalised domain becomes
 * Punycode in lower case.
 *
 * @returns `undefined` for anything else: a display name, several addresses, a quoted local part, a
 *   local part with other characters than ASCII, an IP address, a domain without a dot.
 */
export function parseEmail(text: string): string | undefined {
  const address = text.trim()
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  if (at < 1 || local.length > MAX_LOCAL_CHARACTERS || !LOCAL_PART.test(local)) return undefined
  const host = hostOf(domain)
  if (host === undefined || !DOMAIN.test(host)) return undefined
  const whole = `${local}@${host}`
  return whole.length <= MAX_CHARACTERS ? whole : undefined
}

/** @see https://url.spec.whatwg.org/#host-parsing */
function hostOf(domain: string): string | undefined {
  if (domain === '' || domain.length > MAX_CHARACTERS || NOT_OF_A_HOST.test(domain))
    return undefined
  const url = `https://${domain}`
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

/**
 * Returns what counts as one mailbox for a limit: an address without differences of case, dots and
 * `+…` in the local part, and of Gmail's two names. Large providers deliver all of these to one
 * mailbox.
 */
export function mailboxKey(address: string): string {
  const [local = '', domain = ''] = address.toLowerCase().split('@')
  const provider = domain === 'googlemail.com' ? 'gmail.com' : domain
  return `${local.replace(/\+.*$/, '').replaceAll('.', '')}@${provider}`
}
