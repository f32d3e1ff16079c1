import { callersBookmark, laterBookmark } from './database/bookmarks.ts'
import {
  createMeter,
  type Database,
  type Meter,
  openDatabase,
  orUnavailable,
} from './database/database.ts'
import type { ScryptCost } from './crypto/scrypt.ts'
import { Refusal } from './base/refusals.ts'
import { createKeyRing, type KeyRing } from './crypto/key-ring.ts'

export type { Database } from './database/database.ts'

/**
 * One isolate's copy of the public settings. `settings/store.ts` declares its members.
 *
 * @public
 */
export interface SettingsMemory {}

/** All that a decision may touch of the world; tests put their own clock, randomness or faults here. */
export interface Deps {
  /** The primary: what is written or decided here is so everywhere. */
  db: Database
  /**
   * A database for reading, perhaps a replica, that knows what the caller has seen and what
   * `bookmark` stands for. `undefined` for callers who don't carry bookmarks from answer to
   * request: only the primary is sure to know what they wrote.
   */
  nearbyDb: (bookmark: string | undefined) => Database | undefined
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
  /**
   * For how long a session is fresh; 0 for ever. @throws {Refusal} `internal` when `FRESH_MINUTES`
   * is no such time.
   */
  freshSeconds: () => number
  /** Goes on with something after the answer. */
  defer: (work: Promise<unknown>) => void
  /** Counts an answer, where Workers Analytics Engine is bound. */
  count: ((answer: CountedAnswer) => void) | undefined
}

/** What is counted of an answer: nothing that names a person. */
interface CountedAnswer {
  method: string
  /** The pattern of the route, not the path. */
  route: string
  code: number
  milliseconds: number
  roundTrips: number
  rowsRead: number
  rowsWritten: number
}

/** What an operator may add to `wrangler.toml`, and what the local start adds. */
export interface OptionalBindings {
  /** `true` lets requests over plain http in; only `npm start` sets it, never a deployed Worker. */
  ALLOW_HTTP?: string | undefined
  ANALYTICS?: AnalyticsEngineDataset
}

const MAX_TOKEN_HOURS = 24 * 365
const MAX_FRESH_MINUTES = 365 * 24 * 60

/** Objects a location keeps for hashing, so that sign-ins made at once seldom wait for each other. */
const HASHERS_PER_LOCATION = 16

/** A replica that takes longer is no gain; the primary has the full time after it. */
const NEARBY_DEADLINE_MILLISECONDS = 2000

/** What one isolate remembers between requests; nothing here is lost with it. */
const settingsMemory: SettingsMemory = {}

/** @param request Says who asks, and from where; none when nobody does, as in a cron run. */
export function createDeps(
  env: Env & OptionalBindings,
  defer: Deps['defer'],
  request?: Request,
  deadlineMilliseconds?: number,
): Deps {
  const meter = createMeter()
  let db: Database | undefined
  return {
    // Opened when it is asked for: many requests need none.
    get db() {
      return (db ??= openDatabase(env.DB, meter, deadlineMilliseconds))
    },
    nearbyDb: (bookmark) => {
      const seen = request && callersBookmark(request.headers)
      if (seen === undefined) return undefined
      return openDatabase(
        env.DB,
        meter,
        NEARBY_DEADLINE_MILLISECONDS,
        laterBookmark(seen, bookmark),
      )
    },
    meter,
    kv: env.SETTINGS,
    settingsMemory,
    keyRing: () => keyRingOf(env.SECRET_KEYS),
    hashPassword: async (digest, salt, cost) => {
      const start = performance.now()
      try {
        return await orUnavailable(nearbyHasher(env, request).hash(digest, salt, cost))
      } finally {
        meter.hashMilliseconds += performance.now() - start
      }
    },
    limitSignIns: async (key) => (await orUnavailable(env.SIGN_IN_LIMITER.limit({ key }))).success,
    now: Date.now,
    wait,
    randomBytes,
    tokenSeconds: () => tokenSecondsOf(env.TOKEN_HOURS),
    freshSeconds: () => freshSecondsOf(env.FRESH_MINUTES),
    defer,
    count: env.ANALYTICS && counterIn(env.ANALYTICS),
  }
}

export async function wait(milliseconds: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

/** One data point an answer; the order of its columns is part of what queries rely on. */
function counterIn(dataset: AnalyticsEngineDataset): (answer: CountedAnswer) => void {
  return ({ method, route, code, milliseconds, roundTrips, rowsRead, rowsWritten }) =>
    dataset.writeDataPoint({
      indexes: [route],
      blobs: [method, route, String(code)],
      doubles: [milliseconds, roundTrips, rowsRead, rowsWritten],
    })
}

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length))
}

/** Of a `wrangler.toml` that doesn't say, perhaps because it is older than the variable. */
const DEFAULT_TOKEN_HOURS = '48'
const DEFAULT_FRESH_MINUTES = '10'

/** @throws {Refusal} `internal` when this is no such time, with what to do. */
export function tokenSecondsOf(setHours: string | undefined): number {
  const hours = setHours ?? DEFAULT_TOKEN_HOURS
  const seconds = Number(hours) * 60 * 60
  if (Number.isSafeInteger(seconds) && seconds > 0 && Number(hours) <= MAX_TOKEN_HOURS)
    return seconds
  throw new Refusal('internal', {
    detail: `TOKEN_HOURS in wrangler.toml must be 1 to ${MAX_TOKEN_HOURS}, not "${hours}"`,
  })
}

/** @throws {Refusal} `internal` when this is no such time, with what to do. */
export function freshSecondsOf(setMinutes: string | undefined): number {
  const minutes = setMinutes ?? DEFAULT_FRESH_MINUTES
  // An empty text is the number 0, which would never ask.
  if (/^\d{1,6}$/.test(minutes) && Number(minutes) <= MAX_FRESH_MINUTES) return Number(minutes) * 60
  throw new Refusal('internal', {
    detail: `FRESH_MINUTES in wrangler.toml must be 0 to ${MAX_FRESH_MINUTES}, not "${minutes}"`,
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
