/** Names that never lead to a server on the internet. @see RFC 6761, RFC 6762, RFC 8375, RFC 9476 */
const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|local|internal|home\.arpa|intranet|lan|alt|onion|test|invalid|example)$/

/**
 * The IPv4 networks that are not globally reachable, as first address and prefix length. @see RFC
 * 6890
 */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

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

/** @param host As `URL` writes it: an IPv4 address in its one form, IPv6 in brackets. */
function isPublicHost(host: string): boolean {
  if (host.startsWith('[')) return isGlobalIpv6(host.slice(1, -1))
  const name = host.replace(/\.$/, '')
  // An empty label stands in no name, and would hide the end of a private one.
  if (name.split('.').includes('')) return false
  if (/^[\d.]+$/.test(name)) return isGlobalIpv4(name)
  return name.includes('.') && !PRIVATE_NAME.test(name)
}

function isGlobalIpv4(address: string): boolean {
  return !PRIVATE_IPV4.some(([network, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(numberOf(address) / size) === Math.floor(numberOf(network) / size)
  })
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, byte) => number * 256 + Number(byte), 0)
}

/**
 * Accepts 2000::/3 without the parts that contain an IPv4 address or are for documents. @see RFC
 * 6890
 */
function isGlobalIpv6(address: string): boolean {
  const [first = '', second = ''] = address.split(':')
  const group = parseInt(first || '0', 16)
  if (group < 0x20_00 || group > 0x3f_ff) return false
  // Teredo and other protocol assignments (2001::/23), documentation, 6to4 and 3fff::/20.
  const next = parseInt(second || '0', 16)
  if (group === 0x20_01 && (next < 0x2_00 || next === 0xd_b8)) return false
  return group !== 0x20_02 && !(group === 0x3f_ff && next < 0x10_00)
}
