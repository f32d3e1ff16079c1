import { describe, expect, test } from 'vitest'
import { CURVES, type Curve } from '../../src/core/crypto/curves.ts'
import { add, findPoint, GROUP_ORDER, multiply, P, smallOrderPoints } from './edwards25519.ts'
import {
  ECDSA,
  ED25519,
  fieldsOf,
  line,
  mpint,
  readOrRefuse,
  reasonAgainst,
  RSA,
  samples,
  toBytes,
  toNumber,
} from './key-texts.ts'
import { inverse, mod, power, powersOf65537, primesUpTo, productOf } from './numbers.ts'

/** What a weak key is refused with, after the reason. */
const because = (reason: string) => `${reason}; make a better one with: ssh-keygen -t ed25519`

const primes = primesUpTo(1427)
const primesBelow752 = primes.filter((prime) => prime < 752)

/** The line of an RSA key. */
function rsa(modulus: bigint, exponent = 65_537n): string {
  return line('ssh-rsa', mpint(exponent), mpint(modulus))
}

/** The least number of so many bits that no prime below 752 divides. */
function smallestModulus(bits: number): bigint {
  return coprimeFrom(2n ** BigInt(bits - 1))
}

function coprimeFrom(least: bigint): bigint {
  let n = least
  while (primesBelow752.some((prime) => n % BigInt(prime) === 0n)) n++
  return n
}

/**
 * A prime as that library made them: k·M + (65537^a mod M), where M is the product of the first 126
 * primes for 2048-bit keys and of the first 225 for 4096-bit keys. The k and a were drawn at random
 * until the result was prime.
 *
 * @see Nemec et al., "The Return of Coppersmith's Attack: Practical Factorization of Widely
 *   Used RSA Moduli" (ACM CCS 2017), section 2.1 and table 1
 */
function rocaPrime(m: bigint, k: bigint, a: bigint): bigint {
  return k * m + power(65_537n, a, m)
}

test.each(samples)('a sound key of type $title is taken', ({ key }) => {
  expect(readOrRefuse(key)).toMatchObject({ line: key })
})

