/** The operator's settings for passkeys. */
export interface PasskeySite {
  /** A host name; `undefined` means that of the request. */
  rpId: string | undefined
  /** Origins of other hosts under the RP ID. */
  origins: readonly string[]
}

/**
 * Reads `PASSKEY_RP_ID` and `PASSKEY_ORIGINS` (separated by commas or spaces). An empty or missing
 * value sets nothing.
 *
 * @returns One sentence that says what is wrong, when a value is invalid.
 */
export function parsePasskeySite(
  rpId: string | undefined = '',
  origins: string | undefined = '',
): PasskeySite | string {
  if (rpId !== '' && !isHostName(rpId))
    return `PASSKEY_RP_ID must be a host name such as example.org, not "${rpId}"`
  const others = origins.split(/[\s,]+/).filter((origin) => origin !== '')
  const wrong = others.find((origin) => rpId === '' || !isOriginUnder(origin, rpId))
  if (wrong !== undefined)
    return `PASSKEY_ORIGINS must be https origins under PASSKEY_RP_ID, such as https://files.example.org; "${wrong}" is not`
  return { rpId: rpId === '' ? undefined : rpId, origins: others }
}

/** The relying party of a request. */
export interface RelyingParty {
  rpId: string
  /** The origins whose pages may use its passkeys. */
  origins: readonly string[]
}

/**
 * Finds the relying party of a request: the host name of the request, or what the operator has set.
 *
 * @returns `undefined` where browsers have no passkeys: under an IP address, and over plain http
 *   except on localhost.
 * @see https://www.w3.org/TR/webauthn-3/#relying-party-identifier
 */
export function relyingPartyOf(url: string, site: PasskeySite): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(url)
  const isLocal = isUnder(hostname, 'localhost')
  if (!isHostName(hostname) || (protocol !== 'https:' && !isLocal)) return undefined
  const { rpId = hostname } = site
  const isParent = site.rpId !== undefined && isUnder(hostname, rpId)
  return { rpId, origins: isParent ? [origin, ...site.origins] : [origin] }
}

/** The last label begins with a letter, so an IP address is no host name. @see RFC 1123 section 2.1 */
function isHostName(name: string): boolean {
  if (name.length > 253) return false
  return /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(
    name,
  )
}

function isOriginUnder(origin: string, rpId: string): boolean {
  if (!origin.startsWith('https://') || !URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.origin === origin && isUnder(url.hostname, rpId)
}

/** Tells whether a host is this domain or a subdomain of it. */
export function isUnder(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}
