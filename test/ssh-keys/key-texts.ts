import { isDeepStrictEqual } from 'node:util'
import { parsePublicKey, type PublicKey } from '../../src/capabilities/ssh-keys/openssh.ts'
import { KeyError } from '../../src/core/crypto/wire.ts'

export interface Sample {
  type: string
  /** As `ssh-keygen -lf` prints them. */
  bits: number
  fingerprint: string
  key: string
}

/** Made by ssh-keygen (those of security tokens by hand); they open nothing. */
const samplesByTitle = {
  ed25519: {
    type: 'ssh-ed25519',
    bits: 256,
    fingerprint: 'SHA256:k4aVOAkJkbP7kVlouYBHaPg1kVkoWzTBh66JMAVdqpI',
    key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIINf1QkT3udeh3bK3QT8eL4IL33C/HpQ1WaWYscX1oJz ed25519@test',
  },
  ecdsa256: {
    type: 'ecdsa-sha2-nistp256',
    bits: 256,
    fingerprint: 'SHA256:NBIHHwp9RjdFM5ZKzi5pGIOTgSuXK/mFx++pETPMteA',
    key: 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBIKBxgGJiclGD9ExEvnsuBGJh0e5DwOsyTfFBKc78yZptbIaROSvo6uROcTN+mjocnrh+2rKqJ8bGO4m+QQO2tM= ecdsa256@test',
  },
  ecdsa384: {
    type: 'ecdsa-sha2-nistp384',
    bits: 384,
    fingerprint: 'SHA256:zXuFWRg+60PivMG8SYqC84agIAI8f+lAHvsEwkJVNrM',
    key: 'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBF0RpZfYVhmYzlAHF09kegVrONBs4ZiLq/9s7f3WQBRK1V5Gi6fCbQKzrovOLbTULIhnuQuM2zDS0RnB7XvfxJIE53S1LWEHTo0VMysBlQIN/u0d58NPPWuIqHwzsL18Rg== ecdsa384@test',
  },
  ecdsa521: {
    type: 'ecdsa-sha2-nistp521',
    bits: 521,
    fingerprint: 'SHA256:CfNnz0R13VaDoGozXIgvKVpyA5FCf9ahQLX4AscZd2w',
    key: 'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBABVLLrs0ToU3bGa1QrtsGlv6kxGLlzeaehAK6fxm/247CODebS5BmLRjUhlwf6vsoHYvB3W4+djKsZYIayp6POktgFUYDyiEnj4Am9ZnOPFyNRL3eq4Vl6UN2RRZAGjIN/Za+2l7+GDQdYB5ocM+V652SSASHO0Z9Bay1PDj9s1wjZWzQ== ecdsa521@test',
  },
  rsa2048: {
    type: 'ssh-rsa',
    bits: 2048,
    fingerprint: 'SHA256:6WHkmYX7LGFw4Xu7YHykxbaIQzx96FFP1DeEpM60BJA',
    key: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDEe9pPtaQguYT1nCWXwJfZMnOYWGd6QdQbw3nyp3/eQp0MOWNg5DmKS7zVCmb4Qllug5Qo0qet7FtQ9kJ2uCCUGNL5vw2JK3IXqizaycgexB7b7OkifrAKu47ylYd+e3DjMsr3vfLIX6Vd2ZgLORVvWQ0kHLp4TPHzuYoZtsEjp3d5oS3B59lopSA0NX+hOxmHg6kcUQYrDdQwxddN4kNJ5e50Je25Z/LZtFXRSYttgrAufVg7XcDtGGukml/vR0vfml+qEsBC5X1xl+UIIPxbMXUEiMLvXpieHf6y8rppL/IBWKxdMURMZvtofY8KAl/KEr7Z3pgzGTmxhqj31Av9 rsa2048@test',
  },
  rsa3072: {
    type: 'ssh-rsa',
    bits: 3072,
    fingerprint: 'SHA256:Qhy/h/PNG9Fya5BHG0UedTXXNTwcG/V5cfekIP6rbyA',
    key: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDHGFw/D1d+NBPQ0s/rIQ46DA3T0Hv1u5Co4p7jVvWEZNht5dxfCoOToVLbUBAdS/icaRpHbM3boAL3S8haFZbTjNMUjvGpXLmWogWQBbtUbh68qpzrCO86T/EORYF+/A4NAVeQDxBKkxZzoIL9nKqPHnDzvA8JGlr+ANXkgRtB2qbcx31OzckdcxbwTuDUcgWtgNS6kynr2Qdp7Tshsevn30TwbpkXTfihwxlRQenGX0mPRhacdE+CgUzovSILbtNwzyYcrwVJFr48tAPw/EN+Ev3RNq3f3Hs4+kcUnZMmR/wnYN6sDSpWCkL9+AsWrxiTmz69FNyZvgmFTXSaYKIVGPgVw+ZGytkUEKd+pC7gRKDJDYQkKDSajFefsg6TvA+wu5+dc8OAxTd3seNrD71I+fCMQrJPkJD0MU/4m7bZckj8o/2eydvvO6pHMCyUL8LE+4CLfGmWKZ1KLyYtp0BuPbbqT7taBPwGMbIsUk97J1qzungOhIPv7Smr/lHrrHM= rsa3072@test',
  },
  'sk-ssh-ed25519': {
    type: 'sk-ssh-ed25519@openssh.com',
    bits: 256,
    fingerprint: 'SHA256:wBj/WZaumpsjgktMQj/fkGEmvPolFrw+ppcIlWEBMDA',
    key: 'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIBIa0KJO6FmB1FVqOXo9lZPRQwfh0JNIodwf74KTVfj0AAAABHNzaDo= sk-ed@hand',
  },
  'sk-ecdsa': {
    type: 'sk-ecdsa-sha2-nistp256@openssh.com',
    bits: 256,
    fingerprint: 'SHA256:vaDnKXlXs0+z7YFGf7MpvXDQ7l1HlLroe9Wsy3DLRGI',
    key: 'sk-ecdsa-sha2-nistp256@openssh.com AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20AAAAIbmlzdHAyNTYAAABBBA15gKketLPKOCT9kMwxQ50enWkTgFg0sxC1PiURfdqspIZK43E7+HMzpAPl2RYGoppHuuHkyb5Tac7KLB5SQ8UAAAAEc3NoOg== sk-ec@hand',
  },
} satisfies Record<string, Sample>