describe('an RSA key', () => {
  const [EXPONENT = Buffer.of(), MODULUS = Buffer.of()] = fieldsOf(RSA)
  const N = toNumber(MODULUS)

  test.each([512, 1024, 2047])('of %i bits is too short', (bits) => {
    expect(reasonAgainst(rsa(smallestModulus(bits)))).toBe(
      because(`an RSA key of ${bits} bits can be broken, 2048 are the least`),
    )
  })

  test.each([2048, 2049, 3072, 4096, 8191, 8192])('of %i bits is taken', (bits) => {
    expect(readOrRefuse(rsa(smallestModulus(bits)))).toMatchObject({ bits })
    expect(readOrRefuse(rsa(coprimeFrom(2n ** BigInt(bits) - 5000n)))).toMatchObject({ bits })
  })

  test.each([8193, 16_384])('of %i bits is too long', (bits) => {
    expect(reasonAgainst(rsa(smallestModulus(bits)))).toBe(
      because(`an RSA key may have at most 8192 bits, not ${bits}`),
    )
  })

  test.each([
    ['1', 1n],
    ['2', 2n],
    ['3', 3n],
    ['17', 17n],
    ['one below 65537', 65_536n],
    ['one above 65537', 65_538n],
    ['2^24', 2n ** 24n],
    ['2^24 and one', 2n ** 24n + 1n],
    ['32 bits', 2n ** 32n - 1n],
  ])('with an exponent of %s is refused', (_, exponent) => {
    expect(reasonAgainst(rsa(N, exponent))).toBe(
      because(`its RSA exponent is ${exponent}, it should be 65537`),
    )
  })

  test.each([
    ['33 bits', 2n ** 32n + 1n],
    ['the size of its modulus', 2n ** 2047n + 1n],
    ['128 kbit', 2n ** 65_536n + 1n],
  ])('with an exponent of %s is refused', (_, exponent) => {
    expect(reasonAgainst(rsa(N, exponent))).toMatch(
      /^(its RSA exponent is too large; make a better|it is longer than 16 KiB)/,
    )
  })

  test.each([65_537n, 65_539n, 2n ** 24n - 1n])('with the exponent %d is taken', (exponent) => {
    expect(readOrRefuse(rsa(N, exponent))).toMatchObject({ bits: 2048 })
  })

  test('with an even modulus is refused', () => {
    expect(reasonAgainst(rsa(N - 1n))).toBe(because('its RSA modulus can be divided by 2'))
  })

  test.each([3, 7, 743, 751])('with a modulus divisible by %i is refused', (factor) => {
    const cofactor = coprimeFrom(2n ** 2047n / BigInt(factor) + 1n)
    expect(reasonAgainst(rsa(BigInt(factor) * cofactor))).toBe(
      because(`its RSA modulus can be divided by ${factor}`),
    )
  })

  test('with 757 as smallest factor is taken', () => {
    const modulus = 757n * coprimeFrom(2n ** 2047n / 757n + 1n)
    expect(readOrRefuse(rsa(modulus))).toMatchObject({ bits: 2048 })
  })

  test.each([
    ['no exponent', Buffer.of(), MODULUS, 'its exponent is zero'],
    ['a zero byte as exponent', Buffer.of(0), MODULUS, 'its exponent has needless zeros in front'],
    ['a negative exponent', Buffer.of(0xff), MODULUS, 'its exponent is negative'],
    [
      'zeros before its exponent',
      Buffer.concat([Buffer.of(0), EXPONENT]),
      MODULUS,
      'its exponent has needless zeros in front',
    ],
    [
      'a zero before the largest byte that needs none',
      Buffer.of(0, 0x7f, 0xff, 0xff),
      MODULUS,
      'its exponent has needless zeros in front',
    ],
    ['no modulus', EXPONENT, Buffer.of(), 'its modulus is zero'],
    ['a zero byte as modulus', EXPONENT, Buffer.of(0), 'its modulus has needless zeros in front'],
    ['a negative modulus', EXPONENT, MODULUS.subarray(1), 'its modulus is negative'],
    [
      'zeros before its modulus',
      EXPONENT,
      Buffer.concat([Buffer.of(0), MODULUS]),
      'its modulus has needless zeros in front',
    ],
  ])('with %s is refused', (_, exponent, modulus, reason) => {
    expect(reasonAgainst(line('ssh-rsa', exponent, modulus))).toBe(reason)
  })

  describe('of the broken Infineon library', () => {
    const M_126 = productOf(primes.slice(0, 126))
    const M_225 = productOf(primes.slice(0, 225))
    const rocaKeys = [
      {
        bits: 2048,
        p: rocaPrime(M_126, 0x1b04612640a6a0n, 0x397dabc9aaff7cc0n),
        q: rocaPrime(M_126, 0x1f648e6a42055an, 0xa910a5d129cd5d1n),
      },
      {
        bits: 4096,
        p: rocaPrime(M_225, 0x35be3f9db7254762b547a2n, 0x12775e2d943f19bbn),
        q: rocaPrime(M_225, 0x32a0c431cddbc35f28d016n, 0x79ad7102d55961an),
      },
    ]

    test.each(rocaKeys)('of $bits bits is refused', ({ bits, p, q }) => {
      for (const prime of [p, q]) expect(power(2n, prime - 1n, prime)).toBe(1n)
      expect((p * q).toString(2)).toHaveLength(bits)
      expect(reasonAgainst(rsa(p * q))).toBe(
        because('it was made by a chip with the ROCA flaw (CVE-2017-15361)'),
      )
    })

    test('is told by each prime up to 167 for which not every number is a power of 65537', () => {
      const [{ p, q } = { p: 0n, q: 0n }] = rocaKeys
      const telling = primes.filter((r) => r > 2 && r <= 167 && powersOf65537(r).size < r - 1)
      expect(telling).toEqual([
        11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157,
      ])
      for (const r of telling) {
        // The same number for every other prime below 752, and another for this one.
        const step = productOf(primesBelow752) / BigInt(r)
        let n = p * q + step
        while (n % BigInt(r) === 0n || powersOf65537(r).has(n % BigInt(r))) n += step
        expect(readOrRefuse(rsa(n)), `${r}`).toMatchObject({ bits: 2048 })
      }
    })
  })
})

