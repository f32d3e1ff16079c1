import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePublicKey } from '../../src/ssh-keys/openssh.ts'
import { KeyError } from '../../src/ssh-keys/wire.ts'

const ED25519 =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIINf1QkT3udeh3bK3QT8eL4IL33C/HpQ1WaWYscX1oJz ed25519@test'
const ECDSA =
  'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBIKBxgGJiclGD9ExEvnsuBGJh0e5DwOsyTfFBKc78yZptbIaROSvo6uROcTN+mjocnrh+2rKqJ8bGO4m+QQO2tM= ecdsa256@test'
const ECDSA_521 =
  'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBABVLLrs0ToU3bGa1QrtsGlv6kxGLlzeaehAK6fxm/247CODebS5BmLRjUhlwf6vsoHYvB3W4+djKsZYIayp6POktgFUYDyiEnj4Am9ZnOPFyNRL3eq4Vl6UN2RRZAGjIN/Za+2l7+GDQdYB5ocM+V652SSASHO0Z9Bay1PDj9s1wjZWzQ== ecdsa521@test'
const RSA =
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDEe9pPtaQguYT1nCWXwJfZMnOYWGd6QdQbw3nyp3/eQp0MOWNg5DmKS7zVCmb4Qllug5Qo0qet7FtQ9kJ2uCCUGNL5vw2JK3IXqizaycgexB7b7OkifrAKu47ylYd+e3DjMsr3vfLIX6Vd2ZgLORVvWQ0kHLp4TPHzuYoZtsEjp3d5oS3B59lopSA0NX+hOxmHg6kcUQYrDdQwxddN4kNJ5e50Je25Z/LZtFXRSYttgrAufVg7XcDtGGukml/vR0vfml+qEsBC5X1xl+UIIPxbMXUEiMLvXpieHf6y8rppL/IBWKxdMURMZvtofY8KAl/KEr7Z3pgzGTmxhqj31Av9 rsa2048@test'
const SK_ED25519 =
  'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIBIa0KJO6FmB1FVqOXo9lZPRQwfh0JNIodwf74KTVfj0AAAABHNzaDo= sk-ed@hand'
const samples = [ED25519, ECDSA, ECDSA_521, RSA, SK_ED25519]

/** A `string` of the wire format. @see RFC 4251 section 5 */
function wire(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** The line of a key: its type as the first field of the data, then these fields. */
function line(type: string, ...fields: (string | Uint8Array)[]): string {
  return lineOf(type, Buffer.concat([type, ...fields].map(wire)))
}

function lineOf(type: string, blob: Uint8Array): string {
  return `${type} ${Buffer.from(blob).toString('base64')}`
}

/** The fields of a sound key, after its type. */
function fieldsOf(key: string): Buffer[] {
  let rest = blobOf(key)
  const fields: Buffer[] = []
  while (rest.length > 0) {
    const end = 4 + rest.readUInt32BE(0)
    fields.push(rest.subarray(4, end))
    rest = rest.subarray(end)
  }
  return fields.slice(1)
}

function blobOf(key: string): Buffer {
  return Buffer.from(key.split(' ')[1] ?? '', 'base64')
}

function typeOf(key: string): string {
  return key.split(' ')[0] ?? ''
}

const [ED25519_POINT = Buffer.of()] = fieldsOf(ED25519)
const [, ECDSA_POINT = Buffer.of()] = fieldsOf(ECDSA)
const [EXPONENT = Buffer.of(), MODULUS = Buffer.of()] = fieldsOf(RSA)

function reasonAgainst(text: string): string {
  try {
    return `none: ${parsePublicKey(text).type}`
  } catch (error) {
    if (error instanceof KeyError) return error.message
    throw error
  }
}

/** ECDSA with this point in place of its own. */
function ecdsa(point: Uint8Array): string {
  return line('ecdsa-sha2-nistp256', 'nistp256', point)
}

function flipLastBit(bytes: Uint8Array): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 1) ^ 1, flipped.length - 1)
  return flipped
}

const NO_TYPE = 'it must begin with a key type such as ssh-ed25519'
const NOT_BASE64 = 'its base64 is broken'
const [ED25519_BASE64 = ''] = ED25519.split(' ').slice(1)

/** The same point of nistp521, written with an x above the field: 66 bytes leave room for it. */
function aboveField(): string {
  const [, point = Buffer.of()] = fieldsOf(ECDSA_521)
  const x = BigInt(`0x${point.toString('hex', 1, 67)}`) + 2n ** 521n - 1n
  const coordinate = Buffer.from(x.toString(16).padStart(132, '0'), 'hex')
  const moved = Buffer.concat([Buffer.of(4), coordinate, point.subarray(67)])
  return line('ecdsa-sha2-nistp521', 'nistp521', moved)
}

