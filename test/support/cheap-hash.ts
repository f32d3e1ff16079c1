import { randomBytes } from '../../src/deps.ts'
import { hashPassword, staticDigest } from '../../src/passwords/passwords.ts'

/**
 * Stands in for scrypt where a test is not about hashing: SHA-256 over digest and salt, 32 bytes. A
 * real scrypt takes 200 ms, and hundreds of tests sign in.
 */
export async function cheapHash(digest: string, salt: Uint8Array): Promise<Uint8Array> {
  const bytes = new Uint8Array([...new TextEncoder().encode(digest), ...salt])
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** What `users.password_hash` holds for a site whose hasher is `cheapHash`. */
export async function cheapPasswordHash(password: string): Promise<string> {
  return hashPassword({ hashPassword: cheapHash, randomBytes }, await staticDigest(password))
}
