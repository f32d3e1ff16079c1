/**
 * Stands in the Worker for all keys and algorithms that jose knows, but for those of our tokens:
 * HS256 with a `CryptoKey` (`[alias]` in `wrangler.toml`). jose's own modules make such keys of
 * JWKs, `KeyObject`s and bytes, and know 17 algorithms. What they check of a `CryptoKey`, these do,
 * too: a token can't be signed or verified with the key of something else.
 */
const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const HS256 = { alg: 'HS256', secret: true, subtle: HMAC, signing: HMAC }

/** @throws {Error} When this is another algorithm than HS256. */
export function jwsAlgorithm(name: unknown) {
  if (name === HS256.alg) return HS256
  throw new Error('only HS256 is in the bundle: see [alias] in wrangler.toml')
}

/** @throws {TypeError} When this is no secret `CryptoKey`. */
export function prepareKey(_: unknown, key: unknown): CryptoKey {
  if (key instanceof CryptoKey && key.type === 'secret') return key
  throw new TypeError('only a secret CryptoKey signs tokens: see [alias] in wrangler.toml')
}

/** @throws {TypeError} When the key is for something else. */
export function rawKey(key: CryptoKey, { name, hash }: typeof HMAC, usage: string): CryptoKey {
  const { algorithm, usages } = key
  const isFor = algorithm.name === name && 'hash' in algorithm && algorithm.hash?.name === hash
  if (isFor && usages.includes(usage)) return key
  throw new TypeError(`this CryptoKey is not one to ${usage} with ${name} and ${hash}`)
}

/** Of RSA keys. */
export function checkModulusLength(): never {
  throw new Error('only HS256 is in the bundle: see [alias] in wrangler.toml')
}
