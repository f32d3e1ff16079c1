import * as base64url from 'jose/base64url'
import { Refusal } from '../base/refusals.ts'

const MIN_SECRET_BYTES = 32

/** The value in `.dev.vars.example`, which "Deploy to Cloudflare" offers. It is no base64url. */
const EXAMPLE = 'replace this example'

type Secret = Uint8Array<ArrayBuffer>

/** The keys derived from one entry of `SECRET_KEYS`, one for each purpose. */
interface SecretKey {
  /** Identifies the entry in tokens and sealed boxes; reveals nothing of the secret. */
  id: string
  /** HMAC-SHA-256, for tokens. */
  token: CryptoKey
  /** AES-256-GCM, for values that are sealed at rest. */
  seal: CryptoKey
  /** HMAC-SHA-256, for unknown user names, which may be a password typed into the wrong field. */
  name: CryptoKey
  /** AES-256-GCM, for the session texts of passkey ceremonies, which clients keep for minutes. */
  ceremony: CryptoKey
  /** HMAC-SHA-256, for the passwords of users at the file server. */
  files: CryptoKey
  /** HMAC-SHA-256, for the ids of events that users see. */
  event: CryptoKey
}

/** The keys that seal. */
export type SealingPurpose = 'seal' | 'ceremony'

/** The keys of all entries, newest first: the first signs and seals, all verify and open. */
export interface KeyRing {
  current: SecretKey
  all: readonly SecretKey[]
  find: (id: string) => SecretKey | undefined
}

/**
 * Reads `SECRET_KEYS`: base64url texts of at least 32 random bytes each, separated by commas,
 * newest first.
 *
 * @returns The bytes of each, or one sentence that says what is wrong and what to do.
 */
export function parseSecretKeys(secrets: string | undefined): [Secret, ...Secret[]] | string {
  if (!secrets?.trim())
    return 'SECRET_KEYS is missing: run `npm run secrets` and follow what it prints'
  if (secrets.includes(EXAMPLE))
    return 'SECRET_KEYS still has the value of the example: make one with `npm run secrets`'
  const keys: Secret[] = []
  for (const [index, text] of secrets.split(',').entries()) {
    const bytes = decode(text.trim())
    if (bytes === undefined || bytes.length < MIN_SECRET_BYTES) {
      return `SECRET_KEYS, entry ${index + 1}, is not base64url of at least ${MIN_SECRET_BYTES} bytes: make one with \`npm run secrets\``
    }
    keys.push(bytes)
  }
  const [newest, ...older] = keys
  return newest === undefined ? 'SECRET_KEYS is empty' : [newest, ...older]
}

/** @throws {Refusal} `internal` when there is no usable secret; the detail says what to do. */
export async function createKeyRing(secrets: string | undefined): Promise<KeyRing> {
  const parsed = parseSecretKeys(secrets)
  if (typeof parsed === 'string') throw new Refusal('internal', { detail: parsed })
  const [newest, ...older] = parsed
  const current = await deriveKeys(newest)
  const keys = [current, ...(await Promise.all(older.map(deriveKeys)))]
  return { current, all: keys, find: (id) => keys.find((key) => key.id === id) }
}

/** Derives one key per purpose, so that a weakness in one use does not affect another. @see RFC 5869 */
async function deriveKeys(secret: Secret): Promise<SecretKey> {
  const root = await crypto.subtle.importKey('raw', secret, 'HKDF', false, [
    'deriveKey',
    'deriveBits',
  ])
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
  const aes = { name: 'AES-GCM', length: 256 }
  const [id, token, seal, name, ceremony, files, event] = await Promise.all([
    crypto.subtle.deriveBits(hkdf('key id'), root, 48),
    crypto.subtle.deriveKey(hkdf('token'), root, hmac, false, ['sign', 'verify']),
    crypto.subtle.deriveKey(hkdf('seal'), root, aes, false, ['encrypt', 'decrypt']),
    crypto.subtle.deriveKey(hkdf('name'), root, hmac, false, ['sign']),
    crypto.subtle.deriveKey(hkdf('ceremony'), root, aes, false, ['encrypt', 'decrypt']),
    crypto.subtle.deriveKey(hkdf('files'), root, hmac, false, ['sign']),
    crypto.subtle.deriveKey(hkdf('event'), root, hmac, false, ['sign']),
  ])
  return { id: base64url.encode(new Uint8Array(id)), token, seal, name, ceremony, files, event }
}

/**
 * Hashes a name for counters and events: the same name gives the same text, and the text does not
 * reveal the name.
 */
export async function hashName(ring: KeyRing, name: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', ring.current.name, new TextEncoder().encode(name))
  return base64url.encode(new Uint8Array(mac, 0, 16))
}

/**
 * Derives the password of a user at the file server: 256 bits, as base64url. A restored database
 * may give an id a second time, so the random `sub` of the account is part of it.
 *
 * @see RFC 5869: an HMAC under a derived key, over a text of its own for each user.
 */
export async function filesPassword(key: SecretKey, userId: number, sub: string): Promise<string> {
  const text = new TextEncoder().encode(`user ${userId} ${sub}`)
  const mac = await crypto.subtle.sign('HMAC', key.files, text)
  return base64url.encode(new Uint8Array(mac))
}

/**
 * Derives the id of an event that a user sees. The ids of the table count the events of all users:
 * a user who asks for a mail to the address of another could see from them whether one was sent.
 *
 * @returns 48 bits.
 */
export async function shownEventId(ring: KeyRing, id: number): Promise<number> {
  const text = new TextEncoder().encode(`event ${id}`)
  const mac = new DataView(await crypto.subtle.sign('HMAC', ring.current.event, text))
  return mac.getUint16(0) * 2 ** 32 + mac.getUint32(2)
}

function hkdf(purpose: string) {
  const info = new TextEncoder().encode(`latchkey/${purpose}`)
  return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
}

function decode(text: string): Secret | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined
  try {
    return new Uint8Array(base64url.decode(text))
  } catch {
    return undefined
  }
}
