import { compactVerify } from 'jose/jws/compact/verify'
import { decodeJwt } from 'jose/jwt/decode'
import * as v from 'valibot'
import { findPublicKey, type StoredSigningKey } from './keys.ts'

const claimsSchema = v.object({
  iss: v.string(),
  sub: v.string(),
  aud: v.string(),
  sid: v.optional(v.string()),
})

/** The claims of an ID token; `sid` is missing when the session had ended before. */
type HintClaims = v.InferOutput<typeof claimsSchema>

/**
 * Reads an ID token without any check, to learn which client it may be for.
 *
 * @returns `undefined` for a text of another form.
 */
export function readHint(hint: string): HintClaims | undefined {
  try {
    const claims = decodeJwt(hint)
    return v.is(claimsSchema, claims) ? claims : undefined
  } catch {
    return undefined
  }
}

/**
 * Verifies an ID token that a client shows again. It may have expired: clients keep it for this. A
 * logout token is signed with the same keys, and differs in its type.
 *
 * @returns `undefined` for everything but an ID token of this issuer for this client.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
 * @see RFC 8725 section 3.11
 */
export async function verifyHint(
  keys: readonly StoredSigningKey[],
  { issuer, clientId }: { issuer: string; clientId: string },
  hint: string,
): Promise<HintClaims | undefined> {
  const claims = readHint(hint)
  if (claims?.iss !== issuer || claims.aud !== clientId) return undefined
  try {
    const { protectedHeader } = await compactVerify(
      hint,
      async ({ kid }) => (await findPublicKey(keys, kid)) ?? refuse(),
      { algorithms: ['RS256'] },
    )
    return protectedHeader.typ === 'JWT' ? claims : undefined
  } catch {
    return undefined
  }
}

function refuse(): never {
  throw new TypeError('no such key')
}
