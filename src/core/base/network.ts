/** The origin of a request. */
export interface Client {
  /** An IPv4 address, an IPv6 /64, `::1`, or `unknown`; `command line` for `COMMAND_LINE`. */
  network: string
  userAgent: string
  /** ISO 3166-1 alpha-2, as the platform tells it; missing or empty when it is not known. */
  country?: string
}

const UNKNOWN = 'unknown'

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

/**
 * Returns the network of an address. One IPv6 user has 2^64 addresses, so all addresses of a /64
 * count as one client.
 *
 * @returns `unknown` for a text that is not an address.
 * @see RFC 4291 sections 2.2 and 2.5.5.2
 */
export function networkOf(address: string): string {
  if (IPV4.test(address)) return address
  const groups = ipv6Groups(address)
  if (groups === undefined) return UNKNOWN
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return mappedIpv4(groups)
  // Loopback is this one address (RFC 4291 section 2.5.3): the /64 around it has no other clients.
  if (groups.join(':') === '0:0:0:0:0:0:0:1') return '::1'
  return `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * Returns the largest network that a provider gives to one customer: the /48 of an IPv6 /64.
 *
 * @param network As `networkOf` returns it; an IPv4 address is returned unchanged.
 * @see RFC 6177
 */
export function siteOf(network: string): string {
  if (!network.endsWith('::/64')) return network
  return `${network.split(':').slice(0, 3).join(':')}::/48`
}

/** Returns the pattern of SQL's `like` for the networks of a site. No network has a wildcard. */
export function sitePattern(network: string): string {
  return siteOf(network).replace(/:\/48$/, '%')
}

/** Returns the eight groups of an address in lower case, without leading zeros. */
function ipv6Groups(address: string): string[] | undefined {
  if (!URL.canParse(`http://[${address}]`)) return undefined
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const front = head === '' ? [] : head.split(':')
  if (tail === undefined) return front
  const back = tail === '' ? [] : tail.split(':')
  return [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back]
}

function mappedIpv4(groups: string[]): string {
  return groups
    .slice(6)
    .map((group) => parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}

interface CommandLine extends Client {
  readonly isCommandLine: true
}

/**
 * The command line as an actor. It works on the database without a request, so it has no network.
 * Its events store `command line` in the column `network`; `networkOf` never returns that text.
 */
export const COMMAND_LINE: CommandLine = {
  network: 'command line',
  userAgent: '',
  isCommandLine: true,
}

/** False for the network of a client that names none: the command line, or an unknown address. */
export function isNetwork(network: string): boolean {
  return network !== UNKNOWN && network !== COMMAND_LINE.network
}
