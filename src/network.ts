/** Where a request comes from, as far as anybody can know. */
export interface Client {
  /** An IPv4 address, an IPv6 /64, or `unknown`. */
  network: string
  userAgent: string
}

/**
 * Whoever has one IPv6 address has 2^64 of them, so addresses of one /64 are one client.
 *
 * @see RFC 4291 section 2.2
 */
export function networkOf(address: string): string {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return address
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  if (!/^[0-9a-f:.]{2,45}$/i.test(address) || !address.includes(':')) return 'unknown'
  const [head = '', tail] = address.toLowerCase().split('::')
  const front = groupsOf(head)
  const back = tail === undefined ? [] : groupsOf(tail)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

/** A dotted tail stands for two groups, and for none of the first four. */
function groupsOf(part: string): string[] {
  return part === ''
    ? []
    : part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
}
