import { describe, expect, test } from 'vitest'
import { CURVES } from '../../src/core/crypto/curves.ts'
import { parsePublicKey } from '../../src/capabilities/ssh-keys/openssh.ts'
import {
  blobOf,
  ED25519,
  fieldsOf,
  line,
  readOrRefuse,
  reasonAgainst,
  rfc4716,
  samples,
  toBytes,
} from './key-texts.ts'
import { power, mod } from './numbers.ts'

test.each(samples)('reads RFC 4716 of $title whose lines end in CRLF', ({ key }) => {
  const text = `${rfc4716(blobOf(key), ['Comment: "my', 'x-y: z'].slice(1))}\n`.replaceAll(
    '\n',
    '\r\n',
  )
  expect(parsePublicKey(text).blob).toEqual(Uint8Array.from(blobOf(key)))
})

test.each(['ssh:\0', 'ssh:\0\0', 's\0sh:', '\0'])(
  'refuses the application %j of a token',
  (application) => {
    const [point = Buffer.of()] = fieldsOf(ED25519)
    expect(readOrRefuse(line('sk-ssh-ed25519@openssh.com', point, application))).toBeTypeOf(
      'string',
    )
  },
)

const ORDERS: Record<string, bigint> = {
  nistp256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  nistp384:
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  nistp521:
    0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
}
describe.each(CURVES)('ECDSA on $name', (curve) => {
  const size = Math.ceil(curve.bits / 8)
  const order = ORDERS[curve.name] ?? 0n
  const at = (least: bigint) => {
    for (let x = least; ; x++) {
      const square = mod(x ** 3n - 3n * x + curve.b, curve.p)
      const y = power(square, (curve.p + 1n) / 4n, curve.p)
      if (mod(y * y, curve.p) === square) {
        return line(
          `ecdsa-sha2-${curve.name}`,
          curve.name,
          Buffer.concat([Buffer.of(4), toBytes(x, size), toBytes(y, size)]),
        )
      }
    }
  }
  test.each([
    ['of half the bits or fewer', 0n],
    ['of half the bits or fewer', 2n ** 100n],
    ['not below the order less one', order - 1n],
  ])('refuses a coordinate %s', (_, least) => {
    expect(readOrRefuse(at(least))).toBeTypeOf('string')
  })
})

/** A text of 16 KiB that is mostly one thing. */
const fill = (head: string, middle: string, tail: string) =>
  head + middle.repeat(Math.floor((16_384 - head.length - tail.length) / middle.length)) + tail

test('answers what was built to hurt its patterns', () => {
  for (const text of [
    fill('x', ' ', 'x'),
    fill('x', '\r\n', 'x'),
    fill('ssh-ed25519 AAAA', '\t', '\u0001'),
    fill('---- BEGIN SSH2 PUBLIC KEY ----\nComment:', ' ', 'x\n---- END SSH2 PUBLIC KEY ----'),
    fill('-----BEGIN PUBLIC KEY-----\nAAAA', '\n', '-----END PUBLIC KEY----'),
    fill('-----BEGIN PUBLIC KEY-----', '\n', '!'),
  ]) {
    expect(reasonAgainst(text)).not.toMatch(/^none/)
  }
})

test.each([
  ['PGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----'],
  ['SSH 1', 'SSH PRIVATE KEY FILE FORMAT 1.1'],
  ['OpenSSH without its frame', 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmU='],
  ['more than 16 KiB', `-----BEGIN RSA PRIVATE KEY-----\n${'A'.repeat(20_000)}`],
])('knows a private key of %s', (_, text) => {
  expect(reasonAgainst(text)).toMatch(/^this is a private key, which must never be pasted anywhere/)
})

test('says that two SSH2 keys in one text are several', () => {
  const text = rfc4716(blobOf(ED25519))
  expect(reasonAgainst(`${text}\n${text}`)).toBe('it must be one key, there are several')
})
