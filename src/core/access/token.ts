import type { JWTHeaderParameters } from 'jose'
import { JWTExpired } from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { Refusal } from '../base/refusals.ts'
import type { KeyRing } from '../crypto/key-ring.ts'
import { openBookmark } from '../crypto/sealed-bookmark.ts'
import type { Leniency } from './leniency.ts'

const AUDIENCE = 'latchkey'

/**
 * The claims of a token with a valid signature and valid times. Only D1 knows whether the session
 * is still live.
 */
export interface SessionClaims {
  sessionId: string
  userId: number
  /** Unix time, seconds. */
  issuedAtSeconds: number
  /** The state of the database in which the session began (`bookmarks.ts`). */
  bookmark?: string | undefined
  /** Set by `toEnrol` and `toConfirm`, never by a token. */
  mayLackFactor?: Leniency
}

/** A session that is about to begin. */
export interface NewSession extends Omit<SessionClaims, 'bookmark'> {
  /** Unix time, seconds. */
  expiresAtSeconds: number
}

/**
 * Signs the token of a session with the newest key: JWT, HS256.
 *
 * @param sealedBookmark The state of the database in which the session began.
 * @see RFC 7519 section 7.1
 */
export function signToken(
  ring: KeyRing,
  session: NewSession,
  sealedBookmark?: string,
): Promise<string> {
  return new SignJWT(sealedBookmark === undefined ? {} : { bookmark: sealedBookmark })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: ring.current.id })
    .setSubject(String(session.userId))
    .setJti(session.sessionId)
    .setAudience(AUDIENCE)
    .setIssuedAt(session.issuedAtSeconds)
    .setNotBefore(session.issuedAtSeconds)
    .setExpirationTime(session.expiresAtSeconds)
    .sign(ring.current.token)
}

/** A token with a valid signature, and the times between which it is valid. Unix time, seconds. */
interface Genuine {
  claims: SessionClaims
  notBeforeSeconds: number
  expiresAtSeconds: number
}

/**
 * The verified tokens of each key ring. A client sends the same token with many requests, so an
 * isolate checks the signature once. The times are checked at every request, and D1 checks the
 * session. Only verified tokens are stored, so forged tokens can't displace them.
 */
const genuineBy = new WeakMap<KeyRing, Map<string, Genuine>>()
/**
 * The number of tokens that an isolate remembers. It covers the users who are active in one isolate
 * at about the same time.
 */
const MAX_REMEMBERED = 100

/**
 * Checks everything about a token that needs no database.
 *
 * @param now Unix time, milliseconds.
 * @throws {Refusal} `tokenExpired` for a token of this site that has expired, `tokenInvalidated`
 *   for any other invalid token.
 * @see RFC 7515 section 5.2, RFC 7519 section 7.2, RFC 8725 section 3
 */
export async function verifyToken(
  ring: KeyRing,
  token: string,
  now: number,
): Promise<SessionClaims> {
  const remembered = genuineOf(ring)
  const known = remembered.get(token)
  if (known !== undefined && isTimely(known, now)) return known.claims
  const genuine = await verifyGenuine(ring, token, now)
  const [oldest] = remembered.keys()
  if (oldest !== undefined && remembered.size >= MAX_REMEMBERED) remembered.delete(oldest)
  remembered.set(token, genuine)
  return genuine.claims
}

function genuineOf(ring: KeyRing): Map<string, Genuine> {
  const genuine = genuineBy.get(ring) ?? new Map<string, Genuine>()
  genuineBy.set(ring, genuine)
  return genuine
}

function isTimely({ notBeforeSeconds, expiresAtSeconds }: Genuine, now: number): boolean {
  const seconds = now / 1000
  return notBeforeSeconds <= seconds && seconds < expiresAtSeconds
}

async function verifyGenuine(ring: KeyRing, token: string, now: number): Promise<Genuine> {
  // Three canonical base64url parts. A signature of 32 bytes leaves two unused bits in the 43rd character.
  // A decoder ignores them, so one token would otherwise have four spellings.
  if (!/^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/.test(token))
    throw new Refusal('tokenInvalidated')
  try {
    const { payload } = await jwtVerify(token, (header) => keyOf(ring, header), {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      requiredClaims: ['sub', 'jti', 'iat', 'nbf', 'exp'],
      currentDate: new Date(now),
    })
    const userId = Number(payload.sub)
    if (!Number.isSafeInteger(userId) || String(userId) !== payload.sub)
      throw new Refusal('tokenInvalidated')
    const claims = {
      sessionId: String(payload.jti),
      userId,
      issuedAtSeconds: Number(payload.iat),
      bookmark: await openBookmark(ring, payload['bookmark']),
    }
    return {
      claims,
      notBeforeSeconds: Number(payload.nbf),
      expiresAtSeconds: Number(payload.exp),
    }
  } catch (error) {
    throw new Refusal(error instanceof JWTExpired ? 'tokenExpired' : 'tokenInvalidated')
  }
}

function keyOf(ring: KeyRing, { kid }: JWTHeaderParameters): CryptoKey {
  const key = kid === undefined ? undefined : ring.find(kid)
  if (key === undefined) throw new Refusal('tokenInvalidated')
  return key.token
}
