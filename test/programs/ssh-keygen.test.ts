import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePublicKey } from '../../src/capabilities/ssh-keys/openssh.ts'
import {
  blobOf,
  fieldsOf,
  line,
  lineOf,
  mpint,
  readOrRefuse,
  reasonAgainst,
  samples,
  toNumber,
  wire,
} from '../ssh-keys/key-texts.ts'

const isMissing = spawnSync('ssh-keygen', ['-?']).error !== undefined

const NEVER =
  'this is a private key, which must never be pasted anywhere; replace it by a new one and paste the .pub file'
const BETTER = 'make a better one with: ssh-keygen -t ed25519'
const OPTIONS = 'options in front of a key are not accepted, it must begin with its type'
const SEVERAL_LINES = 'it must be one key on one line'

const kinds = [
  { name: 'ed25519', flags: ['-t', 'ed25519'] },
  { name: 'ecdsa256', flags: ['-t', 'ecdsa', '-b', '256'] },
  { name: 'ecdsa384', flags: ['-t', 'ecdsa', '-b', '384'] },
  { name: 'ecdsa521', flags: ['-t', 'ecdsa', '-b', '521'] },
  { name: 'rsa2048', flags: ['-t', 'rsa', '-b', '2048'] },
  { name: 'rsa3072', flags: ['-t', 'rsa', '-b', '3072'] },
  { name: 'rsa4096', flags: ['-t', 'rsa', '-b', '4096'] },
]
const comments = ['', 'laptop', 'my key, of 2026', 'ключ 🔑 我的', '"quoted" back\\slash: #1']

let folder: string
const path = (name: string) => join(folder, name)

