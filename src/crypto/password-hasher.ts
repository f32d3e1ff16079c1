import { DurableObject } from 'cloudflare:workers'
import { deriveScrypt, type ScryptCost } from './scrypt.ts'

/**
 * Hashes passwords where there is time for it: a Worker request may spend 10 ms of CPU on the free
 * plan, a Durable Object 30 s. Stores nothing.
 */
export class PasswordHasher extends DurableObject {
  hash(digest: string, salt: Uint8Array, cost: ScryptCost): Promise<Uint8Array> {
    return deriveScrypt(digest, salt, cost)
  }
}
