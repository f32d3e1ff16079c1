import type { Deps } from '../deps.ts'
import { equalBytes, fromBareBase64, sha256Hex, toBareBase64, toHex } from '../base/encoding.ts'
import { HASH_BYTES, type ScryptCost } from '../crypto/scrypt.ts'

/**
 * One of the costs in OWASP's Password Storage Cheat Sheet. It takes 16 MiB, so that several hashes
 * fit into an isolate.
 */
export const DEFAULT_COST: ScryptCost = { logN: 14, blockSize: 8, parallelism: 5 }

const SALT_BYTES = 16

/** Clients append this too, so it can never change. */
const STATIC_DIGEST_SUFFIX = '-https://github.com/alist-org/alist'

type StoredHash =
  | { scheme: 'scrypt'; cost: ScryptCost; salt: Uint8Array; hash: Uint8Array }
  | { scheme: 'openlist'; salt: string; hex: string }

/**
 * Computes what hashing clients send instead of a password: lower-case hex SHA-256 over password
 * and suffix.
 */
export function staticDigest(password: string): Promise<string> {
  return sha256Hex(password + STATIC_DIGEST_SUFFIX)
}

/**
 * Hashes a static digest with a new salt.
 *
 * @returns A PHC string: `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`.
 */
export async function hashPassword(
  deps: Pick<Deps, 'hashPassword' | 'randomBytes'>,
  digest: string,
): Promise<string> {
  const salt = deps.randomBytes(SALT_BYTES)
  const hash = await deps.hashPassword(digest, salt, DEFAULT_COST)
  const { logN, blockSize, parallelism } = DEFAULT_COST
  return `$scrypt$ln=${logN},r=${blockSize},p=${parallelism}$${toBareBase64(salt)}$${toBareBase64(hash)}`
}

/**
 * Hashes a static digest as OpenList does: fast, so a stolen hash is easy to guess. It is for
 * imports of many accounts; the next right password replaces it.
 *
 * @returns `$openlist$<salt>$<hex>`
 */
export async function hashAsOpenList(
  { randomBytes }: Pick<Deps, 'randomBytes'>,
  digest: string,
): Promise<string> {
  const salt = toHex(randomBytes(SALT_BYTES))
  return `$openlist$${salt}$${await openListHash(digest, salt)}`
}

/**
 * Compares a static digest with a stored hash. It always costs one scrypt: a missing, imported or
 * unreadable hash takes as long as a valid one.
 *
 * @returns Whether it matches, and the hash that should replace the stored one, if one should.
 */
export async function verifyPassword(
  deps: Pick<Deps, 'hashPassword' | 'randomBytes'>,
  digest: string,
  stored: string | null,
): Promise<{ matches: boolean; replacement?: string }> {
  const parsed = stored === null ? undefined : parsePasswordHash(stored)
  if (parsed?.scheme === 'scrypt') {
    const hash = await deps.hashPassword(digest, parsed.salt, parsed.cost)
    const matches = equalBytes(hash, parsed.hash)
    if (!matches || isDefault(parsed.cost)) return { matches }
    return { matches, replacement: await hashPassword(deps, digest) }
  }
  const replacement = await hashPassword(deps, digest)
  const matches = parsed !== undefined && (await openListHash(digest, parsed.salt)) === parsed.hex
  return matches ? { matches, replacement } : { matches }
}

/**
 * Parses a stored hash.
 *
 * @returns `undefined` for an unknown scheme, a malformed text, and a cost above the default: a
 *   forged row must not cost more than a valid one.
 */
export function parsePasswordHash(stored: string): StoredHash | undefined {
  const [, salt, hex] = /^\$openlist\$([^$]*)\$([0-9a-f]{64})$/.exec(stored) ?? []
  if (salt !== undefined && hex !== undefined) return { scheme: 'openlist', salt, hex }
  const phc = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/.exec(stored)
  if (phc === null) return undefined
  const cost = { logN: Number(phc[1]), blockSize: Number(phc[2]), parallelism: Number(phc[3]) }
  const [saltBytes, hash] = [fromBareBase64(phc[4] ?? ''), fromBareBase64(phc[5] ?? '')]
  if (!isAffordable(cost) || !saltBytes || saltBytes.length < 8 || hash?.length !== HASH_BYTES)
    return undefined
  return { scheme: 'scrypt', cost, salt: saltBytes, hash }
}

function isAffordable({ logN, blockSize, parallelism }: ScryptCost): boolean {
  return (
    logN >= 1 &&
    logN <= DEFAULT_COST.logN &&
    blockSize >= 1 &&
    blockSize <= DEFAULT_COST.blockSize &&
    parallelism >= 1 &&
    parallelism <= DEFAULT_COST.parallelism
  )
}

function isDefault(cost: ScryptCost): boolean {
  return (
    cost.logN === DEFAULT_COST.logN &&
    cost.blockSize === DEFAULT_COST.blockSize &&
    cost.parallelism === DEFAULT_COST.parallelism
  )
}

/** Computes OpenList's hash: SHA-256 over digest and salt. */
function openListHash(digest: string, salt: string): Promise<string> {
  return sha256Hex(`${digest}-${salt}`)
}
