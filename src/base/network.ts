/** Where a request comes from, as far as anybody can know. */
export interface Client {
  /** An IPv4 address, an IPv6 /64, or `unknown`. */
  network: string
  userAgent: string
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

/**
 * Whoever has one IPv6 address has 2^64 of them, so addresses of one /64 are one client.
 *
 * @returns `unknown` for what is no address.
 * @see RFC 4291 sections 2.2 and 2.5.5.2
 */
export function networkOf(address: string): string {
  if (IPV4.test(address)) return address
  const groups = ipv6Groups(address)
  if (groups === undefined) return 'unknown'
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return mappedIpv4(groups)
  return `${groups.slice(0, 4).join(':')}::/64`
}

/**
 * The network that one customer of a provider may have all of: an IPv6 /64 lies in a /48.
 *
 * @param network As `networkOf` names it; an IPv4 address is its own.
 * @see RFC 6177
 */
export function siteOf(network: string): string {
  if (!network.endsWith('::/64')) return network
  return `${network.split(':').slice(0, 3).join(':')}::/48`
}

/** The eight groups of an address in lower case, without zeros in front. */
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

/** Whoever reaches the database itself, without a network; no client of a request is one. */
interface CommandLine extends Client {
  readonly isCommandLine: true
}
export const COMMAND_LINE: CommandLine = {
  network: 'command line',
  userAgent: '',
  isCommandLine: true,
}
