import { openCallersBookmark } from './crypto/sealed-bookmark.ts'
import type { SharedBatch } from './database/shared-batch.ts'
import { laterBookmark } from './database/bookmarks.ts'
import { createMeter, type Database, type Meter, orUnavailable } from './database/database.ts'
import { openWith } from './database/metered-d1.ts'
import type { drizzle } from './database/open-database.ts'
import { createIsolateMemory, type IsolateMemory } from './base/isolate-memory.ts'
import type { Language } from './base/language.ts'
import { type Load, loadPart } from './base/load-part.ts'
import { parsePasskeySite, type PasskeySite } from './base/passkey-site.ts'
import { parseEmail } from './base/email.ts'
import { nearestIssuer, parseIssuer } from './base/issuer.ts'
import { type SiteAddressBindings, siteAddressOf } from './base/site-address.ts'
import { type FileServer, type FileServerBindings, parseFileServer } from './base/file-server.ts'
import type { ScryptCost } from './crypto/scrypt.ts'
import type { NewSigningKey } from './crypto/signing-key.ts'
import { Refusal } from './base/refusals.ts'
import { createKeyRing, type KeyRing } from './crypto/key-ring.ts'

export type { Database } from './database/database.ts'

/**
 * Everything outside the program that a decision may use. Tests pass their own clock, randomness
 * and faults.
 */
export interface Deps {
  /** The primary database. Its answers are never stale. */
  db: Database
  /**
   * A database for reading, perhaps a replica, that has everything up to the caller's bookmark and
   * `bookmark`. It is `undefined` for callers that don't send bookmarks back: only the primary is
   * sure to have what they wrote.
   */
  nearbyDb: (bookmark: string | undefined) => Promise<Database | undefined>
  /** The state of the database that the caller has seen; `undefined` when the caller names none. */
  seenBookmark: () => Promise<string | undefined>
  /** The primary database for work after the answer, whose cost is not the request's. */
  backgroundDb: Database
  /** The cost of this request so far, and what it leaves to be sent. */
  meter: Meter
  /** The copies of the public settings near each reader. */
  kv: KVNamespace
  /** The memory of this isolate between requests. */
  isolateMemory: IsolateMemory
  /** @throws {Refusal} `internal` while `SECRET_KEYS` is missing or too short. */
  keyRing: () => Promise<KeyRing>
  /** Scrypt (RFC 7914) with 32 bytes of output. It runs where the CPU time is allowed. */
  hashPassword: (digest: string, salt: Uint8Array, cost: ScryptCost) => Promise<Uint8Array>
  /** Tells whether a network may try to sign in. The platform counts approximately. */
  limitSignIns: (network: string) => Promise<boolean>
  /** Unix time, milliseconds. */
  now: () => number
  wait: (milliseconds: number) => Promise<void>
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
  /** Seconds for which a token is valid. @throws {Refusal} `internal` when `TOKEN_HOURS` is invalid. */
  tokenSeconds: () => number
  /**
   * For how long a session stays fresh.
   *
   * @throws {Refusal} `internal` when `FRESH_MINUTES` is invalid.
   */
  freshSeconds: () => FreshSeconds
  /**
   * Reads the operator's settings for passkeys.
   *
   * @throws {Refusal} `internal` when `PASSKEY_RP_ID` or `PASSKEY_ORIGINS` is invalid.
   */
  passkeySite: () => PasskeySite
  /** Makes an RSA key where the CPU time is allowed. */
  makeSigningKey: () => Promise<NewSigningKey>
  /**
   * The issuer of ID tokens: what the operator has set, or the origin of the request.
   *
   * @throws {Refusal} `internal` when `ISSUER` is invalid.
   */
  issuer: (requestUrl: string) => string
  /** Replaces the address of Turnstile's check, in tests. */
  turnstileUrl: string | undefined
  /** Whether the operator has set it. Otherwise each program keeps the one it was told. */
  isIssuerSet: boolean
  /** The file server behind this site; `undefined` when the operator has set none. */
  fileServer: () => FileServer | undefined
  /** Continues the work after the answer was sent. */
  defer: (work: Promise<unknown>) => void
  /**
   * Sends a request to another server. It does not follow redirects.
   *
   * @param reach `public` refuses private addresses where the platform can reach any: under `npm
   *   start`. A deployed Worker reaches public addresses only.
   */
  sendOut: (url: string, init: RequestInit, reach: 'any' | 'public') => Promise<Response>
  /**
   * Sends an e-mail. It is `undefined` when neither the binding `EMAIL` nor, under `npm start`, an
   * SMTP server is there. It throws an error whose `code` says why the message was not taken.
   */
  sendEmail: ((message: EmailText) => Promise<unknown>) | undefined
  /**
   * The sender of mails to users; `undefined` when the operator has set none.
   *
   * @throws {Refusal} `internal` when `MAIL_FROM` is invalid.
   */
  mailFrom: () => string | undefined
  /**
   * The origin where this site answers, for links that leave it; `undefined` when it is not known.
   *
   * @throws {Refusal} `internal` when `SITE_ADDRESS` or `ISSUER` is invalid.
   */
  siteAddress: () => string | undefined
  /** Counts an answer. It is `undefined` when Workers Analytics Engine is not bound. */
  count: ((answer: CountedAnswer) => void) | undefined
}

