import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAuthenticatorData } from '../../src/capabilities/passkeys/authenticator-data.ts'
import { type Cbor, readCbor, readCborMap } from '../../src/capabilities/passkeys/cbor.ts'
import {
  verifyAssertion,
  verifyRegistration,
} from '../../src/capabilities/passkeys/verification.ts'
import { checkClientData } from '../../src/capabilities/passkeys/client-data.ts'
import { checkPublicKey, importPublicKey } from '../../src/capabilities/passkeys/cose.ts'
import { rawSignature } from '../../src/capabilities/passkeys/der.ts'
import { PasskeyError } from '../../src/capabilities/passkeys/reasons.ts'
import { parsePasskeySite, relyingPartyOf } from '../../src/core/base/passkey-site.ts'
import { fromBase64Url } from '../../src/core/base/encoding.ts'
import {
  type Bytes,
  base64url,
  bytesOf,
  cbor,
  concat,
  type CborPairs,
  derSignature,
  SoftwarePasskey,
} from '../support/passkey.ts'
import { anyWebUrl } from '../support/any-web-url.ts'

const fromHex = (hex: string): Bytes =>
  Uint8Array.from((hex.match(/../g) ?? []).map((byte) => parseInt(byte, 16)))
const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Uint8Array.from(bytes))

/** The reason of a refusal; fails for any other error. */
function reasonOf(parse: () => unknown): string {
  try {
    parse()
    return 'none'
  } catch (error) {
    if (error instanceof PasskeyError) return error.reason
    throw error
  }
}

async function reasonIn(verifying: Promise<unknown>): Promise<string> {
  return verifying.then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof PasskeyError) return error.reason
      throw error
    },
  )
}

describe('CBOR', () => {
  /** RFC 8949, appendix A. */
  test.each<[string, Cbor]>([
    ['00', 0],
    ['01', 1],
    ['0a', 10],
    ['17', 23],
    ['1818', 24],
    ['1819', 25],
    ['1864', 100],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['20', -1],
    ['29', -10],
    ['3863', -100],
    ['3903e7', -1000],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['40', new Uint8Array()],
    ['4401020304', Uint8Array.of(1, 2, 3, 4)],
    ['60', ''],
    ['6161', 'a'],
    ['6449455446', 'IETF'],
    ['62225c', '"\\'],
    ['62c3bc', 'ü'],
    ['63e6b0b4', '水'],
    ['64f0908591', '\u{10151}'],
    ['80', []],
    ['83010203', [1, 2, 3]],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['a0', new Map()],
    [
      'a201020304',
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
    [
      'a26161016162820203',
      new Map<string, Cbor>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
    ['826161a161626163', ['a', new Map([['b', 'c']])]],
  ])('reads %s', (hex, value) => {
    expect(readCbor(fromHex(hex))).toEqual({ value, end: hex.length / 2 })
  })

  test.each([
    ['a 64-bit integer', '1b000000e8d4a51000'],
    ['a bignum', 'c249010000000000000000'],
    ['a float', 'f93c00'],
    ['undefined', 'f7'],
    ['another simple value', 'f0'],
    ['a simple value in two bytes', 'f8ff'],
    ['a tag', 'c11a514b67b0'],
    ['a byte string of indefinite length', '5f42010243030405ff'],
    ['a text of indefinite length', '7f657374726561646d696e67ff'],
    ['an array of indefinite length', '9fff'],
    ['a map of indefinite length', 'bf61610161629f0203ffff'],
    ['a break alone', 'ff'],
    ['a reserved length', '1c'],
    ['0 in two bytes', '1800'],
    ['23 in two bytes', '1817'],
    ['255 in three bytes', '1900ff'],
    ['65535 in five bytes', '1a0000ffff'],
    ['a length in two bytes that fits one', '580161'],
    ['a repeated key', 'a201020103'],
    ['a key that is bytes', 'a1410102'],
    ['a key that is an array', 'a18001'],
    ['a text that is not UTF-8', '61ff'],
    ['a surrogate', '63eda080'],
    ['nothing', ''],
    ['an end too early', '83010'],
    ['a string that is longer than the bytes', '5affffffff00'],
    ['an array that is longer than the bytes', '9affffffff'],
    ['nine levels', `${'81'.repeat(9)}00`],
  ])('refuses %s', (_, hex) => {
    expect(reasonOf(() => readCbor(fromHex(hex)))).toBe('cbor')
  })

  test('reads eight levels', () => {
    expect(reasonOf(() => readCbor(fromHex(`${'81'.repeat(8)}00`)))).toBe('none')
  })

  test('refuses bytes after a map, and anything but a map where one is needed', () => {
    expect(reasonOf(() => readCborMap(fromHex('a000')))).toBe('cbor')
    expect(reasonOf(() => readCborMap(fromHex('80')))).toBe('cbor')
  })

  const leaf = fc.oneof(
    fc.integer({ min: -(2 ** 32), max: 2 ** 32 - 1 }),
    fc.string({ unit: 'grapheme' }),
    anyBytes,
    fc.boolean(),
    fc.constant(null),
  )
  const value = fc.letrec<{ value: Parameters<typeof cbor>[0] }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .uniqueArray(
          fc.tuple(fc.oneof(fc.integer({ min: -99, max: 99 }), fc.string()), tie('value')),
          {
            maxLength: 4,
            selector: ([key]) => key,
          },
        )
        .map((pairs): CborPairs => new Map(pairs)),
    ),
  })).value

  test('reads everything that authenticators write, and only to its end', () => {
    fc.assert(
      fc.property(value, anyBytes, (one, rest) => {
        const bytes = cbor(one)
        expect(readCbor(concat(bytes, rest))).toEqual({ value: one, end: bytes.length })
      }),
    )
  })

  test('is read in one form only: what was read is written again as it was', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        if (reasonOf(() => readCbor(bytes)) !== 'none') return
        const { value: read, end } = readCbor(bytes)
        expect(cbor(read)).toEqual(bytes.slice(0, end))
      }),
      { numRuns: 2000 },
    )
  })

  test('refuses every shorter form of a value', () => {
    fc.assert(
      fc.property(value, (item) => {
        const bytes = cbor(item)
        for (let end = 0; end < bytes.length; end++)
          expect(reasonOf(() => readCbor(bytes.slice(0, end)))).toBe('cbor')
      }),
      { numRuns: 50 },
    )
  })
})

