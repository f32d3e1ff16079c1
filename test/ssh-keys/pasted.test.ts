import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePublicKey } from '../../src/capabilities/ssh-keys/openssh.ts'
import { anyCharacter } from '../support/any-character.ts'
import {
  blobOf,
  der,
  ECDSA,
  ED25519,
  isAnswered,
  fieldsOf,
  mpint,
  oid,
  pem,
  publicKeyInfo,
  reasonAgainst,
  rfc4716,
  RSA,
  rsaPublicKey,
  samples,
  toPublicKeyInfo,
} from './key-texts.ts'

const [ED25519_POINT = Buffer.of()] = fieldsOf(ED25519)
const [, ECDSA_POINT = Buffer.of()] = fieldsOf(ECDSA)
const [EXPONENT = Buffer.of(), MODULUS = Buffer.of()] = fieldsOf(RSA)
const NULL = der(0x05)
const TAGS = [0x02, 0x03, 0x06, 0x30]

function bare(key: string): string {
  return key.split(' ').slice(0, 2).join(' ')
}

/** PEM of SubjectPublicKeyInfo. */
function ofInfo(algorithm: Uint8Array[], key: Uint8Array): string {
  return pem('PUBLIC KEY', publicKeyInfo(algorithm, key))
}

/** One of these byte strings with something left out, or put in, or both. */
function damaged(originals: Buffer[]) {
  return fc
    .tuple(fc.constantFrom(...originals), fc.nat(), fc.nat(8), fc.uint8Array({ maxLength: 8 }))
    .map(([bytes, place, cut, put]) => {
      const at = place % bytes.length
      return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)])
    })
}

describe('parsePublicKey of an RFC 4716 text', () => {
  const BROKEN_FRAME = 'its SSH2 frame is broken'
  const NOT_BASE64 = 'its base64 is broken'
  const text = rfc4716(blobOf(RSA), ['Comment: "laptop"'])

  test.each(samples)('reads a key of type $title, without and with a comment', ({ key }) => {
    expect(parsePublicKey(rfc4716(blobOf(key))).line).toBe(bare(key))
    expect(parsePublicKey(`\n${rfc4716(blobOf(key), ['Comment: a  b'])}\n`)).toEqual(
      parsePublicKey(`${bare(key)} a  b`),
    )
  })

  test.each([
    ['quotes around a comment', ['Comment: "my laptop"'], 'my laptop'],
    ['one quote', ['Comment: 17" laptop'], '17" laptop'],
    ['a comment in any script', ['Comment: "ноутбук 🔑"'], 'ноутбук 🔑'],
    ['a header in any case', ['COMMENT: laptop'], 'laptop'],
    ['no blank after the colon', ['Comment:laptop'], 'laptop'],
    ['an empty comment', ['Comment: ""'], ''],
    ['a colon in a comment', ['Comment: at: home'], 'at: home'],
    ['other headers', ['Subject: me', 'Comment: laptop', 'x-made-by: hand'], 'laptop'],
    ['no comment among headers', ['Subject: me'], ''],
    ['a comment over two lines', ['Comment: "my lap\\', 'top"'], 'my laptop'],
  ])('reads %s', (_, headers, comment) => {
    expect(parsePublicKey(rfc4716(blobOf(ED25519), headers)).comment).toBe(comment)
  })

  test.each([
    ['no end', text.replace(/\n---- END.*/, ''), BROKEN_FRAME],
    ['a cut end', text.slice(0, -1), BROKEN_FRAME],
    ['nothing in it', rfc4716(Buffer.of()), BROKEN_FRAME],
    [
      'a header after the data',
      text.replace('\n---- END', '\nSubject: me\n---- END'),
      BROKEN_FRAME,
    ],
    ['a line of 73 characters', text.replace(/(.{70})\n(...)/, '$1$2\n'), BROKEN_FRAME],
    ['something behind it', `${text}\n${ED25519}`, BROKEN_FRAME],
    ['headers alone', rfc4716(Buffer.of(), ['Comment: x']), 'the key data ends before its type'],
    ['no base64', text.replace('AAAAB3', '!AAAB3'), NOT_BASE64],
    ['a line less', text.replace(/.{70}\n/, ''), NOT_BASE64],
    [
      'a control character in the comment',
      rfc4716(blobOf(ED25519), ['Comment: a\u0007b']),
      'its comment has control characters',
    ],
    [
      'a type that is not taken',
      rfc4716(Buffer.from('\0\0\0\u0007ssh-dss')),
      'DSA keys are broken and no server takes them, make one with: ssh-keygen -t ed25519',
    ],
    [
      'a name that is no type',
      rfc4716(Buffer.from('\0\0\0\u000Bconstructor')),
      'keys of this type are not accepted, make one with: ssh-keygen -t ed25519',
    ],
  ])('refuses %s', (_, broken, reason) => {
    expect(reasonAgainst(broken)).toBe(reason)
  })
})