/** An e-mail without attachments, to one recipient. */
export interface EmailText {
  to: string
  from: string
  subject: string
  text: string
  /** The same in HTML; without it, the message has the text only. */
  html?: string
  headers: Record<string, string>
}

/** The counted values of an answer. None identifies a user. */
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

/** Bindings that an operator may add to `wrangler.toml`, and those that the local start adds. */
export interface OptionalBindings extends FileServerBindings, SiteAddressBindings {
  /** `true` allows requests over plain http. Only `npm start` sets it, never a deployed Worker. */
  ALLOW_HTTP?: string | undefined
  /** Replaces the address of Turnstile's check. */
  TURNSTILE_VERIFY_URL?: string | undefined
  /** The secret of the front server (`http/front.ts`). Only `npm start` sets it. */
  FRONT_SECRET?: string | undefined
  ANALYTICS?: AnalyticsEngineDataset
  /** Sends e-mails. */
  EMAIL?: SendEmail
  /** Takes e-mails for the SMTP server of the operator. Only `npm start` sets it. */
  SMTP?: Fetcher
  MAIL_FROM?: string | undefined
  /** Reaches public addresses only. Only `npm start` sets it. */
  PUBLIC_NETWORK?: Fetcher
}

/**
 * A part of a run in time. It adds its statements to the batch before it waits for anything; they
 * run in the order of `src/capabilities.ts`, then each part goes on.
 */
export type RunPart = (run: { deps: Deps; now: number; batch: SharedBatch }) => Promise<unknown>

/**
 * Makes mails of a request that waits among them, such as one for a new password.
 *
 * @param request Its text, which was sealed.
 */
export type MakeMails = (
  deps: Pick<Deps, 'db' | 'now' | 'randomBytes' | 'keyRing'>,
  request: string,
  language: Language,
) => Promise<void>

const MAX_TOKEN_HOURS = 24 * 365
const MAX_FRESH_MINUTES = 365 * 24 * 60

/**
 * Number of hashing objects for each location. With several, concurrent sign-ins seldom wait for
 * each other.
 */
const HASHERS_PER_LOCATION = 16

/** A slower replica saves no time. The primary has the full deadline after it. */
const NEARBY_DEADLINE_MILLISECONDS = 2000

/** The memory of one isolate between requests. It can always be read again. */
const isolateMemory = createIsolateMemory()

let makeDrizzle: typeof drizzle | undefined

/**
 * Loads what queries are built with: Drizzle is a third of what most requests read first, and a
 * copy of the settings needs no database, nor does a query that is text already need Drizzle. Until
 * then, a database runs such queries only.
 */
