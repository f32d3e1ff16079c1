/** Bytes 0 to 31 and 32 to 63: secrets for tests only. */
export const SECRET_KEYS = [0, 32]
  .map((first) =>
    Buffer.from(Array.from({ length: 32 }, (_, i) => first + i)).toString('base64url'),
  )
  .join(',')
