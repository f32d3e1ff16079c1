import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import * as v from 'valibot'
import { desc, ne, notExists, type SQL, sql } from 'drizzle-orm'
import { openidKeys } from '../../../schema/tables.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { type Authority, runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/database/database.ts'
import type { Deps } from '../../core/deps.ts'
import { openBox, sealBox } from '../../core/crypto/sealed-box.ts'
import { RS256 } from '../../core/crypto/signing-key.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { remembered } from '../../core/base/isolate-memory.ts'
import { logError } from '../../core/database/log.ts'
import type { Operator } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of } from '../../core/access/subject.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/**
 * A new key is shown for this long before it signs, so that every client and every place has read
 * it.
 */
export const KEY_NOTICE_SECONDS = 15 * 60

/** A copy in KV, one in an isolate and one at a client end before a new key signs. */
const KV_SECONDS = 300
const ISOLATE_MILLISECONDS = 60_000
/** After this time every place shows a new key. KV takes up to a minute to tell all places. */
export const SPREAD_SECONDS = 120
export const KEY_SET_SECONDS = 300

/** A key is shown for this long after the next one signs. The tokens that it signed end before. */
const SHOWN_MILLISECONDS = DAY_MILLISECONDS

const COPY = 'openid-jwks'

/** A public key of the key set. @see RFC 7517 section 4 */
interface Jwk {
  kty: 'RSA'
  n: string
  e: string
  kid: string
  alg: 'RS256'
  use: 'sig'
}

/** A key as it is stored. */
export type StoredSigningKey = typeof openidKeys.$inferSelect

/** Selects the keys that are shown, newest first. */
export function selectSigningKeys(db: Database, now: number) {
  return db
    .select()
    .from(openidKeys)
    .where(sql`not ${isOutdated(now)}`)
    .orderBy(desc(openidKeys.activeFrom))
}

/** Holds for a key that was replaced more than a day ago. */
function isOutdated(now: number): SQL {
  return sql`exists (select 1 from ${openidKeys} as later where later.active_from > ${openidKeys.activeFrom} and later.active_from <= ${now - SHOWN_MILLISECONDS})`
}

export function pruneKeys(db: Database, now: number) {
  return writing(db, THE_SERVICE).delete(openidKeys, isOutdated(now))
}

type KeyDeps = Pick<
  Deps,
  'db' | 'now' | 'keyRing' | 'randomBytes' | 'makeSigningKey' | 'kv' | 'isolateMemory'
>

