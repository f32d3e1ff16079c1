import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import type { ScryptCost } from './login/scrypt.ts'
import type { SettingsMemory } from './settings/store.ts'
import { createKeyRing, type KeyRing } from './tokens/key-ring.ts'

export type Database = DrizzleD1Database

/** All that a decision may touch of the world; tests put their own clock, randomness or faults here. */
export interface Deps {
  db: Database
  /** The copies of the public settings that are close to every reader. */
  kv: KVNamespace
  /** This isolate's own copy of the public settings. */
  settingsMemory: SettingsMemory
  /** @throws {Refusal} `internal` while `SECRET_KEYS` is missing or too short. */
  keyRing: () => Promise<KeyRing>
  /** Scrypt (RFC 7914), 32 bytes out, somewhere that may spend the CPU time. */
  hashPassword: (digest: string, salt: Uint8Array, cost: ScryptCost) => Promise<Uint8Array>
  /** Unix time, milliseconds. */
  now: () => number
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
  tokenSeconds: number
}

const TOKEN_SECONDS = 48 * 60 * 60

/** Objects a location keeps for hashing: enough that one busy account does not queue up the others. */
const HASHERS_PER_LOCATION = 16

/** What one isolate remembers between requests; nothing here is lost with it. */
const settingsMemory: SettingsMemory = {}

export function createDeps(env: Env, request: Request): Deps {
  return {
    db: drizzle(env.DB),
    kv: env.SETTINGS,
    settingsMemory,
    keyRing: () => keyRingOf(env.SECRET_KEYS),
    hashPassword: (digest, salt, cost) => nearbyHasher(env, request).hash(digest, salt, cost),
    now: Date.now,
    randomBytes,
    tokenSeconds: TOKEN_SECONDS,
  }
}

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}

/** A Durable Object lives where it was first called, so each location calls objects of its own. */
function nearbyHasher(env: Env, request: Request) {
  const colo = request.cf?.['colo']
  const location = typeof colo === 'string' ? colo : 'local'
  const slot = Math.floor(Math.random() * HASHERS_PER_LOCATION)
  return env.PASSWORD_HASHER.getByName(`${location}-${slot}`)
}

let lastKeyRing: { secrets: string | undefined; ring: Promise<KeyRing> } | undefined

/** Deriving costs a few HKDF runs; the secret of an isolate hardly ever changes. */
function keyRingOf(secrets: string | undefined): Promise<KeyRing> {
  if (lastKeyRing?.secrets !== secrets || lastKeyRing === undefined) {
    lastKeyRing = { secrets, ring: createKeyRing(secrets) }
  }
  return lastKeyRing.ring
}