/** The same bytes, read and written again; also when they can't be read. */
const rewritten = (der: Bytes): Bytes => {
  const raw = rawSignature(der)
  return raw === undefined ? der : derSignature(raw)
}

describe('an ECDSA signature in DER', () => {
  const scalar = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .filter((bytes) => bytes.some((byte) => byte !== 0))

  test('becomes its 64 bytes', () => {
    fc.assert(
      fc.property(scalar, scalar, fc.nat(31), (r, s, zeros) => {
        // Scalars with leading zeros are shorter in DER.
        const short = Uint8Array.from(r).fill(0, 0, zeros)
        if (short.every((byte) => byte === 0)) short[31] = 1
        const raw = concat(short, s)
        expect(rawSignature(derSignature(raw))).toEqual(raw)
      }),
    )
  })

  test('has one form only', () => {
    fc.assert(
      fc.property(scalar, scalar, fc.nat(), fc.integer({ min: 1, max: 255 }), (r, s, at, bits) => {
        const der = derSignature(concat(r, s))
        const changed = Uint8Array.from(der)
        const index = at % der.length
        changed[index] = (changed[index] ?? 0) ^ bits
        expect(rewritten(changed)).toEqual(changed)
      }),
      { numRuns: 1000 },
    )
  })

  test('is never read from random bytes in another form', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(rewritten(bytes)).toEqual(bytes)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['nothing', ''],
    ['an empty sequence', '3000'],
    ['one integer', '3003020101'],
    ['three integers', '3009020101020101020101'],
    ['a zero', '3006020100020101'],
    ['a negative integer', '3006020180020101'],
    ['a needless zero', '300702020001020101'],
    ['an empty integer', '30050200020101'],
    ['a trailing byte', '300602010102010100'],
    ['a long length', '308106020101020101'],
    ['another tag', '3106020101020101'],
    ['an integer of 33 bytes', `3026022101${'00'.repeat(32)}020101`],
  ])('is refused: %s', (_, hex) => {
    expect(rawSignature(fromHex(hex))).toBeUndefined()
  })

  test('of the smallest scalars is read', () => {
    const raw = new Uint8Array(64)
    raw[31] = raw[63] = 1
    expect(rawSignature(fromHex('3006020101020101'))).toEqual(raw)
  })
})

describe('random and altered bytes', () => {
  test('are refused by every parser, with nothing but its own error', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        reasonOf(() => readCborMap(bytes))
        reasonOf(() => parseAuthenticatorData(bytes))
        reasonOf(() => checkPublicKey(bytes))
        const expected = { type: 'webauthn.get' as const, challenge: bytes, origins: [] }
        expect(reasonOf(() => checkClientData(bytes, expected))).not.toBe('none')
        expect(await reasonIn(importPublicKey(bytes))).not.toBe('none')
      }),
      { numRuns: 500 },
    )
  })

  test('of client data that is JSON of another shape are refused', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const bytes = new TextEncoder().encode(json)
        const expected = {
          type: 'webauthn.get' as const,
          challenge: new Uint8Array(),
          origins: ['https://example.org'],
        }
        expect(reasonOf(() => checkClientData(bytes, expected))).not.toBe('none')
      }),
    )
  })

  test('of a key, but for its point, are refused', async () => {
    const { publicKey } = await SoftwarePasskey.make('EdDSA')
    // The last 32 bytes are the point; everything before it has one form.
    for (let bit = 0; bit < (publicKey.length - 32) * 8; bit++) {
      const changed = Uint8Array.from(publicKey)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(
        reasonOf(() => checkPublicKey(changed)),
        `bit ${bit}`,
      ).not.toBe('none')
    }
  })
})

