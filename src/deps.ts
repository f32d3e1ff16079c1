import { type Database, type Meter, openDatabase, orUnavailable } from './database.ts'
import type { ScryptCost } from './login/scrypt.ts'
import { Refusal } from './refusals.ts'
import type { SettingsMemory } from './settings/store.ts'
import { createKeyRing, type KeyRing } from './tokens/key-ring.ts'

export type { Database } from './database.ts'

/** All that a decision may touch of the world; tests put their own clock, randomness or faults here. */
export interface Deps {
  db: Database
  /** What this request has cost so far. */
  meter: Meter
  /** The copies of the public settings that are close to every reader. */
  kv: KVNamespace
  /** This isolate's own copy of the public settings. */
  settingsMemory: SettingsMemory
  /** @throws {Refusal} `internal` while `SECRET_KEYS` is missing or too short. */
  keyRing: () => Promise<KeyRing>
  /** Scrypt (RFC 7914), 32 bytes out, somewhere that may spend the CPU time. */
  hashPassword: (digest: string, salt: Uint8Array, cost: ScryptCost) => Promise<Uint8Array>
  /** Whether a network may try to sign in at all; a loose count, kept by the platform. */
  limitSignIns: (network: string) => Promise<boolean>
  /** Unix time, milliseconds. */
  now: () => number
  /** Lets time pass. */
  wait: (milliseconds: number) => Promise<void>
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
  /** How long a token lives. @throws {Refusal} `internal` when `TOKEN_HOURS` is no such time. */
  tokenSeconds: () => number
  /** Goes on with something after the answer. */
  defer: (work: Promise<unknown>) => void
}

const MAX_TOKEN_HOURS = 24 * 365

/** Objects a location keeps for hashing, so that sign-ins made at once seldom wait for each other. */
const HASHERS_PER_LOCATION = 16

/** What one isolate remembers between requests; nothing here is lost with it. */
const settingsMemory: SettingsMemory = {}

/** @param request Says where the nearest hasher is; none when nobody asks, as in a cron run. */
export function createDeps(
  env: Env,
  defer: Deps['defer'],
  request?: Request,
  deadlineMilliseconds?: number,
): Deps {
  const meter = { roundTrips: 0 }
  return {
    db: openDatabase(env.DB, meter, deadlineMilliseconds),
    meter,
    kv: env.SETTINGS,
    settingsMemory,
    keyRing: () => keyRingOf(env.SECRET_KEYS),
    hashPassword: (digest, salt, cost) =>
      orUnavailable(nearbyHasher(env, request).hash(digest, salt, cost)),
    limitSignIns: async (key) => (await orUnavailable(env.SIGN_IN_LIMITER.limit({ key }))).success,
    now: Date.now,
    wait,
    randomBytes,
    tokenSeconds: () => tokenSecondsOf(env.TOKEN_HOURS),
    defer,
  }
}

export async function wait(milliseconds: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}

function tokenSecondsOf(hours: string): number {
  const seconds = Number(hours) * 60 * 60
  if (Number.isSafeInteger(seconds) && seconds > 0 && Number(hours) <= MAX_TOKEN_HOURS)
    return seconds
  throw new Refusal('internal', {
    detail: `TOKEN_HOURS in wrangler.toml must be 1 to ${MAX_TOKEN_HOURS}, not "${hours}"`,
  })
}

/** A Durable Object lives where it was first called, so each location calls objects of its own. */
function nearbyHasher(env: Env, request?: Request) {
  const colo = request?.cf?.['colo']
  const location = typeof colo === 'string' ? colo : 'local'
  const slot = Math.floor(Math.random() * HASHERS_PER_LOCATION)
  return env.PASSWORD_HASHER.getByName(`${location}-${slot}`)
}

let lastKeyRing: { secrets: string | undefined; ring: Promise<KeyRing> } | undefined

/** Deriving costs a few HKDF runs; the secret of an isolate hardly ever changes. */
function keyRingOf(secrets: string | undefined): Promise<KeyRing> {
  if (lastKeyRing === undefined || lastKeyRing.secrets !== secrets) {
    lastKeyRing = { secrets, ring: createKeyRing(secrets) }
  }
  return lastKeyRing.ring
}