export const samples: (Sample & { title: string })[] = Object.entries(samplesByTitle).map(
  ([title, sample]) => ({ title, ...sample }),
)

export const ED25519 = samplesByTitle.ed25519.key
export const ECDSA = samplesByTitle.ecdsa256.key
export const RSA = samplesByTitle.rsa2048.key

/** A `string` of the wire format. @see RFC 4251 section 5 */
export function wire(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** The line of a key: its type as the first field of the data, then these fields. */
export function line(type: string, ...fields: (string | Uint8Array)[]): string {
  return lineOf(type, Buffer.concat([type, ...fields].map(wire)))
}

export function lineOf(type: string, blob: Uint8Array): string {
  return `${type} ${Buffer.from(blob).toString('base64')}`
}

/** The fields of a sound key, after its type. */
export function fieldsOf(key: string): Buffer[] {
  let rest = blobOf(key)
  const fields: Buffer[] = []
  while (rest.length > 0) {
    const end = 4 + rest.readUInt32BE(0)
    fields.push(rest.subarray(4, end))
    rest = rest.subarray(end)
  }
  return fields.slice(1)
}

export function blobOf(key: string): Buffer {
  return Buffer.from(key.split(' ')[1] ?? '', 'base64')
}

/** A positive number in as many bytes as it takes, or in this many. */
export function toBytes(n: bigint, length = 0): Buffer {
  const hex = n.toString(16)
  return Buffer.from(hex.padStart(Math.max(length * 2, hex.length + (hex.length % 2)), '0'), 'hex')
}

/** The bytes of an `mpint` above zero; those of a DER INTEGER are the same. */
export function mpint(n: bigint): Buffer {
  const bytes = toBytes(n)
  return bytes.readUInt8(0) < 0x80 ? bytes : Buffer.concat([Buffer.of(0), bytes])
}

export function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

/** What PuTTYgen saves as a public key. @see RFC 4716 section 3 */
export function rfc4716(blob: Uint8Array, headers: string[] = []): string {
  const body = Buffer.from(blob).toString('base64')
  return [
    '---- BEGIN SSH2 PUBLIC KEY ----',
    ...headers,
    ...wrap(body, 70),
    '---- END SSH2 PUBLIC KEY ----',
  ].join('\n')
}

/** @see RFC 7468 section 2 */
export function pem(label: string, bytes: Uint8Array): string {
  const body = Buffer.from(bytes).toString('base64')
  return [`-----BEGIN ${label}-----`, ...wrap(body, 64), `-----END ${label}-----`].join('\n')
}

function wrap(text: string, width: number): string[] {
  return text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
}

/** A value in DER. @see X.690 section 8.1 */
export function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const value = Buffer.concat(contents)
  const length = toBytes(BigInt(value.length))
  const isShort = value.length < 0x80
  return Buffer.concat([Buffer.of(tag), isShort ? length : longLength(length), value])
}