describe.each(['ssh-ed25519', 'sk-ssh-ed25519@openssh.com'])('a key of type %s', (type) => {
  const SIGN = 2n ** 255n

  const application = type.startsWith('sk-') ? ['ssh:'] : []
  const ofBytes = (bytes: Uint8Array) => line(type, bytes, ...application)
  const ed25519 = (encoded: bigint) => ofBytes(toBytes(encoded, 32).toReversed())
  const NOT_CANONICAL = because('its Ed25519 point is not in canonical form')
  const SMALL_ORDER = because('its Ed25519 point is of small order')

  test('with a point of small order is refused, whatever the sign bit says', () => {
    const points = smallOrderPoints()
    expect(points).toHaveLength(8)
    const ys = [...new Set(points.map(({ y }) => y))]
    expect(ys).toHaveLength(5)
    for (const y of ys) {
      expect(reasonAgainst(ed25519(y)), `${y}`).toBe(SMALL_ORDER)
      expect(reasonAgainst(ed25519(y + SIGN)), `${y} with the sign bit`).toBe(SMALL_ORDER)
    }
  })

  test('of zeros alone is refused', () => {
    expect(reasonAgainst(ofBytes(Buffer.alloc(32)))).toBe(SMALL_ORDER)
  })

  test('with a y outside the field is refused', () => {
    for (let y = P; y < 2n ** 255n; y++) {
      expect(reasonAgainst(ed25519(y)), `${y}`).toBe(NOT_CANONICAL)
      expect(reasonAgainst(ed25519(y + SIGN)), `${y} with the sign bit`).toBe(NOT_CANONICAL)
    }
    expect(reasonAgainst(ofBytes(Buffer.alloc(32, 0xff)))).toBe(NOT_CANONICAL)
  })

  test('with the base point or any other of its order is taken', () => {
    const base = findPoint(4n * inverse(5n, P)) ?? { x: 0n, y: 0n }
    for (let n = 1n, point = base; n < 20n; n++, point = add(point, base)) {
      expect(multiply(point, GROUP_ORDER)).toEqual({ x: 0n, y: 1n })
      expect(readOrRefuse(ed25519(point.y + (point.x & 1n) * SIGN))).toMatchObject({ bits: 256 })
    }
  })

  test('with a point of another size is refused', () => {
    const [point = Buffer.of()] = fieldsOf(ED25519)
    for (const bytes of [point.subarray(1), Buffer.concat([point, Buffer.of(0)]), Buffer.of()]) {
      expect(reasonAgainst(ofBytes(bytes))).toBe('an Ed25519 key has 32 bytes')
    }
  })
})

const ecdsaTypes = CURVES.map((curve) => ({ type: `ecdsa-sha2-${curve.name}`, curve }))
const [{ curve: P256 } = { curve: undefined }] = ecdsaTypes
if (P256 === undefined) throw new Error('no curve')
ecdsaTypes.push({ type: 'sk-ecdsa-sha2-nistp256@openssh.com', curve: P256 })

