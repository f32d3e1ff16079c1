const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/**
 * Draws a square picture in black and white with one bit per pixel. Node's zlib is loaded at the
 * first use, so that it does not slow down every start.
 *
 * @param isBlack Tells whether the pixel in this column and row is black.
 * @see PNG Specification (W3C), sections 5.3, 11.2.1 and 11.2.2
 */
export async function encodePng(
  width: number,
  isBlack: (column: number, row: number) => boolean,
): Promise<Uint8Array> {
  const { crc32, deflateSync } = await import('node:zlib')
  // Each row begins with a byte for its filter type: 0, none.
  const rowBytes = 1 + Math.ceil(width / 8)
  const pixels = new Uint8Array(rowBytes * width)
  for (let row = 0; row < width; row++) {
    for (let column = 0; column < width; column++) {
      const index = row * rowBytes + 1 + (column >> 3)
      if (!isBlack(column, row)) pixels[index] = (pixels[index] ?? 0) | (0x80 >> (column & 7))
    }
  }
  const header = new Uint8Array(13)
  const fields = new DataView(header.buffer)
  fields.setUint32(0, width)
  fields.setUint32(4, width)
  // One bit per pixel, greyscale. Compression and filter have only method 0; interlace 0 means none.
  fields.setUint8(8, 1)
  const chunk = (type: string, data: Uint8Array) => {
    const body = concat([new TextEncoder().encode(type), data])
    return framed(data.length, body, crc32(body))
  }
  return concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', new Uint8Array()),
  ])
}

/** Builds a chunk: the length of the data, the type and data, and a checksum over type and data. */
function framed(length: number, body: Uint8Array, checksum: number): Uint8Array {
  const bytes = new Uint8Array(4 + body.length + 4)
  const fields = new DataView(bytes.buffer)
  fields.setUint32(0, length)
  bytes.set(body, 4)
  fields.setUint32(4 + body.length, checksum)
  return bytes
}

function concat(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