function longLength(length: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x80 + length.length), length])
}

const OID = {
  rsa: '2a864886f70d010101',
  ec: '2a8648ce3d0201',
  ed25519: '2b6570',
  nistp256: '2a8648ce3d030107',
  nistp384: '2b81040022',
  nistp521: '2b81040023',
}

export function oid(name: keyof typeof OID): Buffer {
  return der(0x06, Buffer.from(OID[name], 'hex'))
}

/** @see RFC 5280 section 4.1.2.7 */
export function publicKeyInfo(algorithm: Uint8Array[], key: Uint8Array): Buffer {
  return der(0x30, der(0x30, ...algorithm), der(0x03, Buffer.of(0), key))
}

/** @see RFC 8017 appendix A.1.1 */
export function rsaPublicKey(modulus: Uint8Array, exponent: Uint8Array): Buffer {
  return der(0x30, der(0x02, modulus), der(0x02, exponent))
}

/** A sample as SubjectPublicKeyInfo; `undefined` for the types of security tokens. */
export function toPublicKeyInfo({ type, key }: Sample): Buffer | undefined {
  const [first = Buffer.of(), second = Buffer.of()] = fieldsOf(key)
  if (type === 'ssh-ed25519') return publicKeyInfo([oid('ed25519')], first)
  if (type === 'ssh-rsa') {
    return publicKeyInfo([oid('rsa'), der(0x05)], rsaPublicKey(second, first))
  }
  const curve = (['nistp256', 'nistp384', 'nistp521'] as const).find((name) => type.endsWith(name))
  return curve && publicKeyInfo([oid('ec'), oid(curve)], second)
}

/** Reads a text; whatever it throws besides a `KeyError` is the fault of the parser. */
export function readOrRefuse(text: string): PublicKey | string {
  try {
    return parsePublicKey(text)
  } catch (error) {
    if (error instanceof KeyError) return error.message
    throw error
  }
}

/** Why a text is refused. */
export function reasonAgainst(text: string): string {
  const read = readOrRefuse(text)
  return typeof read === 'string' ? read : `none: ${read.line}`
}

/** The promise for any text at all: a reason in one readable line, or a key that reads back. */
export function isAnswered(text: string): boolean {
  const read = readOrRefuse(text)
  if (typeof read === 'string') return /^\P{C}+$/u.test(read)
  return isDeepStrictEqual(parsePublicKey(read.line), read)
}
