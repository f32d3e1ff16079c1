/** The shape of `src/core/crypto/scrypt.ts`, in whose place a prepared clone has this file. */
export type { ScryptCost } from '../../src/core/crypto/scrypt.ts'

export const HASH_BYTES = 32

/**
 * Stands in for scrypt where a test is not about hashing: SHA-256 over digest and salt. A real
 * scrypt takes 210 ms of CPU, and hundreds of tests sign in.
 */
export async function deriveScrypt(digest: string, salt: Uint8Array): Promise<Uint8Array> {
  const bytes = new Uint8Array([...new TextEncoder().encode(digest), ...salt])
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
