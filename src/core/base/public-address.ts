/** Names that never lead to a server on the internet. @see RFC 6761, RFC 6762, RFC 8375, RFC 9476 */
const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|local|internal|home\.arpa|intranet|lan|alt|onion|test|invalid|example)$/

/**
 * The networks in which no receiver on the internet is, as first address and prefix length: those
 * of IANA's registries of special-purpose addresses, multicast, and what IANA has not given out.
 *
 * @see RFC 6890, https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/**
 * Global unicast addresses are in 2000::/3. @see
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, which contains an IPv4 address.
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
  ['4000::', 2],
  ['8000::', 1],
]

/** The same networks, as in `10.0.0.0/8`. */
export const SPECIAL_NETWORKS = [...SPECIAL_IPV4, ...SPECIAL_IPV6].map(
  ([network, bits]) => `${network}/${bits}`,
)

/**
 * Tells whether an address can be on the internet: an https URL without user name and password,
 * whose host is a full name or a global unicast address. It does not resolve the name; where the
 * Worker can reach private networks, the runtime refuses the connection as well (`Deps.sendOut`).
 */
export function isPublicHttps(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  return protocol === 'https:' && username === '' && password === '' && isPublicHost(hostname)
}

/**
 * Tells whether a host is a full name or a global unicast address.
 *
 * @param host As `URL` writes it: an IPv4 address in its one form, IPv6 in brackets.
 */
export function isPublicHost(host: string): boolean {
  if (host.startsWith('[')) return isGlobalIpv6(host.slice(1, -1))
  const name = host.replace(/\.$/, '')
  // An empty label stands in no name, and would hide the end of a private one.
  if (name.split('.').includes('')) return false
  if (/^[\d.]+$/.test(name)) return isGlobalIpv4(name)
  return name.includes('.') && !PRIVATE_NAME.test(name)
}

function isGlobalIpv4(address: string): boolean {
  return !SPECIAL_IPV4.some(([network, bits]) =>
    isIn(numberOf(address), numberOf(network), 32 - bits),
  )
}

/** @param address As `URL` writes it, so no part of it is an IPv4 address. */
function isGlobalIpv6(address: string): boolean {
  return !SPECIAL_IPV6.some(([network, bits]) =>
    isIn(numberOfIpv6(address), numberOfIpv6(network), 128 - bits),
  )
}

function isIn(address: bigint, network: bigint, hostBits: number): boolean {
  return address >> BigInt(hostBits) === network >> BigInt(hostBits)
}

function numberOf(address: string): bigint {
  return address.split('.').reduce((number, byte) => number * 256n + BigInt(byte), 0n)
}

function numberOfIpv6(address: string): bigint {
  const [start = '', end = ''] = address.split('::')
  const [first, last] = [groupsOf(start), groupsOf(end)]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return BigInt(
    `0x${[...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join('')}`,
  )
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