describe.each(ecdsaTypes)('a key of type $type', ({ type, curve }) => {
  const size = Math.ceil(curve.bits / 8)
  const OFF_CURVE = because(`its point is not on ${curve.name}`)
  const NOT_UNCOMPRESSED = 'its point is not an uncompressed one'
  const OTHER_CURVE = 'its curve is not that of its type'

  const sound = samples.find((sample) => sample.type === type)?.key ?? ''
  const [, POINT = Buffer.of()] = fieldsOf(sound)
  const [X, Y] = [POINT.subarray(1, 1 + size), POINT.subarray(1 + size)]
  const application = type.startsWith('sk-') ? ['ssh:'] : []
  const ofPoint = (...parts: Uint8Array[]) =>
    line(type, curve.name, Buffer.concat(parts), ...application)
  const ofCoordinates = (x: bigint, y: bigint) =>
    ofPoint(Buffer.of(4), toBytes(x, size), toBytes(y, size))

  test('with a point off the curve is refused', () => {
    const [x, y] = [toNumber(X), toNumber(Y)]
    expect(readOrRefuse(ofCoordinates(x, y))).toMatchObject({ bits: curve.bits })
    expect(readOrRefuse(ofCoordinates(x, curve.p - y))).toMatchObject({ bits: curve.bits })
    const others: [bigint, bigint][] = [
      [x, y ^ 1n],
      [x ^ 1n, y],
      [y, x],
      [x, 0n],
      [0n, 0n],
      [1n, 1n],
    ]
    for (const [otherX, otherY] of others) {
      expect(reasonAgainst(ofCoordinates(otherX, otherY))).toBe(OFF_CURVE)
    }
  })

  test('with a coordinate outside the field is refused', () => {
    const { x, y } = pointFrom(curve, 2n)
    expect(isOnCurve(curve, x, y)).toBe(true)
    expect(reasonAgainst(ofCoordinates(x + curve.p, y))).toBe(OFF_CURVE)
    expect(reasonAgainst(ofCoordinates(2n ** BigInt(8 * size) - 1n, y))).toBe(OFF_CURVE)
    expect(reasonAgainst(ofCoordinates(toNumber(X), 2n ** BigInt(8 * size) - 1n))).toBe(OFF_CURVE)
    expect(reasonAgainst(ofCoordinates(curve.p, toNumber(Y)))).toBe(OFF_CURVE)
    expect(reasonAgainst(ofCoordinates(toNumber(X), curve.p))).toBe(OFF_CURVE)
  })

  test.each([
    ['a compressed point', [Buffer.of(2), X]],
    ['a compressed point of the other sign', [Buffer.of(3), X]],
    ['a hybrid point', [Buffer.of(6), X, Y]],
    ['a hybrid point of the other sign', [Buffer.of(7), X, Y]],
    ['the point at infinity', [Buffer.of(0)]],
    ['the point at infinity at full length', [Buffer.alloc(1 + 2 * size)]],
    ['no point', []],
    ['half a point', [Buffer.of(4), X]],
    ['a byte less', [POINT.subarray(0, -1)]],
    ['a byte more', [POINT, Buffer.of(0)]],
  ])('with %s is refused', (_, parts) => {
    expect(reasonAgainst(ofPoint(...parts))).toBe(NOT_UNCOMPRESSED)
  })

  test.each(['nistp192', 'nistp256', 'nistp384', 'nistp521', 'secp256k1', 'NISTP256', ''])(
    'that names the curve "%s" is taken only if it is its own',
    (name) => {
      const [, foreign = POINT] = fieldsOf(
        samples.find((sample) => sample.type === `ecdsa-sha2-${name}`)?.key ?? sound,
      )
      for (const point of [POINT, foreign]) {
        expect(reasonAgainst(line(type, name, point, ...application))).toMatch(
          name === curve.name ? /^none: / : new RegExp(`^${OTHER_CURVE}$`),
        )
      }
    },
  )

  test('is on the curve when WebCrypto says so, and only then', async () => {
    for (let from = 3n; from < 2n ** 40n; from *= 17n) {
      const { x, y } = pointFrom(curve, from * (curve.p / 2n ** 41n))
      const importRaw = (otherY: bigint) =>
        crypto.subtle.importKey(
          'raw',
          Buffer.concat([Buffer.of(4), toBytes(x, size), toBytes(otherY, size)]),
          { name: 'ECDSA', namedCurve: `P-${curve.bits}` },
          true,
          ['verify'],
        )
      await expect(importRaw(y)).resolves.toMatchObject({ type: 'public' })
      expect(readOrRefuse(ofCoordinates(x, y))).toMatchObject({ bits: curve.bits })
      await expect(importRaw(y ^ 1n)).rejects.toThrow(/./)
      expect(reasonAgainst(ofCoordinates(x, y ^ 1n))).toBe(OFF_CURVE)
    }
  })
})

test('a key of type ecdsa-sha2-nistp521 with a y outside the field is refused', () => {
  const [, point = Buffer.of()] = fieldsOf(
    samples.find(({ title }) => title === 'ecdsa521')?.key ?? '',
  )
  // Its coordinates have seven bits to spare, so that each point could be written in other ways.
  const y = toNumber(point.subarray(67)) + 2n ** 521n - 1n
  const moved = Buffer.concat([point.subarray(0, 67), toBytes(y, 66)])
  expect(reasonAgainst(line('ecdsa-sha2-nistp521', 'nistp521', moved))).toBe(
    because('its point is not on nistp521'),
  )
})

test('the point of an ECDSA key is no Ed25519 key, nor the other way round', () => {
  const [, point = Buffer.of()] = fieldsOf(ECDSA)
  const [other = Buffer.of()] = fieldsOf(ED25519)
  expect(reasonAgainst(line('ssh-ed25519', point))).toBe('an Ed25519 key has 32 bytes')
  expect(reasonAgainst(line('ecdsa-sha2-nistp256', 'nistp256', other))).toBe(
    'its point is not an uncompressed one',
  )
})

function isOnCurve({ p, b }: Curve, x: bigint, y: bigint): boolean {
  return mod(y * y - x ** 3n + 3n * x - b, p) === 0n
}

/** The first point of a curve whose x is not below this one; p is 3 modulo 4 for all three. */
function pointFrom(curve: Curve, least: bigint): { x: bigint; y: bigint } {
  for (let x = least; ; x++) {
    const square = mod(x ** 3n - 3n * x + curve.b, curve.p)
    const y = power(square, (curve.p + 1n) / 4n, curve.p)
    if (isOnCurve(curve, x, y)) return { x, y }
  }
}