describe('parsePublicKey', () => {
  test('reads back the line, without blanks around or doubled', () => {
    for (const key of samples) {
      expect(parsePublicKey(key).line).toBe(key)
      expect(parsePublicKey(` \t${key.replaceAll(' ', ' \t')}\r\n\n`).line).toBe(key)
    }
    expect(parsePublicKey(`${ED25519} and more  words `).comment).toBe(
      'ed25519@test and more  words',
    )
    expect(parsePublicKey(line('ssh-ed25519', ED25519_POINT))).toMatchObject({
      comment: '',
      line: `ssh-ed25519 ${ED25519_BASE64}`,
    })
  })

  test('gives keys of different comments one fingerprint', () => {
    const [type, base64] = RSA.split(' ')
    expect(parsePublicKey(`${type} ${base64} other`).fingerprint).toBe(
      parsePublicKey(RSA).fingerprint,
    )
  })

  test.each([
    ['no text', '', NO_TYPE],
    ['blanks', ' \n\t ', NO_TYPE],
    ['a word', 'hello', NO_TYPE],
    ['two words', 'hello world', NO_TYPE],
    ['a type alone', 'ssh-ed25519', NO_TYPE],
    ['base64 alone', ED25519_BASE64, NO_TYPE],
    ['a type in upper case', `SSH-ED25519 ${ED25519_BASE64}`, NO_TYPE],
    ['an inherited name as type', `constructor ${ED25519_BASE64}`, NO_TYPE],
    ['__proto__ as type', `__proto__ ${ED25519_BASE64}`, NO_TYPE],
    ['DSA', line('ssh-dss', 'p', 'q', 'g', 'y'), NO_TYPE],
    ['Ed448', line('ssh-ed448', Buffer.alloc(57)), NO_TYPE],
    ['a certificate', line('ssh-ed25519-cert-v01@openssh.com', 'nonce', ED25519_POINT), NO_TYPE],
    ['an option before the key', `no-pty ${ED25519}`, NO_TYPE],
    ['a command before the key', `command="sh -c 'x'" ${ED25519}`, NO_TYPE],
    ['a comment line', `# ${ED25519}`, NO_TYPE],
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----', NO_TYPE],
    ['two keys', `${ED25519}\n${ECDSA}`, 'it must be one key on one line'],
    ['two keys in old Mac lines', `${ED25519}\r${ECDSA}`, 'it must be one key on one line'],
    ['a key broken in two lines', ED25519.replace(' ', '\n'), 'it must be one key on one line'],
    ['PEM', '-----BEGIN PUBLIC KEY-----\nMCowBQ\n-----END', 'it must be one key on one line'],
    ['16 KiB and more', `${ED25519} ${'x'.repeat(16 * 1024)}`, 'it is longer than 16 KiB'],
    ['no base64', 'ssh-ed25519 !!!!', NOT_BASE64],
    ['base64 without its end', `ssh-ed25519 ${ED25519_BASE64.slice(0, -1)}`, NOT_BASE64],
    ['base64 with needless padding', `ssh-ed25519 ${ED25519_BASE64}====`, NOT_BASE64],
    ['base64url', `ssh-ed25519 ${ED25519_BASE64.slice(0, -1)}-`, NOT_BASE64],
    ['unused bits in base64', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB==', NOT_BASE64],
    ['no data at all', 'ssh-ed25519 =', NOT_BASE64],
    [
      'data too short for a length',
      lineOf('ssh-ed25519', Buffer.alloc(3)),
      'the key data ends before its type',
    ],
    [
      'an empty type',
      lineOf('ssh-ed25519', Buffer.alloc(4)),
      'it says ssh-ed25519, its data is of another type',
    ],
    [
      'a length beyond the data',
      lineOf('ssh-ed25519', Buffer.alloc(8, 0xff)),
      'the key data ends within its type',
    ],
    [
      'the data of another type',
      `ssh-rsa ${ED25519_BASE64}`,
      'it says ssh-rsa, its data is of another type',
    ],
    [
      'a type that goes on',
      lineOf(
        'ssh-ed25519',
        Buffer.concat([wire(`ssh-ed25519${'\0'.repeat(64)}`), wire(ED25519_POINT)]),
      ),
      'it says ssh-ed25519, its data is of another type',
    ],
    ['no public key', line('ssh-ed25519'), 'the key data ends before its public key'],
    [
      'an Ed25519 key of 31 bytes',
      line('ssh-ed25519', ED25519_POINT.subarray(1)),
      'an Ed25519 key has 32 bytes',
    ],
    [
      'an Ed25519 key of 33 bytes',
      line('ssh-ed25519', Buffer.concat([ED25519_POINT, Buffer.of(0)])),
      'an Ed25519 key has 32 bytes',
    ],
    ['bytes after the key', line('ssh-ed25519', ED25519_POINT, ''), '4 bytes follow the key data'],
    [
      'a token key without its application',
      line('sk-ssh-ed25519@openssh.com', ED25519_POINT),
      'the key data ends before its application',
    ],
    [
      'a plain key with an application',
      line('ssh-ed25519', ED25519_POINT, 'ssh:'),
      '8 bytes follow the key data',
    ],
    [
      'a curve that is not the one of the type',
      line('ecdsa-sha2-nistp256', 'nistp384', ECDSA_POINT),
      'its curve is not that of its type',
    ],
    [
      'an unknown curve',
      line('ecdsa-sha2-nistp256', 'nistp192', ECDSA_POINT),
      'its curve is not that of its type',
    ],
    [
      'a compressed point',
      ecdsa(Buffer.concat([Buffer.of(2), ECDSA_POINT.subarray(1, 33)])),
      'its point is not an uncompressed one',
    ],
    [
      'a hybrid point',
      ecdsa(Buffer.concat([Buffer.of(6), ECDSA_POINT.subarray(1)])),
      'its point is not an uncompressed one',
    ],
    ['the point at infinity', ecdsa(Buffer.of(0)), 'its point is not an uncompressed one'],
    ['an empty point', ecdsa(Buffer.of()), 'its point is not an uncompressed one'],
    [
      'a point that is cut',
      ecdsa(ECDSA_POINT.subarray(0, -1)),
      'its point is not an uncompressed one',
    ],
    [
      'a point that goes on',
      ecdsa(Buffer.concat([ECDSA_POINT, Buffer.of(0)])),
      'its point is not an uncompressed one',
    ],
    ['a point off its curve', ecdsa(flipLastBit(ECDSA_POINT)), 'its point is not on nistp256'],
    [
      'the point 0, 0',
      ecdsa(Buffer.concat([Buffer.of(4), Buffer.alloc(64)])),
      'its point is not on nistp256',
    ],
    ['a coordinate above the field', aboveField(), 'its point is not on nistp521'],
    ['no modulus', line('ssh-rsa', EXPONENT), 'the key data ends before its modulus'],
    ['a modulus of zero', line('ssh-rsa', EXPONENT, ''), 'its modulus is zero'],
    [
      'a negative modulus',
      line('ssh-rsa', EXPONENT, MODULUS.subarray(1)),
      'its modulus is negative',
    ],
    [
      'zeros before the modulus',
      line('ssh-rsa', EXPONENT, Buffer.concat([Buffer.of(0), MODULUS])),
      'its modulus has needless zeros in front',
    ],
    ['an exponent of zero', line('ssh-rsa', Buffer.of(), MODULUS), 'its exponent is zero'],
    [
      'a zero byte as exponent',
      line('ssh-rsa', Buffer.of(0), MODULUS),
      'its exponent has needless zeros in front',
    ],
    ['a negative exponent', line('ssh-rsa', Buffer.of(0xff), MODULUS), 'its exponent is negative'],
  ])('refuses %s', (_, text, reason) => {
    expect(reasonAgainst(text)).toBe(reason)
  })

  test('refuses any text with a reason, or reads it', () => {
    const types = fc.constantFrom(...samples.map(typeOf), 'ssh-dss', 'toString')
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(types, fc.string({ unit: 'binary' })).map((parts) => parts.join(' ')),
      fc.tuple(types, fc.uint8Array()).map(([type, blob]) => lineOf(type, blob)),
      fc
        .tuple(types, fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 5 }))
        .map(([type, fields]) => line(type, ...fields)),
    )
    fc.assert(
      fc.property(anything, (text) => {
        expect(reasonAgainst(text)).toMatch(/^\P{C}+$/u)
      }),
      { numRuns: 500 },
    )
  })

  describe.each(samples.map((key) => ({ type: typeOf(key), key })))('of $type', ({ type, key }) => {
    const blob = blobOf(key)

    test('refuses every cut of the data', () => {
      for (let length = 0; length < blob.length; length++) {
        expect(reasonAgainst(lineOf(type, blob.subarray(0, length))), `${length}`).not.toMatch(
          /^none/,
        )
      }
    })

    test('refuses whatever follows the data', () => {
      fc.assert(
        fc.property(fc.uint8Array({ minLength: 1 }), (more) => {
          expect(reasonAgainst(lineOf(type, Buffer.concat([blob, more])))).toBe(
            `${more.length} bytes follow the key data`,
          )
        }),
      )
    })

    test('refuses every other length of a field', () => {
      let offset = 0
      while (offset < blob.length) {
        const [at, length] = [offset, blob.readUInt32BE(offset)]
        fc.assert(
          fc.property(fc.oneof(fc.nat(300), fc.nat(0xffffffff)), (other) => {
            fc.pre(other !== length)
            const changed = Buffer.from(blob)
            changed.writeUInt32BE(other, at)
            expect(reasonAgainst(lineOf(type, changed))).not.toMatch(/^none/)
          }),
          { numRuns: 50 },
        )
        offset += 4 + length
      }
    })

    test('refuses a flipped bit with a reason, or reads another key', () => {
      const { fingerprint } = parsePublicKey(key)
      fc.assert(
        fc.property(fc.nat(blob.length * 8 - 1), (bit) => {
          const flipped = Buffer.from(blob)
          flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
          const text = lineOf(type, flipped)
          if (!reasonAgainst(text).startsWith('none')) return
          expect(parsePublicKey(text).fingerprint).not.toBe(fingerprint)
        }),
        { numRuns: 200 },
      )
    })
  })
})
