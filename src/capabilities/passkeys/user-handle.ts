const HANDLE_BYTES = 8

/** Returns the user handle: the user id, 8 bytes, little-endian, as OpenList writes it. */
export function userHandleOf(userId: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HANDLE_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(userId), true)
  return bytes
}
