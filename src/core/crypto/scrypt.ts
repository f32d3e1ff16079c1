/** The cost of one hash. @see RFC 7914 section 2 */
export interface ScryptCost {
  /** N = 2^logN, the cost in memory and time. */
  logN: number
  /** RFC 7914's `r`. */
  blockSize: number
  /** RFC 7914's `p`. */
  parallelism: number
}

export const HASH_BYTES = 32

/**
 * Hashes with the native scrypt of `node:crypto`, in Node and in workerd. The module is loaded on
 * first use: only the Durable Object needs it, and loading it would slow down every start.
 */
export async function deriveScrypt(
  digest: string,
  salt: Uint8Array,
  cost: ScryptCost,
): Promise<Uint8Array> {
  const { scrypt } = await import('node:crypto')
  const options = { N: 2 ** cost.logN, r: cost.blockSize, p: cost.parallelism }
  return new Promise((resolve, reject) => {
    scrypt(digest, salt, HASH_BYTES, options, (error, hash) => {
      if (error) reject(error)
      else resolve(new Uint8Array(hash))
    })
  })
}
