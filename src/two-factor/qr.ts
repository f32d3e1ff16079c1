import { encode } from 'fast-png'
import QRCode from 'qrcode-svg'
import { toBase64 } from '../encoding.ts'

/** A light frame that readers need. @see ISO/IEC 18004 section 6.3.8 */
const QUIET_ZONE_MODULES = 4
const MIN_PIXELS = 256

/**
 * @returns The QR code of `content` as a `data:` address of a PNG, black on white, at least 256
 *   pixels wide.
 */
export function qrDataUri(content: string): string {
  const { modules } = new QRCode({ content, ecl: 'M' }).qrcode
  const size = modules.length + 2 * QUIET_ZONE_MODULES
  const scale = Math.ceil(MIN_PIXELS / size)
  const width = size * scale
  const data = new Uint8Array(width * width)
  for (let y = 0; y < width; y++) {
    const row = modules[Math.floor(y / scale) - QUIET_ZONE_MODULES]
    for (let x = 0; x < width; x++) {
      data[y * width + x] = row?.[Math.floor(x / scale) - QUIET_ZONE_MODULES] ? 0 : 255
    }
  }
  return `data:image/png;base64,${toBase64(encode({ width, height: width, data, channels: 1, depth: 8 }))}`
}
