/** A new RSA key pair that signs ID tokens. */
export interface NewSigningKey {
  pkcs8: Uint8Array<ArrayBuffer>
  /** The modulus and the exponent as in a JWK. @see RFC 7518 section 6.3.1 */
  n: string
  e: string
}

export const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/**
 * Makes an RSA key of 2048 bits, which takes about 300 ms of CPU time: only the Durable Object and
 * the command line call it.
 */
export async function generateSigningKey(): Promise<NewSigningKey> {
  const parameters = { ...RS256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
  const pair = await crypto.subtle.generateKey(parameters, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('RSA keys come in pairs')
  const [pkcs8, jwk] = await Promise.all([
    crypto.subtle.exportKey('pkcs8', pair.privateKey),
    crypto.subtle.exportKey('jwk', pair.publicKey),
  ])
  if (!(pkcs8 instanceof ArrayBuffer) || !('n' in jwk) || !jwk.n || !jwk.e)
    throw new TypeError('the runtime exported no RSA key')
  return { pkcs8: new Uint8Array(pkcs8), n: jwk.n, e: jwk.e }
}