describe('parsePublicKey of PEM', () => {
  const BROKEN_FRAME = 'its PEM frame is not that of one public key'
  const BROKEN_DER = 'its PEM holds no public key that can be read'
  const info = publicKeyInfo([oid('ed25519')], ED25519_POINT)
  const text = pem('PUBLIC KEY', info)

  test.each(samples.filter(({ type }) => !type.startsWith('sk-')))(
    'converts SubjectPublicKeyInfo of $title, whatever ends its lines',
    (sample) => {
      const converted = pem('PUBLIC KEY', toPublicKeyInfo(sample) ?? Buffer.of())
      for (const end of ['\n', '\r\n', '\r']) {
        expect(parsePublicKey(`${converted}\n`.replaceAll('\n', end))).toEqual(
          parsePublicKey(bare(sample.key)),
        )
      }
    },
  )

  test('converts RSAPublicKey', () => {
    const bytes = rsaPublicKey(MODULUS, EXPONENT)
    expect(parsePublicKey(pem('RSA PUBLIC KEY', bytes))).toEqual(parsePublicKey(bare(RSA)))
  })

  test.each([
    ['no end', text.replace(/\n-----END.*/, ''), BROKEN_FRAME],
    ['a cut end', text.slice(0, -1), BROKEN_FRAME],
    ['another end', text.replace('END PUBLIC', 'END RSA PUBLIC'), BROKEN_FRAME],
    [
      'nothing in it',
      pem('PUBLIC KEY', Buffer.of()),
      'its PEM holds no public key that can be read',
    ],
    ['two keys', `${text}\n${text}`, BROKEN_FRAME],
    ['something behind it', `${text}\n${ED25519}`, BROKEN_FRAME],
    ['a certificate', pem('CERTIFICATE', info), BROKEN_FRAME],
    ['parameters', pem('EC PARAMETERS', oid('nistp256')), BROKEN_FRAME],
    ['no base64', text.replace('MCow', 'MC-w'), BROKEN_FRAME],
    ['base64 without its end', text.replace(/\S\n-----END/, '\n-----END'), 'its base64 is broken'],
    ['RSAPublicKey under the other label', pem('RSA PUBLIC KEY', info), BROKEN_DER],
    ['no DER', pem('PUBLIC KEY', Buffer.from('hello')), BROKEN_DER],
    ['an indefinite length', pem('PUBLIC KEY', Buffer.of(0x30, 0x80, 0, 0)), BROKEN_DER],
    ['a length of three bytes', pem('PUBLIC KEY', Buffer.of(0x30, 0x83, 0, 0, 0)), BROKEN_DER],
    [
      'a length that is longer than it takes',
      pem('PUBLIC KEY', Buffer.concat([Buffer.of(0x30, 0x81), info.subarray(1)])),
      BROKEN_DER,
    ],
    ['bytes behind the key', pem('PUBLIC KEY', Buffer.concat([info, Buffer.of(0)])), BROKEN_DER],
    [
      'a third part of SubjectPublicKeyInfo',
      pem('PUBLIC KEY', der(0x30, info.subarray(2), NULL)),
      BROKEN_DER,
    ],
    [
      'a third part of RSAPublicKey',
      pem(
        'RSA PUBLIC KEY',
        der(0x30, rsaPublicKey(MODULUS, EXPONENT).subarray(4), der(0x02, EXPONENT)),
      ),
      BROKEN_DER,
    ],
    [
      'bits that are no whole bytes',
      pem(
        'PUBLIC KEY',
        der(0x30, der(0x30, oid('ed25519')), der(0x03, Buffer.of(1), ED25519_POINT)),
      ),
      BROKEN_DER,
    ],
    [
      'a key of an unknown algorithm',
      ofInfo([der(0x06, Buffer.from('2b656e', 'hex'))], ED25519_POINT),
      'its PEM holds a key of a type that SSH does not know',
    ],
    [
      'a key of an unknown curve',
      ofInfo([oid('ec'), der(0x06, Buffer.from('2b8104000a', 'hex'))], ECDSA_POINT),
      'its PEM holds a key of a type that SSH does not know',
    ],
    ['a curve given by its numbers', ofInfo([oid('ec'), der(0x30)], ECDSA_POINT), BROKEN_DER],
    [
      'a compressed point',
      ofInfo(
        [oid('ec'), oid('nistp256')],
        Buffer.concat([Buffer.of(2), ECDSA_POINT.subarray(1, 33)]),
      ),
      'its point is not an uncompressed one',
    ],
    [
      'the point of another curve',
      ofInfo([oid('ec'), oid('nistp384')], ECDSA_POINT),
      'its point is not an uncompressed one',
    ],
    [
      'a negative modulus',
      pem('RSA PUBLIC KEY', rsaPublicKey(MODULUS.subarray(1), EXPONENT)),
      'its modulus is negative',
    ],
    [
      'a weak key',
      pem('RSA PUBLIC KEY', rsaPublicKey(MODULUS, mpint(3n))),
      'its RSA exponent is 3, it should be 65537; make a better one with: ssh-keygen -t ed25519',
    ],
  ])('refuses %s', (_, broken, reason) => {
    expect(reasonAgainst(broken)).toBe(reason)
  })
})

