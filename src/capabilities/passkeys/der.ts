const INTEGER = 0x02
const SEQUENCE = 0x30
const SCALAR_BYTES = 32

/**
 * Converts an ECDSA signature of P-256 from DER, which authenticators write, to r‖s, which
 * WebCrypto reads. Only strict DER is accepted, so that a signature has one form.
 *
 * @returns 64 bytes; `undefined` unless the bytes are exactly one signature.
 * @see RFC 3279 section 2.2.3, X.690 sections 8.3.2 and 10.1
 */
export function rawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  // Two scalars need at most 70 bytes, so every length has the short form.
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) return undefined
  const rEnd = 4 + (der[3] ?? 0)
  const r = scalarIn(der.subarray(2, rEnd))
  const s = scalarIn(der.subarray(rEnd))
  if (r === undefined || s === undefined) return undefined
  const raw = new Uint8Array(2 * SCALAR_BYTES)
  raw.set(r, SCALAR_BYTES - r.length)
  raw.set(s, 2 * SCALAR_BYTES - s.length)
  return raw
}

/** Returns the bytes of a positive INTEGER of at most 32 bytes, without a leading zero. */
function scalarIn(der: Uint8Array): Uint8Array | undefined {
  const [tag, length, first = 0x80, second = 0] = der
  if (tag !== INTEGER || length !== der.length - 2) return undefined
  // A positive number in its shortest form has a leading zero only where its next bit is set.
  if (first >= 0x80 || (first === 0 && (length === 1 || second < 0x80))) return undefined
  const scalar = der.subarray(first === 0 ? 3 : 2)
  return scalar.length <= SCALAR_BYTES ? scalar : undefined
}