export async function loadDatabase(): Promise<void> {
  const loaded = await import('./database/open-database.ts')
  makeDrizzle = loaded.drizzle
}

/** Loads a part that needs the database, where it may not be loaded yet. */
export async function loadWithDatabase<Part>(load: Load<Part>): Promise<Part> {
  const [part] = await Promise.all([loadPart(load), loadPart(loadDatabase)])
  return part
}

function loadedDrizzle(): typeof drizzle {
  if (makeDrizzle === undefined) throw new TypeError('the database is not loaded (loadDatabase)')
  return makeDrizzle
}

/** @param request The request, which gives the caller and its location; `undefined` in a cron run. */
export function createDeps(
  env: Env & OptionalBindings,
  defer: Deps['defer'],
  request?: Request,
  deadlineMilliseconds?: number,
): Deps {
  const meter = createMeter()
  let db: Database | undefined
  let seen: Promise<string | undefined> | undefined
  const keyRing = () => keyRingOf(env.SECRET_KEYS)
  const seenBookmark = async () =>
    request && (seen ??= openCallersBookmark(keyRing, request.headers))
  return {
    // Opened at the first use, because many requests need no database.
    get db() {
      return (db ??= openWith(loadedDrizzle, env.DB, meter, deadlineMilliseconds))
    },
    get backgroundDb() {
      return openWith(loadedDrizzle, env.DB, createMeter(), deadlineMilliseconds)
    },
    nearbyDb: async (bookmark) => {
      const callers = await seenBookmark()
      if (callers === undefined) return undefined
      const fresh = laterBookmark(callers, bookmark)
      return openWith(loadedDrizzle, env.DB, meter, NEARBY_DEADLINE_MILLISECONDS, fresh)
    },
    seenBookmark,
    meter,
    kv: env.SETTINGS,
    isolateMemory,
    keyRing,
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
    passkeySite: () => passkeySiteOf(env),
    makeSigningKey: () => orUnavailable(nearbyHasher(env, request).makeSigningKey()),
    issuer: (requestUrl) => issuerOf(env.ISSUER, requestUrl),
    turnstileUrl: env.TURNSTILE_VERIFY_URL,
    isIssuerSet: isSet(env.ISSUER),
    fileServer: () => fileServerOf(env),
    defer,
    sendOut: (url, init, reach) => {
      const options: RequestInit = { ...init, redirect: 'manual' }
      const network = reach === 'public' ? env.PUBLIC_NETWORK : undefined
      return network === undefined ? fetch(url, options) : network.fetch(url, options)
    },
    sendEmail: emailSenderOf(env),
    mailFrom: () => mailFromOf(env.MAIL_FROM),
    siteAddress: () => siteAddressIn(env),
    count: env.ANALYTICS && counterIn(env.ANALYTICS),
  }
}

