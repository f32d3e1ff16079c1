import { toBase64 } from '../../core/base/encoding.ts'
import { encodePng } from './png.ts'

/** The light frame that QR code readers need. @see ISO/IEC 18004 section 6.3.8 */
const QUIET_ZONE_MODULES = 4
const MIN_PIXELS = 256

/**
 * @returns The QR code of `content` as a `data:` URI of a PNG, black on white, at least 256 pixels
 *   wide. The library is loaded at the first use, so that it does not slow down every start.
 */
export async function qrDataUri(content: string): Promise<string> {
  const { default: QRCode } = await import('qrcode-svg')
  const { modules } = new QRCode({ content, ecl: 'M' }).qrcode
  const size = modules.length + 2 * QUIET_ZONE_MODULES
  const scale = Math.ceil(MIN_PIXELS / size)
  const moduleAt = (pixel: number) => Math.floor(pixel / scale) - QUIET_ZONE_MODULES
  const png = await encodePng(
    size * scale,
    (column, row) => modules[moduleAt(row)]?.[moduleAt(column)] ?? false,
  )
  return `data:image/png;base64,${toBase64(png)}`
}
