import { createECDH, createPrivateKey, createPublicKey } from 'node:crypto'
import { CURVES } from '../src/core/crypto/curves.ts'
import { parsePublicKey } from '../src/capabilities/ssh-keys/openssh.ts'
import { KeyError, wireString } from '../src/core/crypto/wire.ts'

const TEXTS = 100_000
const ROUNDS = 5
const KEYS_PER_TYPE = 300
const SEED = 0x1a7c4
/** Shares of damaged keys and of texts that are no keys; the other texts are valid. */
const DAMAGED_PERCENT = 10
const GARBAGE_PERCENT = 10
/** One in ten of the valid texts has the format that PuTTYgen saves. */
const RFC4716_EVERY = 10

/** OpenSSL's names of the curves (SEC 2, X9.62), by SSH's names (NIST). */
const OPENSSL_NAMES: Record<string, string> = {
  nistp256: 'prime256v1',
  nistp384: 'secp384r1',
  nistp521: 'secp521r1',
}

let state = SEED

/**
 * `npm run bench:keys`: measures how many pasted texts per second the parser of public keys reads.
 * Every run parses the same texts. The time to generate them is not counted.
 */
const texts = makeTexts()
const validTexts = texts.filter(isAccepted).length // This also warms up the parser.
const rates = Array.from({ length: ROUNDS }, () => measureRate(texts)).toSorted((a, b) => a - b)
const [slowest = 0, median = 0, fastest = 0] = [0, ROUNDS >> 1, ROUNDS - 1].map((n) => rates[n])
console.log(
  `SSH key parser: ${thousands(median)} keys per second (median of ${ROUNDS} rounds, ` +
    `${thousands(slowest)} to ${thousands(fastest)}; ${thousands(TEXTS)} texts, ` +
    `${thousands(validTexts)} of them keys; Node ${process.versions.node})`,
)

function measureRate(all: string[]): number {
  const start = performance.now()
  for (const text of all) isAccepted(text)
  return Math.round((all.length / (performance.now() - start)) * 1000)
}

function isAccepted(text: string): boolean {
  try {
    parsePublicKey(text)
    return true
  } catch (error) {
    if (error instanceof KeyError) return false
    throw error
  }
}

function makeTexts(): string[] {
  const blobs = [
    makeEd25519,
    makeSkEd25519,
    makeRsa(2048),
    makeRsa(3072),
    makeRsa(4096),
    ...CURVES.map(({ name }) => makeEcdsa(name)),
    makeSkEcdsa,
  ].flatMap((make) => Array.from({ length: KEYS_PER_TYPE }, make))
  return Array.from({ length: TEXTS }, () => makeText(blobs))
}

function makeText(blobs: Buffer[]): string {
  const percent = random(100)
  if (percent < GARBAGE_PERCENT) return randomBytes(random(600)).toString('latin1')
  const blob = blobs[random(blobs.length)] ?? Buffer.of()
  if (percent < GARBAGE_PERCENT + DAMAGED_PERCENT) return lineOf(damage(blob), typeOf(blob))
  return random(RFC4716_EVERY) === 0 ? frame(blob) : lineOf(blob, typeOf(blob))
}

function lineOf(blob: Buffer, type: string): string {
  return `${type} ${blob.toString('base64')} user-${random(TEXTS)}@laptop`
}

/** @see RFC 4716 section 3 */
function frame(blob: Buffer): string {
  return [
    '---- BEGIN SSH2 PUBLIC KEY ----',
    `Comment: "key of user ${random(TEXTS)}"`,
    ...(blob.toString('base64').match(/.{1,64}/g) ?? []),
    '---- END SSH2 PUBLIC KEY ----',
  ].join('\n')
}

/** Flips one bit, or truncates the key. */
function damage(blob: Buffer): Buffer {
  const at = random(blob.length)
  if (random(2) === 0) return blob.subarray(0, at)
  const flipped = Buffer.from(blob)
  flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << random(8)), at)
  return flipped
}

function typeOf(blob: Buffer): string {
  return blob.toString('latin1', 4, 4 + blob.readUInt32BE(0))
}

function makeEd25519(): Buffer {
  return blobOf('ssh-ed25519', newEd25519Point())
}

function makeSkEd25519(): Buffer {
  return blobOf('sk-ssh-ed25519@openssh.com', newEd25519Point(), 'ssh:')
}

/** @see RFC 8410 section 7 */
function newEd25519Point(): Buffer {
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    randomBytes(32),
  ])
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
}

function makeEcdsa(curve: string): () => Buffer {
  return () => blobOf(`ecdsa-sha2-${curve}`, curve, newPoint(curve))
}

function makeSkEcdsa(): Buffer {
  return blobOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', newPoint('nistp256'), 'ssh:')
}

function newPoint(curve: string): Buffer {
  const ecdh = createECDH(OPENSSL_NAMES[curve] ?? curve)
  // A number of 31 bytes is below the order of every curve.
  ecdh.setPrivateKey(randomBytes(31))
  return ecdh.getPublicKey()
}

/** The modulus is not a product of two large primes; the parser can't tell. */
function makeRsa(bits: number): () => Buffer {
  return () => {
    const modulus = randomBytes(bits / 8)
    modulus.writeUInt8(modulus.readUInt8(0) | 0x80, 0)
    let n = BigInt(`0x${modulus.toString('hex')}`) | 1n
    while (hasSmallFactor(n)) n += 2n
    const bytes = Buffer.from(`00${n.toString(16)}`, 'hex')
    return blobOf('ssh-rsa', Buffer.of(1, 0, 1), bytes)
  }
}

function hasSmallFactor(n: bigint): boolean {
  for (let factor = 3n; factor < 752n; factor += 2n) if (n % factor === 0n) return true
  return false
}

function blobOf(...fields: (string | Buffer)[]): Buffer {
  return Buffer.concat(fields.map((field) => wireString(Buffer.from(field))))
}

function randomBytes(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random(256)))
}

/**
 * Returns a pseudo-random integer, 0 to `limit` - 1. @see George Marsaglia, "Xorshift RNGs" (2003),
 * section 3
 */
function random(limit: number): number {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return Math.floor(((state >>> 0) / 2 ** 32) * limit)
}

function thousands(n: number): string {
  return n.toLocaleString('en')
}