describe('parsePublicKey of a private key', () => {
  const NEVER =
    'this is a private key, which must never be pasted anywhere; replace it by a new one and paste the .pub file'

  test.each([
    ['OpenSSH', '-----BEGIN OPENSSH PRIVATE KEY-----'],
    ['PKCS#1', '-----BEGIN RSA PRIVATE KEY-----'],
    ['SEC 1', '-----BEGIN EC PRIVATE KEY-----'],
    ['DSA', '-----BEGIN DSA PRIVATE KEY-----'],
    ['PKCS#8', '-----BEGIN PRIVATE KEY-----'],
    ['encrypted PKCS#8', '-----BEGIN ENCRYPTED PRIVATE KEY-----'],
    ['ssh.com', '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----'],
    ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519'],
    ['an older PuTTY', 'PuTTY-User-Key-File-2: ssh-rsa'],
  ])('says of one of %s that it must never be pasted anywhere', (_, head) => {
    for (const text of [
      head,
      ` \r\n${head}\r\nb3Bl\r\n`,
      `${ED25519}\n${head}`,
      `${head}\n${RSA}`,
    ]) {
      expect(reasonAgainst(text)).toBe(NEVER)
    }
  })
})

describe('parsePublicKey of any framed text', () => {
  const blobs = samples.map(({ key }) => blobOf(key))
  const infos = samples.map(toPublicKeyInfo).filter((bytes) => bytes !== undefined)
  const rsaKey = rsaPublicKey(MODULUS, EXPONENT)

  const frames = fc.oneof(
    damaged(blobs).map((blob) => rfc4716(blob, ['Comment: x'])),
    damaged(infos).map((bytes) => pem('PUBLIC KEY', bytes)),
    damaged([rsaKey]).map((bytes) => pem('RSA PUBLIC KEY', bytes)),
    fc.uint8Array().map((blob) => rfc4716(blob)),
    fc.uint8Array().map((bytes) => pem('PUBLIC KEY', bytes)),
    fc.array(fc.string({ unit: anyCharacter })).map((headers) => rfc4716(blobOf(ED25519), headers)),
  )

  test('refuses any data with a reason, or reads it', () => {
    fc.assert(
      fc.property(frames, (text) => {
        expect(text).toSatisfy(isAnswered)
      }),
      { numRuns: 1500 },
    )
  })

  test('refuses a frame with some characters changed with a reason, or reads it', () => {
    const texts = [
      ...blobs.map((blob) => rfc4716(blob, ['Subject: y', 'Comment: "x"'])),
      ...infos.map((bytes) => pem('PUBLIC KEY', bytes)),
      pem('RSA PUBLIC KEY', rsaKey),
    ].map((text) => Buffer.from(text))
    const lineEnds = [':', '\\\n', '\r\n', '-----', '"']
    const parts = fc.array(
      fc.oneof(fc.constantFrom(...lineEnds), fc.string({ unit: anyCharacter, maxLength: 2 })),
      { maxLength: 3 },
    )
    fc.assert(
      fc.property(damaged(texts), fc.nat(), parts, (bytes, place, put) => {
        const text = bytes.toString()
        const at = place % (text.length + 1)
        expect(text.slice(0, at) + put.join('') + text.slice(at)).toSatisfy(isAnswered)
      }),
      { numRuns: 1500 },
    )
  })

  test('refuses any other length in the DER with a reason, or reads it', () => {
    for (const info of infos) {
      const head = [...info.subarray(0, 40).entries()]
      for (const [at] of head.filter(([, byte]) => TAGS.includes(byte))) {
        for (let length = 0; length < 256; length++) {
          const changed = Buffer.from(info)
          changed.writeUInt8(length, at + 1)
          expect(pem('PUBLIC KEY', changed)).toSatisfy(isAnswered)
        }
      }
    }
  })
})
