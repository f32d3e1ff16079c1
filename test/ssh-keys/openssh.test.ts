import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePublicKey } from '../../src/capabilities/ssh-keys/openssh.ts'
import { joinBrokenKey } from '../../src/capabilities/ssh-keys/pasted.ts'
import { anyCharacter } from '../support/any-character.ts'
import {
  blobOf,
  ECDSA,
  ED25519,
  isAnswered,
  fieldsOf,
  line,
  lineOf,
  readOrRefuse,
  reasonAgainst,
  RSA,
  samples,
  wire,
} from './key-texts.ts'

const [ED25519_POINT = Buffer.of()] = fieldsOf(ED25519)
const [EXPONENT = Buffer.of()] = fieldsOf(RSA)
const [ED25519_BASE64 = ''] = ED25519.split(' ').slice(1)

const NO_TYPE = 'it must begin with its type, such as ssh-ed25519'
const OPTIONS = 'options in front of a key are not accepted, it must begin with its type'
const OTHER_TYPE = 'keys of this type are not accepted, make one with: ssh-keygen -t ed25519'
const DSA = 'DSA keys are broken and no server takes them, make one with: ssh-keygen -t ed25519'
const CERTIFICATE = 'this is a certificate, paste the plain public key'
const SEVERAL_LINES = 'it must be one key on one line'
const NOT_BASE64 = 'its base64 is broken'
const CONTROL_CHARACTERS = 'its comment has control characters'