/** W3C Web Authentication Level 3, section 16.2: ES256 credential with no attestation. */
const VECTOR = {
  origins: ['https://example.org'],
  rpId: 'example.org',
  id: fromHex('f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4'),
  registration: {
    challenge: fromHex('00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130'),
    clientDataJson: fromHex(
      '7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d4d507434557878475453746e63647134313759447742466938767049612d7077386f4f755657345441222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a20426b5165446a646354427258426941774a544c453551227d',
    ),
    attestationObject: fromHex(
      'a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b559000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220',
    ),
  },
  authentication: {
    challenge: fromHex('39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408'),
    clientDataJson: fromHex(
      '7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a5558543049393770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d',
    ),
    authenticatorData: fromHex(
      'bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000',
    ),
    signature: fromHex(
      '3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87',
    ),
  },
}

describe('the test vector of the specification', () => {
  const { origins, rpId, id, registration, authentication } = VECTOR
  const { challenge, clientDataJson, attestationObject } = registration
  const data = () => {
    const authData = readCborMap(attestationObject).get('authData')
    if (!(authData instanceof Uint8Array)) throw new Error('no authenticator data')
    return parseAuthenticatorData(authData)
  }

  test('parses as the specification says', () => {
    const { attested, ...flags } = data()
    expect(flags).toMatchObject({
      isUserPresent: true,
      isUserVerified: false,
      isBackupEligible: true,
      isBackedUp: true,
      signCount: 0,
    })
    expect(attested?.id).toEqual(id)
    expect(attested?.aaguid).toEqual(fromHex('8446ccb9ab1db374750b2367ff6f3a1f'))
    const create = { type: 'webauthn.create' as const, challenge, origins }
    expect(reasonOf(() => checkClientData(clientDataJson, create))).toBe('none')
  })

  test('has a right signature', async () => {
    const key = await importPublicKey(data().attested?.publicKey ?? new Uint8Array())
    expect(key.algorithm).toBe(-7)
    const { authenticatorData, signature } = authentication
    const digest = await crypto.subtle.digest('SHA-256', authentication.clientDataJson)
    const signed = concat(authenticatorData, new Uint8Array(digest))
    expect(await key.verify(signature, signed)).toBe(true)
    expect(await key.verify(signature, concat(signed, Uint8Array.of(0)))).toBe(false)
  })

  test('is refused only because its user was not verified', async () => {
    const expected = { origins, rpId, challenge }
    const response = { id, clientDataJson, attestationObject }
    expect(await reasonIn(verifyRegistration(expected, response))).toBe('user verification')
    const publicKey = data().attested?.publicKey ?? new Uint8Array()
    const asserted = verifyAssertion(
      { origins, rpId, challenge: authentication.challenge },
      { publicKey, signCount: 0, isBackupEligible: true },
      authentication,
    )
    expect(await reasonIn(asserted)).toBe('user verification')
  })
})

describe('base64url', () => {
  test('has one text for each byte string', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(bytesOf(base64url(bytes))).toEqual(bytes)
      }),
    )
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('A', 'B', '-', '_', '+', '/', '=', '.', ' '),
          maxLength: 9,
        }),
        (text) => {
          const bytes = fromBase64Url(text)
          expect(bytes === undefined ? text : base64url(bytes)).toBe(text)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('the relying party', () => {
  test('of any address is a host name, or none', () => {
    fc.assert(
      fc.property(anyWebUrl, (url) => {
        const found = relyingPartyOf(url, { rpId: undefined, origins: [] })
        if (found === undefined) return
        const { hostname, origin } = new URL(url)
        expect(found).toEqual({ rpId: hostname, origins: [origin] })
        expect(url.startsWith('https:') || hostname.endsWith('localhost')).toBe(true)
      }),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4Extended(),
          fc.ipV6().map((address) => `[${address}]`),
        ),
        (host) => {
          expect(
            relyingPartyOf(`https://${host}/`, { rpId: undefined, origins: [] }),
          ).toBeUndefined()
        },
      ),
    )
  })

  test('of an operator is never read from anything else than a host name', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (rpId, origins) => {
        const site = parsePasskeySite(rpId, origins)
        const said = typeof site === 'string' ? site.slice(0, 8) : (site.rpId ?? '')
        expect(['PASSKEY_', rpId]).toContain(said)
      }),
    )
  })
})
