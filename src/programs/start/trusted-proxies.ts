import { BlockList, isIP, isIPv6 } from 'node:net'
import { plainAddress } from './front-request.ts'
import { UsageError } from '../kit/command-error.ts'

export const TRUSTED_PROXIES = 'TRUSTED_PROXIES'
const MAX_BITS = { ipv4: 32, ipv6: 128 }

/**
 * Reads the addresses and networks (`192.0.2.1, 172.16.0.0/12`) from which a proxy connects.
 *
 * @param written On the command line, which counts first, and in the variable.
 * @returns `undefined` when neither names any.
 * @throws {UsageError} When one can't be read, or is everybody's.
 */
export function readTrustedProxies(written: {
  option: string | undefined
  variable: string | undefined
}): BlockList | undefined {
  const { option, variable } = written
  const text = option ?? variable
  if (text === undefined) return undefined
  const name = option === undefined ? TRUSTED_PROXIES : '--proxy-address'
  const trusted = new BlockList()
  for (const part of text.split(',')) add(trusted, part.trim(), name)
  return trusted
}

function add(trusted: BlockList, text: string, name: string): void {
  const [written = '', bits, ...more] = text.split('/')
  const address = plainAddress(written)
  const type = isIPv6(address) ? 'ipv6' : 'ipv4'
  const size = bits === undefined ? MAX_BITS[type] : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN
  if (isIP(address) === 0 || more.length > 0 || !(size >= 0 && size <= MAX_BITS[type]))
    throw new UsageError(
      `${name} must be addresses and networks such as 192.0.2.1,172.16.0.0/12, not "${text}".`,
    )
  // Every client could choose the address that counts.
  if (size === 0) throw new UsageError(`${name} must not name ${text}, which is everybody.`)
  trusted.addSubnet(address, size, type)
}
