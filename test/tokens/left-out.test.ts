import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { jwsAlgorithm, prepareKey, rawKey } from '../../src/left-out/jose.ts'

const HS256 = { name: 'HMAC', hash: 'SHA-256' }
const HS512 = { name: 'HMAC', hash: 'SHA-512' }
const AES = { name: 'AES-GCM', length: 256 }
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' }

const keys: [name: string, isGood: boolean, key: Promise<CryptoKey>][] = [
  ['HMAC with SHA-256', true, importKey(HS256, 'sign')],
  ['the same, to verify alone', false, importKey(HS256, 'verify')],
  ['HMAC with SHA-512', false, importKey(HS512, 'sign')],
  ['AES', false, importKey(AES, 'encrypt')],
  ['ECDSA', false, generatePrivateKey()],
]

function importKey(algorithm: typeof HS256 | typeof AES, usage: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new Uint8Array(32), algorithm, false, [usage])
}

async function generatePrivateKey(): Promise<CryptoKey> {
  const made = await crypto.subtle.generateKey(ECDSA, false, ['sign', 'verify'])
  return 'privateKey' in made ? made.privateKey : made
}

/** As jose asks for it (its `lib/jws_sign.js`). */
async function prepare(key: unknown): Promise<CryptoKey> {
  const algorithm = jwsAlgorithm('HS256')
  return rawKey(prepareKey(algorithm, key), algorithm.subtle, 'sign')
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

test.each(keys)(
  'the stand-in of jose takes the keys it takes here: %s',
  async (_, isGood, made) => {
    const key = await made
    // The tests have all of jose.
    const here = new SignJWT().setProtectedHeader({ alg: 'HS256' }).sign(key)
    await expect(Promise.all([here, prepare(key)].map(succeeds))).resolves.toEqual([isGood, isGood])
  },
)

test.each([new Uint8Array(32), { kty: 'oct', k: 'A'.repeat(43) }, undefined])(
  'the stand-in of jose takes no other keys',
  async (key) => {
    await expect(prepare(key)).rejects.toThrow(/secret CryptoKey.*\[alias\] in wrangler\.toml/)
  },
)

test.each(['none', 'HS384', 'RS256', 'hs256', '', undefined])(
  'in the bundle, jose knows no %s',
  (name) => {
    expect(() => jwsAlgorithm(name)).toThrow('only HS256 is in the bundle')
  },
)