export async function wait(milliseconds: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

function emailSenderOf({ EMAIL, SMTP, FRONT_SECRET }: OptionalBindings): Deps['sendEmail'] {
  if (EMAIL !== undefined) return (message) => EMAIL.send(message)
  if (SMTP === undefined || FRONT_SECRET === undefined) return undefined
  return (message) => handOver(SMTP, FRONT_SECRET, message)
}

/** Hands an e-mail to the process of `npm start`, which speaks SMTP (`cli/start/smtp.ts`). */
async function handOver(smtp: Fetcher, secret: string, message: EmailText): Promise<void> {
  const response = await smtp.fetch('http://smtp/', {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}` },
    body: JSON.stringify(message),
  })
  const code = await response.text()
  if (!response.ok) throw Object.assign(new Error('the e-mail was not sent'), { code })
}

/** @throws {Refusal} `internal` when the value is invalid. */
function mailFromOf(set: string | undefined): string | undefined {
  if (!set) return undefined
  const address = parseEmail(set)
  if (address !== undefined) return address
  throw new Refusal('internal', {
    detail: `MAIL_FROM must be an e-mail address such as accounts@example.org, not "${set}"`,
  })
}

/** @throws {Refusal} `internal` when the value is invalid. */
function siteAddressIn(bindings: SiteAddressBindings): string | undefined {
  const found = siteAddressOf(bindings)
  if ('address' in found) return found.address
  throw new Refusal('internal', { detail: found.problem })
}

/** Writes one data point for each answer. Queries rely on the order of its columns. */
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

/**
 * The default when `wrangler.toml` does not set the variable, perhaps because the file is older
 * than the variable.
 */
const DEFAULT_TOKEN_HOURS = '48'
const DEFAULT_FRESH_MINUTES = '10'

/** @throws {Refusal} `internal` when the value is invalid. The detail names the valid range. */
export function tokenSecondsOf(setHours: string | undefined): number {
  const hours = setHours ?? DEFAULT_TOKEN_HOURS
  const seconds = Number(hours) * 60 * 60
  if (Number.isSafeInteger(seconds) && seconds > 0 && Number(hours) <= MAX_TOKEN_HOURS)
    return seconds
  throw new Refusal('internal', {
    detail: `TOKEN_HOURS must be 1 to ${MAX_TOKEN_HOURS}, not "${hours}"`,
  })
}

/** Seconds, or `always` where the operator wants nobody asked again. */
type FreshSeconds = number | 'always'

/** @throws {Refusal} `internal` when the value is invalid. The detail names the valid range. */
export function freshSecondsOf(setMinutes: string | undefined): FreshSeconds {
  const minutes = setMinutes ?? DEFAULT_FRESH_MINUTES
  // An empty text would be the number 0.
  if (/^\d{1,6}$/.test(minutes) && Number(minutes) <= MAX_FRESH_MINUTES)
    return Number(minutes) === 0 ? 'always' : Number(minutes) * 60
  throw new Refusal('internal', {
    detail: `FRESH_MINUTES must be 0 to ${MAX_FRESH_MINUTES}, not "${minutes}"`,
  })
}

function passkeySiteOf({ PASSKEY_RP_ID: rpId, PASSKEY_ORIGINS: origins }: Env): PasskeySite {
  const site = parsePasskeySite(rpId, origins)
  if (typeof site !== 'string') return site
  throw new Refusal('internal', { detail: site })
}

function isSet(variable: string | undefined): boolean {
  return Boolean(variable)
}

/** @throws {Refusal} `internal` when the value is invalid. */
function issuerOf(set: string | undefined, requestUrl: string): string {
  if (!set) return new URL(requestUrl).origin
  const issuer = parseIssuer(set)
  if (issuer !== undefined) return issuer
  throw new Refusal('internal', {
    detail: `ISSUER must be an origin such as ${nearestIssuer(set)}, not "${set}"`,
  })
}

/**
 * Returns a hashing object near the request. A Durable Object stays where it was first called, so
 * each location has its own objects.
 */
function nearbyHasher(env: Env, request?: Request) {
  const colo = request?.cf?.['colo']
  const location = typeof colo === 'string' ? colo : 'local'
  const slot = Math.floor(Math.random() * HASHERS_PER_LOCATION)
  return env.PASSWORD_HASHER.getByName(`${location}-${slot}`)
}

const fileServers = new WeakMap<object, { server: FileServer | undefined }>()

/** Reads the bindings of the file server once: they stay as they are while the isolate lives. */
function fileServerOf(env: Env & OptionalBindings): FileServer | undefined {
  const known = fileServers.get(env)
  if (known !== undefined) return known.server
  const server = parseFileServer(env)
  fileServers.set(env, { server })
  return server
}

let lastKeyRing: { secrets: string | undefined; ring: Promise<KeyRing> } | undefined

/**
 * Returns the key ring, and keeps the last one: deriving it costs a few HKDF runs, and an isolate's
 * secret seldom changes.
 */
function keyRingOf(secrets: string | undefined): Promise<KeyRing> {
  if (lastKeyRing === undefined || lastKeyRing.secrets !== secrets) {
    lastKeyRing = { secrets, ring: createKeyRing(secrets) }
  }
  return lastKeyRing.ring
}
