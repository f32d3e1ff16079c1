import { createHmac } from 'node:crypto'

/** The six digits a phone would show: RFC 6238, written apart from the service's own. */
export function phoneCode(secret: string, time = Date.now(), stepsAhead = 0): string {
  const bits = Array.from(secret, (digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit))
    .map((value) => value.toString(2).padStart(5, '0'))
    .join('')
  const seed = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000) + stepsAhead))
  const mac = createHmac('sha1', seed).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