describe('parsePublicKey', () => {
  test.each(samples)('finds all there is in a key of type $title', (sample) => {
    const { type, bits, fingerprint, key } = sample
    const [, , comment] = key.split(' ')
    const blob = Uint8Array.from(blobOf(key))
    expect(parsePublicKey(key)).toEqual({ type, bits, fingerprint, comment, blob, line: key })
  })

  test('takes blanks around and between, and an end of line of any kind', () => {
    for (const { key } of samples) {
      expect(parsePublicKey(` \t${key.replaceAll(' ', ' \t')}\r\n\n`).line).toBe(key)
      for (const end of ['\n', '\r\n', '\r']) expect(parsePublicKey(key + end).line).toBe(key)
    }
  })

  test('takes a comment in any script, and none', () => {
    const bare = `ssh-ed25519 ${ED25519_BASE64}`
    expect(parsePublicKey(bare)).toMatchObject({ comment: '', line: bare })
    const comments = ['ноутбук', '我的钥匙', 'مفتاحي', '🔑', '<b>&"', 'two  blanks', 'ssh-rsa AAAA']
    for (const comment of comments) {
      expect(parsePublicKey(`${bare} ${comment} `)).toMatchObject({
        comment,
        line: `${bare} ${comment}`,
      })
    }
    expect(parsePublicKey(`${bare} a\tb`).comment).toBe('a b')
  })

  test('takes lines of comment above the key, as authorized_keys has them', () => {
    for (const { key } of samples)
      for (const end of ['\n', '\r\n', '\r'])
        expect(parsePublicKey(`# laptop${end}${end}  # 2026, ssh-rsa AAAA${end}${key}`).line).toBe(
          key,
        )
  })

  test('joins the lines of a key that a mail has broken', () => {
    for (const { key } of samples)
      for (const end of ['\n', '\r\n', '\n  ']) {
        const [type = '', base64 = '', ...comment] = key.split(' ')
        const pieces = base64.match(/.{1,40}/g) ?? []
        expect(joinBrokenKey([type, [...pieces].join(end), ...comment].join(' '))).toBe(key)
        expect(joinBrokenKey([type, [pieces.join(end), ...comment].join(' ')].join(end))).toBe(key)
      }
  })

  test('gives keys of different comments one fingerprint', () => {
    const [type, base64] = RSA.split(' ')
    expect(parsePublicKey(`${type} ${base64} other`).fingerprint).toBe(
      parsePublicKey(RSA).fingerprint,
    )
  })

  test('counts the bytes of a text, not its characters', () => {
    const key = `${ED25519.split(' ', 2).join(' ')}  `
    const letters = (16 * 1024 - key.length) / 2
    expect(parsePublicKey(key + 'é'.repeat(letters)).bits).toBe(256)
    expect(reasonAgainst(key + 'é'.repeat(letters + 1))).toBe('it is longer than 16 KiB')
  })

  test('takes a text of 16 KiB and no longer one', () => {
    const longest = `${ED25519} ${'x'.repeat(16 * 1024 - ED25519.length - 1)}`
    expect(parsePublicKey(longest).line).toBe(longest)
    expect(reasonAgainst(`${longest}x`)).toBe('it is longer than 16 KiB')
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
    ['a byte order mark', `\uFEFF${ED25519}`, NO_TYPE],
    ['a no-break space for a blank', ED25519.replaceAll(' ', '\u00A0'), NO_TYPE],
    ['DSA', line('ssh-dss', 'p', 'q', 'g', 'y'), DSA],
    ['Ed448', line('ssh-ed448', Buffer.alloc(57)), OTHER_TYPE],
    ['XMSS', line('ssh-xmss@openssh.com', 'x'), OTHER_TYPE],
    ['the name of a signature as type', line('rsa-sha2-256', EXPONENT, EXPONENT), OTHER_TYPE],
    ['X.509', line('x509v3-ssh-rsa', 'x'), OTHER_TYPE],
    [
      'a certificate',
      line('ssh-ed25519-cert-v01@openssh.com', 'nonce', ED25519_POINT),
      CERTIFICATE,
    ],
    ['a certificate of a token', line('sk-ssh-ed25519-cert-v01@openssh.com', 'x'), CERTIFICATE],
    ['an option before the key', `no-pty ${ED25519}`, OPTIONS],
    ['a command before the key', `command="sh -c 'x'" ${ED25519}`, OPTIONS],
    ['a host before the key', `example.com ${ED25519}`, OPTIONS],
    ['a marker before the key', `@revoked * ${ED25519}`, OPTIONS],
    ['a key in a comment line', `# ${ED25519}`, OPTIONS],
    ['comment lines alone', '# mine\n# yours', SEVERAL_LINES],
    ['two keys with a comment between', `${ED25519}\n# mine\n${ECDSA}`, SEVERAL_LINES],
    ['two keys below a comment', `# mine\n${ED25519}\n${ECDSA}`, SEVERAL_LINES],
    ['an option below a comment', `# mine\nno-pty ${ED25519}`, OPTIONS],
    ['two keys', `${ED25519}\n${ECDSA}`, SEVERAL_LINES],
    ['two keys in old Mac lines', `${ED25519}\r${ECDSA}`, SEVERAL_LINES],
    ['a key broken in two lines', ED25519.replace(' ', '\n'), SEVERAL_LINES],
    ['a broken key with a word below it', `${ED25519}\nAAAA`, SEVERAL_LINES],
    ['a broken key with a type below it', `ssh-ed25519 ${ED25519_BASE64}\n${ECDSA}`, SEVERAL_LINES],
    ['a key before something else', `${ED25519}\n# mine`, SEVERAL_LINES],
    ['no base64', 'ssh-ed25519 !!!!', NOT_BASE64],
    ['base64 without its end', `ssh-ed25519 ${ED25519_BASE64.slice(0, -1)}`, NOT_BASE64],
    ['base64 with needless padding', `ssh-ed25519 ${ED25519_BASE64}====`, NOT_BASE64],
    ['base64url', `ssh-ed25519 ${ED25519_BASE64.slice(0, -1)}-`, NOT_BASE64],
    ['unused bits in base64', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB==', NOT_BASE64],
    ['no data at all', 'ssh-ed25519 =', NOT_BASE64],
    ['a NUL in the comment', `${ED25519} a\0b`, CONTROL_CHARACTERS],
    ['an escape in the comment', `${ED25519} \u001B[2J`, CONTROL_CHARACTERS],
    ['a C1 control in the comment', `${ED25519} a\u0085b`, CONTROL_CHARACTERS],
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
    [
      'bytes after the key',
      line('ssh-ed25519', ED25519_POINT, ''),
      '4 bytes too many follow the key',
    ],
    [
      'a token key without its application',
      line('sk-ssh-ed25519@openssh.com', ED25519_POINT),
      'the key data ends before its application',
    ],
    [
      'a plain key with an application',
      line('ssh-ed25519', ED25519_POINT, 'ssh:'),
      '8 bytes too many follow the key',
    ],
    ['no modulus', line('ssh-rsa', EXPONENT), 'the key data ends before its modulus'],
  ])('refuses %s', (_, text, reason) => {
    expect(reasonAgainst(text)).toBe(reason)
  })

  test('refuses any text with a reason, or reads it', () => {
    const types = fc.constantFrom(...samples.map(({ type }) => type), 'ssh-dss', 'toString')
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.tuple(types, fc.string({ unit: anyCharacter })).map((parts) => parts.join(' ')),
      fc.tuple(types, fc.uint8Array()).map(([type, blob]) => lineOf(type, blob)),
      fc
        .tuple(types, fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 5 }))
        .map(([type, fields]) => line(type, ...fields)),
      fc
        .tuple(fc.constantFrom(...samples), fc.string({ unit: anyCharacter }))
        .map(([{ key }, comment]) => `${key}${comment}`),
    )
    fc.assert(
      fc.property(anything, (text) => {
        expect(text).toSatisfy(isAnswered)
      }),
      { numRuns: 1000 },
    )
  })

  test('refuses a sound text with some characters changed with a reason, or reads it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.nat(),
        fc.nat(4),
        fc.string({ unit: anyCharacter, maxLength: 3 }),
        ({ key }, place, cut, put) => {
          const at = place % key.length
          expect(key.slice(0, at) + put + key.slice(at + cut)).toSatisfy(isAnswered)
        },
      ),
      { numRuns: 500 },
    )
  })

  describe.each(samples)('of a key of type $title', ({ type, key }) => {
    const blob = blobOf(key)

    test('refuses every cut of the data', () => {
      for (let length = 0; length < blob.length; length++) {
        expect(readOrRefuse(lineOf(type, blob.subarray(0, length))), `${length}`).toBeTypeOf(
          'string',
        )
      }
    })

    test('refuses whatever follows the data', () => {
      fc.assert(
        fc.property(fc.uint8Array({ minLength: 1 }), (more) => {
          expect(reasonAgainst(lineOf(type, Buffer.concat([blob, more])))).toBe(
            `${more.length} bytes too many follow the key`,
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
            expect(readOrRefuse(lineOf(type, changed))).toBeTypeOf('string')
          }),
          { numRuns: 50 },
        )
        offset += 4 + length
      }
    })

    test('refuses a changed byte with a reason, or reads another key', () => {
      const { fingerprint } = parsePublicKey(key)
      fc.assert(
        fc.property(fc.nat(blob.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
          const changed = Buffer.from(blob)
          changed.writeUInt8(changed.readUInt8(at) ^ change, at)
          const text = lineOf(type, changed)
          expect(text).toSatisfy(isAnswered)
          expect(readOrRefuse(text)).not.toMatchObject({ fingerprint })
        }),
        { numRuns: 200 },
      )
    })
  })
})