/** Makes a key and seals it. Nothing is stored. */
async function makeKey(deps: KeyDeps, activeFrom: number): Promise<StoredSigningKey> {
  const [{ pkcs8, n, e }, ring] = await Promise.all([deps.makeSigningKey(), deps.keyRing()])
  const kid = await calculateJwkThumbprint({ kty: 'RSA', n, e })
  const jwk: Jwk = { kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' }
  const sealed = await sealBox(deps, ring, pkcs8, signingKeyUse(kid))
  return { id: kid, sealed, publicKey: JSON.stringify(jwk), activeFrom }
}

export function signingKeyUse(kid: string): string {
  return `signing key ${kid}`
}

/** Makes the first key when there is none. */
export async function ensureKey(
  deps: KeyDeps,
  stored?: readonly StoredSigningKey[],
): Promise<StoredSigningKey[]> {
  const { db } = deps
  const now = deps.now()
  const found = stored ?? (await selectSigningKeys(db, now))
  if (found.length > 0) return [...found]
  const key = await makeKey(deps, now)
  const isFirst = notExists(db.select({ id: openidKeys.id }).from(openidKeys))
  const { keys } = await runBatch(db, {
    inserted: insertKey(db, THE_SERVICE, key, isFirst),
    keys: selectSigningKeys(db, now),
  })
  await publishKeys(deps, keys)
  return keys
}

/** When a new key signs, and what becomes of the keys before it. */
export interface Rotation {
  /** Seconds for which the key is shown before it signs. */
  noticeSeconds: number
  /** The keys before it are deleted, because a thief may have them. */
  dropsOthers: boolean
}

/**
 * Makes a new key.
 *
 * @returns Its `kid`, when it signs, and until when the key before it is shown. Unix time,
 *   milliseconds.
 * @throws {Refusal} `notAdmin`.
 */
export async function rotateKey(
  deps: KeyDeps & ChangeDeps,
  operator: Operator,
  { noticeSeconds, dropsOthers }: Rotation,
): Promise<{ kid: string; activeFrom: number; oldShownUntil: number }> {
  const { db } = deps
  const now = deps.now()
  const key = await makeKey(deps, now + noticeSeconds * 1000)
  const { keys } = await change(
    deps,
    of(operator),
    { kind: 'signing_key_made', detail: key.id },
    ({ by, event }) => ({
      event: insertEvent(db, by, event),
      inserted: insertKey(db, by, key),
      deleted: dropsOthers
        ? writing(db, by).delete(openidKeys, ne(openidKeys.id, key.id))
        : undefined,
      keys: selectSigningKeys(db, now),
    }),
  )
  await publishKeys(deps, keys)
  const { id: kid, activeFrom } = key
  const oldShownUntil = dropsOthers ? now : activeFrom + SHOWN_MILLISECONDS
  return { kid, activeFrom, oldShownUntil }
}

function insertKey(db: Database, by: Authority, key: StoredSigningKey, where?: SQL) {
  return writing(db, by).insert(openidKeys, key, { where })
}

/**
 * The private keys that this isolate has imported. Importing one takes four times as long as
 * signing.
 */
const imported = new Map<string, Promise<CryptoKey>>()

interface KeySetMemory {
  /** The id of the key with which the isolate signed last, or empty. Its key set shows this key. */
  signedWith: string
  copy?: { text: string; until: number }
}

const keySetMemory = remembered('the key set of ID tokens', (): KeySetMemory => ({
  signedWith: '',
}))

/**
 * Returns the key that signs now: the newest one that is active.
 *
 * @throws {Refusal} `internal` when `SECRET_KEYS` doesn't open it.
 */
export async function signingKey(
  deps: Pick<Deps, 'now' | 'keyRing' | 'isolateMemory'>,
  keys: readonly StoredSigningKey[],
): Promise<{ kid: string; key: CryptoKey }> {
  const now = deps.now()
  const current = keys.find(({ activeFrom }) => activeFrom <= now) ?? keys.at(-1)
  if (current === undefined) throw new Refusal('internal', { detail: 'there is no signing key' })
  const { id: kid, sealed } = current
  const key = imported.get(kid) ?? importKey(deps, kid, sealed)
  imported.set(kid, key)
  keySetMemory(deps).signedWith = kid
  try {
    return { kid, key: await key }
  } catch (error) {
    imported.delete(kid)
    const why = error instanceof Error ? error.message : String(error)
    throw new Refusal('internal', { detail: `${why}: run latchkey signing-key rotate --now` })
  }
}

async function importKey({ keyRing }: Pick<Deps, 'keyRing'>, kid: string, sealed: string) {
  const pkcs8 = await openBox(await keyRing(), sealed, signingKeyUse(kid), `signing key ${kid}`)
  return crypto.subtle.importKey('pkcs8', pkcs8, RS256, false, ['sign'])
}

const publicJwkSchema = v.object({ kty: v.string(), n: v.string(), e: v.string() })

/** Returns the public key of a `kid`; `undefined` for an unknown one. */
export async function findPublicKey(
  keys: readonly StoredSigningKey[],
  kid: string | undefined,
): Promise<CryptoKey | undefined> {
  const found = keys.find(({ id }) => id === kid)
  if (found === undefined) return undefined
  const jwk = v.parse(publicJwkSchema, JSON.parse(found.publicKey))
  return crypto.subtle.importKey('jwk', jwk, RS256, false, ['verify'])
}

/**
 * Returns the key set as JSON: from this isolate, else from KV, else from D1. A copy without the
 * key with which this isolate has signed is too old. A site without keys gets its first one,
 * because some clients read the key set only once.
 *
 * @see RFC 7517 section 5
 */
export async function readKeySet(deps: KeyDeps): Promise<string> {
  const { kv, db } = deps
  const now = deps.now()
  const memory = keySetMemory(deps)
  const { signedWith: own, copy } = memory
  if (copy !== undefined && copy.until > now && copy.text.includes(own)) return copy.text
  const kept = await kv.get(COPY).catch((error: unknown) => logFailure('read', error))
  const text = kept?.includes(own)
    ? kept
    : await publishKeys(deps, await ensureKey(deps, await selectSigningKeys(db, now)))
  // That key was deleted since.
  if (!text.includes(own)) memory.signedWith = ''
  memory.copy = { text, until: now + ISOLATE_MILLISECONDS }
  return text
}

/** Forgets the key set of this isolate: another program may have replaced it. */
export function forgetKeySet(deps: Pick<Deps, 'isolateMemory'>): void {
  delete keySetMemory(deps).copy
}

/** Replaces the copies of the key set. When KV fails, its copy ends by itself. */
async function publishKeys(
  deps: Pick<Deps, 'kv' | 'isolateMemory'>,
  keys: readonly StoredSigningKey[],
): Promise<string> {
  const text = keySetOf(keys)
  forgetKeySet(deps)
  const options = { expirationTtl: KV_SECONDS }
  if (keys.length > 0)
    await deps.kv.put(COPY, text, options).catch((error: unknown) => logFailure('write', error))
  return text
}

/** The site works on with D1, but KV may show an old key set for five minutes. */
function logFailure(what: 'read' | 'write', error: unknown): null {
  logError(error, { part: `${what} the key set in KV` })
  return null
}

function keySetOf(keys: readonly StoredSigningKey[]): string {
  return `{"keys":[${keys.map(({ publicKey }) => publicKey).join()}]}`
}
