import { type Curve, isLikely, isOnCurve } from './curves.ts'
import { bitLength, KeyError, toBigInt } from './wire.ts'

const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192
const MIN_EXPONENT = 65_537n
const MAX_EXPONENT = 2n ** 24n

/**
 * Prime factors below this limit are trivial to find. OpenSSL and Go check a modulus with a similar
 * limit.
 */
const SMALL_FACTOR = 752

/** The largest of the odd primes that identify a modulus of the vulnerable Infineon library. */
const LAST_ROCA_PRIME = 167

/**
 * Encodings of the points of order 1, 2, 4 and 8 without the sign bit. @see RFC 7748 section 7, RFC
 * 8032 section 5.1.3
 */
const SMALL_ORDER_POINTS = [
  0n,
  1n,
  2_707_385_501_144_840_649_318_225_287_225_658_788_936_804_267_575_313_519_463_743_609_750_303_402_022n,
  55_188_659_117_513_257_062_467_267_217_118_295_137_698_188_065_244_968_500_265_048_394_206_261_417_927n,
  2n ** 255n - 20n,
]
const ED25519_PRIME = 2n ** 255n - 19n

/** @throws {KeyError} For a key whose private half others may have, or that servers refuse. */
export function checkRsa(exponent: Uint8Array, modulus: Uint8Array): void {
  const bits = bitLength(modulus)
  if (bits < MIN_RSA_BITS) throw new KeyError('keyRsaShort', { bits, min: MIN_RSA_BITS })
  if (bits > MAX_RSA_BITS) throw new KeyError('keyRsaLong', { bits, max: MAX_RSA_BITS })
  if (exponent.length > 4) throw new KeyError('keyRsaLargeExponent')
  const e = toBigInt(exponent)
  if (e < MIN_EXPONENT || e >= MAX_EXPONENT || e % 2n === 0n) {
    throw new KeyError('keyRsaExponent', { exponent: String(e) })
  }
  const n = toBigInt(modulus)
  const factor = smallPrimes().find((prime) => n % BigInt(prime) === 0n)
  if (factor !== undefined) throw new KeyError('keyRsaFactor', { factor })
  if (isRoca(n)) throw new KeyError('keyRsaRoca')
}

/** @throws {KeyError} For a point that is not on its curve. @see SP 800-56A section 5.6.2.3.3 */
export function checkEcdsa(curve: Curve, x: Uint8Array, y: Uint8Array): void {
  const coordinates = [toBigInt(x), toBigInt(y)] as const
  if (!isOnCurve(curve, ...coordinates)) throw new KeyError('keyOffCurve', { curve: curve.name })
  if (!coordinates.every((coordinate) => isLikely(curve, coordinate)))
    throw new KeyError('keyUnlikelyPoint')
}

/**
 * @throws {KeyError} For a point of small order, for which anyone can sign, and for a non-canonical
 *   encoding.
 */
export function checkEd25519(point: Uint8Array): void {
  const y = BigInt.asUintN(255, toBigInt(Uint8Array.from(point).toReversed()))
  if (y >= ED25519_PRIME) throw new KeyError('keyEd25519Form')
  if (SMALL_ORDER_POINTS.includes(y)) throw new KeyError('keyEd25519Order')
}

/**
 * Tells whether a modulus is a power of 65537 modulo each of the first odd primes.
 *
 * @see Nemec et al., "The Return of Coppersmith's Attack" (CVE-2017-15361), section 3.1
 */
function isRoca(modulus: bigint): boolean {
  return smallPrimes()
    .filter((prime) => prime > 2 && prime <= LAST_ROCA_PRIME)
    .every((prime) => powersOf65537(prime).has(Number(modulus % BigInt(prime))))
}

function powersOf65537(prime: number): Set<number> {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power)
  return powers
}

let found: readonly number[] | undefined

/** Computes the primes when the first RSA key arrives, so that they don't slow down every start. */
function smallPrimes(): readonly number[] {
  return (found ??= primesBelow(SMALL_FACTOR))
}

function primesBelow(limit: number): number[] {
  const primes: number[] = []
  for (let n = 2; n < limit; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return primes
}