function keygen(...args: string[]): string {
  return execFileSync('ssh-keygen', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

function publicKey(name: string): string {
  return readFileSync(path(`${name}.pub`), 'utf8')
}

interface Listed {
  bits: number
  fingerprint: string
}

/** What `ssh-keygen -lf` says of each line of a file, by the comment of the line. */
function listAll(text: string): Map<string, Listed> {
  writeFileSync(path('listed'), text)
  const { stdout } = spawnSync('ssh-keygen', ['-lf', path('listed')], { encoding: 'utf8' })
  const lines = stdout.matchAll(/^(\d+) (\S+) (.*) \(\S+\)$/gm)
  return new Map(
    [...lines].map(([, bits, fingerprint = '', comment = '']) => [
      comment,
      { bits: Number(bits), fingerprint },
    ]),
  )
}

/** What `ssh-keygen -lf` says of the first key of a text; `undefined` when it finds none. */
function list(text: string): Listed | undefined {
  const [first] = listAll(text).values()
  return first
}

/** What we say of a text, as far as `ssh-keygen -lf` says it too. */
function parse(text: string): Listed {
  const { bits, fingerprint } = parsePublicKey(text)
  return { bits, fingerprint }
}

/** Ssh-keygen does not export Ed25519 in PEM, OpenSSL does. */
function exportEd25519(key: string): string {
  const x = fieldsOf(key)[0]?.toString('base64url') ?? ''
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
    .export({ format: 'pem', type: 'spki' })
    .toString()
}

/** The certificate of a key, by itself. */
function signed(name: string): string {
  keygen('-q', '-s', path(name), '-I', 'me', '-n', 'alice', path(`${name}.pub`))
  return readFileSync(path(`${name}-cert.pub`), 'utf8')
}

function ofPoint(...parts: Uint8Array[]): string {
  return line('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat(parts))
}

function ofModulus(n: bigint, e = 65_537n): string {
  return line('ssh-rsa', mpint(e), mpint(n))
}

describe.skipIf(isMissing)('beside ssh-keygen (skipped where it is not installed)', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-ssh-keygen-'))
    for (const { name, flags } of kinds)
      keygen('-q', '-N', '', '-C', '', ...flags, '-f', path(name))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  describe.each(kinds)('a fresh key, $name,', ({ name }) => {
    test.each(comments)('with the comment "%s" has its bits and fingerprint', (comment) => {
      keygen('-c', '-C', comment, '-f', path(name))
      const text = publicKey(name)
      expect(parse(text)).toEqual(list(text))
      expect(parsePublicKey(text)).toMatchObject({ comment, line: text.trim() })
    })

    test.each(['RFC4716', 'PKCS8', 'PEM'])('exported as %s keeps its fingerprint', (format) => {
      const text =
        name === 'ed25519' && format !== 'RFC4716'
          ? exportEd25519(publicKey(name))
          : keygen('-e', '-m', format, '-f', path(`${name}.pub`))
      expect(text).toMatch(/^----.*BEGIN.* PUBLIC KEY/)
      expect(parse(text)).toEqual(list(publicKey(name)))
    })
  })

  test('a key below lines of comment is the key', () => {
    for (const { key } of samples) expect(parse(`# mine\n\n# laptop\n${key}`)).toEqual(list(key))
  })

  test.each(['ssh:', 'ssh:work', 'ssh:ключ', ''])(
    'a key of a security token with the application "%s" has its bits and fingerprint',
    (application) => {
      const ed25519 = [...fieldsOf(publicKey('ed25519')), application]
      const ecdsa = [...fieldsOf(publicKey('ecdsa256')), application]
      for (const text of [
        line('sk-ssh-ed25519@openssh.com', ...ed25519),
        `${line('sk-ecdsa-sha2-nistp256@openssh.com', ...ecdsa)} token`,
      ]) {
        expect(parse(text)).toEqual(list(text))
      }
    },
  )

  describe('what it refuses is refused', () => {
    const [ed25519 = '', ecdsa = '', , rsa = ''] = [
      'ed25519',
      'ecdsa256',
      'ecdsa521',
      'rsa2048',
    ].map((title) => samples.find((sample) => sample.title === title)?.key ?? '')
    const [point = Buffer.of()] = fieldsOf(ed25519)
    const [, ecdsaPoint = Buffer.of()] = fieldsOf(ecdsa)
    const [exponent = Buffer.of(), modulus = Buffer.of()] = fieldsOf(rsa)
    const [base64 = ''] = ed25519.split(' ').slice(1)
    const x = ecdsaPoint.subarray(1, 33)
    const y = ecdsaPoint.subarray(33)
    test.each([
      ['nothing', ''],
      ['a word', 'hello'],
      ['two words', 'hello world'],
      ['a type alone', 'ssh-ed25519'],
      ['base64 alone', base64],
      ['a type in upper case', `SSH-ED25519 ${base64}`],
      ['an unknown type', line('ssh-ed448', Buffer.alloc(57))],
      ['a type that is another', `ssh-rsa ${base64}`],
      ['a certificate type before a plain key', `ssh-ed25519-cert-v01@openssh.com ${base64}`],
      ['a plain type before a token key', line('sk-ssh-ed25519@openssh.com', point).slice(3)],
      ['a byte order mark', `\uFEFFssh-ed25519 ${base64}`],
      ['a no-break space', `ssh-ed25519\u00A0${base64}`],
      ['a line break in the key', `ssh-ed25519 ${base64.slice(0, 20)}\n${base64.slice(20)}`],
      ['base64 cut by one', `ssh-ed25519 ${base64.slice(0, -1)}`],
      ['base64 cut by four', `ssh-ed25519 ${base64.slice(0, -4)}`],
      ['base64 padded for nothing', `ssh-ed25519 ${base64}====`],
      ['base64url', `ssh-ed25519 ${base64.slice(0, -1)}_`],
      ['no base64', `ssh-ed25519 ${base64.slice(0, -1)}!`],
      ['bits of base64 that are not used', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB=='],
      ['no data', 'ssh-ed25519 AAAA'],
      ['a length beyond the data', `ssh-ed25519 /////${base64.slice(5)}`],
      ['an Ed25519 key of 31 bytes', line('ssh-ed25519', point.subarray(1))],
      ['an Ed25519 key of 33 bytes', line('ssh-ed25519', Buffer.concat([point, Buffer.of(0)]))],
      ['an empty field after the key', line('ssh-ed25519', point, '')],
      ['a byte after the key', lineOf('ssh-ed25519', Buffer.concat([blobOf(ed25519), x]))],
      ['a token key without its application', line('sk-ssh-ed25519@openssh.com', point)],
      ['a plain key with an application', line('ssh-ed25519', point, 'ssh:')],
      ['a token key on another curve', line('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp384', x)],
      ['another name of the curve', line('ecdsa-sha2-nistp256', 'nistp384', ecdsaPoint)],
      ['an unknown curve', line('ecdsa-sha2-nistp256', 'secp256k1', ecdsaPoint)],
      ['a point off the curve', ofPoint(Buffer.of(4), y, x)],
      ['the point 0, 0', ofPoint(Buffer.of(4), Buffer.alloc(64))],
      ['a compressed point', ofPoint(Buffer.of(2 + ((y.at(-1) ?? 0) & 1)), x)],
      ['a hybrid point', ofPoint(Buffer.of(6 + ((y.at(-1) ?? 0) & 1)), x, y)],
      ['the point at infinity', ofPoint(Buffer.of(0))],
      ['no point', ofPoint()],
      ['RSA without a modulus', line('ssh-rsa', exponent)],
      ['a modulus of zero', line('ssh-rsa', exponent, '')],
      ['a negative modulus', line('ssh-rsa', exponent, modulus.subarray(1))],
      ['a negative exponent', line('ssh-rsa', Buffer.of(0xff), modulus)],
      ['RSA of 512 bits', line('ssh-rsa', exponent, mpint(2n ** 511n + 187n))],
      ['RSA of 1023 bits', line('ssh-rsa', exponent, mpint(2n ** 1022n + 187n))],
      ['RSA of 16385 bits', line('ssh-rsa', exponent, mpint(2n ** 16_384n + 187n))],
    ])('as %s', (_, text) => {
      expect(list(text)).toBeUndefined()
      expect(readOrRefuse(text)).toBeTypeOf('string')
    })

    /** A sound key with a bit flipped, cut, with some bytes more, or with another length. */
    const damage = fc.oneof(
      fc.nat().map((place) => (blob: Buffer) => {
        const at = place % (blob.length * 8)
        const flipped = Buffer.from(blob)
        flipped.writeUInt8(flipped.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3)
        return flipped
      }),
      fc.nat().map((length) => (blob: Buffer) => blob.subarray(0, length % blob.length)),
      fc
        .tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 5 }))
        .map(([place, put]) => (blob: Buffer) => {
          const at = place % (blob.length + 1)
          return Buffer.concat([blob.subarray(0, at), put, blob.subarray(at)])
        }),
      fc.tuple(fc.nat(3), fc.nat(300)).map(([field, length]) => (blob: Buffer) => {
        let at = 0
        for (let n = 0; n < field; n++) at = (at + 4 + blob.readUInt32BE(at)) % (blob.length - 4)
        const changed = Buffer.from(blob)
        changed.writeUInt32BE(length, Math.min(at, blob.length - 4))
        return changed
      }),
    )

    test('as any damage to the data', () => {
      const damaged = fc
        .sample(fc.tuple(fc.constantFrom(...samples), damage), 3000)
        .map(([{ type, key }, change], n) => `${lineOf(type, change(blobOf(key)))} n${n}`)
      const listed = listAll(damaged.join('\n'))
      const taken = damaged.map(readOrRefuse).filter((read) => typeof read !== 'string')
      expect(taken.length).toBeGreaterThan(100)
      for (const { comment, bits, fingerprint, line: text } of taken) {
        expect(listed.get(comment), text).toEqual({ bits, fingerprint })
      }
    })

    test('what it lists and we refuse, and why', () => {
      const n = toNumber(modulus)
      const zero = Buffer.of(0)
      const stricter: [deviation: string, text: string, reason: string][] = [
        // Whoever adds a key here may not say what its use is allowed to do: the service says it.
        ['options', `no-pty ${ed25519}`, OPTIONS],
        ['a command', `command="a b" ${ed25519}`, OPTIONS],
        ['a line of known_hosts', `example.com ${ed25519}`, OPTIONS],
        // One row is one key: with two, nobody would know which of them the title means.
        ['several keys', `${ed25519}\n${ecdsa}`, SEVERAL_LINES],
        ['garbage below', `${ed25519}\ngarbage`, SEVERAL_LINES],
        // Not seen on a page, and a terminal obeys them.
        ['control characters', `${ed25519} a\u0007`, 'its comment has control characters'],
        ['17 kB', `${ed25519} ${'x'.repeat(17_000)}`, 'it is longer than 16 KiB'],
        // Sshd would use the type of the data; a text that says another is a mistake or a trick.
        [
          'a signature as type',
          `rsa-sha2-256 ${rsa.slice(8)}`,
          'keys of this type are not accepted',
        ],
        // One value has one spelling, or one key had several fingerprints.
        [
          'a type that ends with NUL',
          lineOf('ssh-ed25519', Buffer.concat([wire('ssh-ed25519\0'), wire(point)])),
          'it says ssh-ed25519, its data is of another type',
        ],
        [
          'a curve that ends with NUL',
          line('ecdsa-sha2-nistp256', 'nistp256\0', ecdsaPoint),
          'its curve is not that of its type',
        ],
        [
          'zeros before a number',
          line('ssh-rsa', exponent, Buffer.concat([zero, modulus])),
          'its modulus has needless zeros in front',
        ],
        ['an exponent of zero', line('ssh-rsa', '', modulus), 'its exponent is zero'],
        // Somebody else may have the private half, or get it.
        ['RSA 1024', ofModulus(n >> 1024n), `an RSA key of 1024 bits can be broken`],
        ['RSA 2047', ofModulus(n >> 1n), `an RSA key of 2047 bits can be broken`],
        [
          'an exponent of 3',
          ofModulus(n, 3n),
          `its RSA exponent is 3, it should be 65537; ${BETTER}`,
        ],
        ['an even exponent', ofModulus(n, 65_538n), `its RSA exponent is 65538`],
        ['33 bits of exponent', ofModulus(n, 2n ** 32n + 1n), 'its RSA exponent is too large'],
        ['an even modulus', ofModulus(n - 1n), `its RSA modulus can be divided by 2; ${BETTER}`],
        [
          'an Ed25519 key of zeros',
          line('ssh-ed25519', Buffer.alloc(32)),
          `its Ed25519 point is of small order; ${BETTER}`,
        ],
        [
          'an Ed25519 key of ones',
          line('ssh-ed25519', Buffer.alloc(32, 0xff)),
          `its Ed25519 point is not in canonical form; ${BETTER}`,
        ],
        // So large that a signature takes seconds.
        [
          'RSA 16384',
          ofModulus(2n ** 16_383n + 187n),
          'an RSA key may have at most 8192 bits, not 16384',
        ],
        // It opens what its signer says, until when they say: no row here could hold that.
        ['a certificate', signed('ed25519'), 'this is a certificate, paste the plain public key'],
      ]
      for (const [deviation, text, reason] of stricter) {
        expect(list(text), deviation).toBeDefined()
        expect(reasonAgainst(text).slice(0, reason.length), deviation).toBe(reason)
      }
    })

    test('what it refuses and we convert, because people paste it', () => {
      for (const format of ['RFC4716', 'PKCS8', 'PEM']) {
        const text = keygen('-e', '-m', format, '-f', path('rsa2048.pub'))
        expect(list(text), format).toBeUndefined()
        expect(parse(text), format).toEqual(list(publicKey('rsa2048')))
      }
    })
  })

  describe('a fresh private key must never be pasted', () => {
    const forms = [
      ['of OpenSSH', ['-t', 'ed25519']],
      ['of OpenSSH, RSA', ['-t', 'rsa']],
      ['in PEM', ['-t', 'rsa', '-m', 'PEM']],
      ['in PEM, ECDSA', ['-t', 'ecdsa', '-m', 'PEM']],
      ['in PKCS#8', ['-t', 'ecdsa', '-m', 'PKCS8']],
      ['in PKCS#8, RSA', ['-t', 'rsa', '-m', 'PKCS8']],
    ] as const

    test.each(forms)('%s, open or encrypted', (_, flags) => {
      for (const passphrase of ['', 'correct horse']) {
        const file = path(`private-${passphrase.length}-${flags.join('')}`)
        keygen('-q', '-N', passphrase, ...flags, '-f', file)
        const text = readFileSync(file, 'utf8')
        const both = `${readFileSync(`${file}.pub`, 'utf8')}${text}`
        for (const pasted of [text, text.replaceAll('\n', '\r\n'), `  ${text.trim()}`, both]) {
          expect(reasonAgainst(pasted)).toBe(NEVER)
        }
      }
    })
  })
})
