import { randomBytes } from '../../src/core/deps.ts'
import { hashPassword, staticDigest } from '../../src/core/passwords/passwords.ts'
import { deriveScrypt as cheapHash } from './cheap-scrypt.ts'

export { cheapHash }

/** What `users.password_hash` holds for a site whose hasher is `cheapHash`. */
export async function cheapPasswordHash(password: string): Promise<string> {
  return hashPassword({ hashPassword: cheapHash, randomBytes }, await staticDigest(password))
}
