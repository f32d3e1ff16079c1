/** A short Weierstrass curve y² = x³ − 3x + b over the prime field p. */
export interface Curve {
  /** The curve's name in SSH. */
  name: string
  bits: number
  /** The object identifier in DER, which names the curve in SubjectPublicKeyInfo. */
  oid: string
  p: bigint
  b: bigint
  /** The number of points on the curve. */
  order: bigint
}

/** The curves of RFC 5656 section 10.1. @see SP 800-186 section 3.2.1 */
export const CURVES: Curve[] = [
  {
    name: 'nistp256',
    bits: 256,
    oid: '2a8648ce3d030107',
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  {
    name: 'nistp384',
    bits: 384,
    oid: '2b81040022',
    p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    order:
      0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
  {
    name: 'nistp521',
    bits: 521,
    oid: '2b81040023',
    p: 2n ** 521n - 1n,
    b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    order:
      0x01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
  },
]

export function isOnCurve({ p, b }: Curve, x: bigint, y: bigint): boolean {
  return x < p && y < p && (y * y - (x * x * x - 3n * x + b)) % p === 0n
}

/**
 * Tells whether a coordinate passes OpenSSH's further check (`sshkey_ec_validate_public`). Its
 * server would refuse other keys, so they are refused here.
 */
export function isLikely({ bits, order }: Curve, coordinate: bigint): boolean {
  return coordinate >= 2n ** BigInt(bits >> 1) && coordinate < order - 1n
}
