import { randomBytes } from '../../src/core/deps.ts'
import { hashPassword, staticDigest } from '../../src/core/passwords/passwords.ts'
import { deriveScrypt as cheapHash } from './cheap-scrypt.ts'

export { cheapHash }

/** Returns a value of `users.password_hash` for a site whose hasher is `cheapHash`. */
export async function cheapPasswordHash(password: string): Promise<string> {
  return hashPassword({ hashPassword: cheapHash, randomBytes }, await staticDigest(password))
}
