import { DurableObject } from 'cloudflare:workers'
import { deriveScrypt, type ScryptCost } from './scrypt.ts'
import { generateSigningKey, type NewSigningKey } from './signing-key.ts'

/**
 * Hashes passwords in a Durable Object, which has 30 s of CPU time; a Worker request has 10 ms on
 * the free plan. Stores nothing.
 */
export class PasswordHasher extends DurableObject {
  hash(digest: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array> {
    return deriveScrypt(digest, salt, cost)
  }

  /** Makes a key that signs ID tokens, which takes about 300 ms. */
  makeSigningKey(): Promise<NewSigningKey> {
    return generateSigningKey()
  }
}
