import { eq } from 'drizzle-orm'
import * as v from 'valibot'
import { settings } from '../../schema/tables.ts'
import { orUnavailable } from '../database/database.ts'
import type { Database, Deps } from '../deps.ts'
import { sha256Hex } from '../base/encoding.ts'
import { Refusal } from '../base/refusals.ts'
import {
  ALL_DEFAULTS,
  DEFAULT_SETTINGS,
  isPublicKey,
  isSettingKey,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
  VERSION,
} from './defaults.ts'

/** The public settings as they are served. */
export interface PublicSettings {
  values: Settings
  /** The whole answer as JSON text. */
  body: string
  etag: string
}

declare module '../deps.ts' {
  interface SettingsMemory {
    copy?: PublicSettings
    /** Unix time, milliseconds. */
    readAt?: number
    /** How often this isolate has saved settings, and when it last did. */
    saves?: number
    savedAt?: number
    /** A read that has begun (Unix time, milliseconds) and not ended. */
    reading?: { copy: Promise<PublicSettings>; since: number }
  }
}

export type SettingsDeps = Pick<Deps, 'db' | 'kv' | 'settingsMemory' | 'now' | 'wait' | 'defer'>

/** 96 bits: two settings never share a tag by chance. */
const ETAG_DIGITS = 24

const MEMORY_MILLISECONDS = 30_000
/** How long a request waits for another's read; that one may have been cancelled. */
const JOIN_MILLISECONDS = 1000
/** A copy with any other member, or without one of these, is not served. */
const copySchema = v.strictObject({
  code: v.number(),
  message: v.string(),
  data: v.strictObject(v.entriesFromList(SETTING_KEYS, v.string())),
})
const metadataSchema = v.object({ etag: v.string() })
/** KV's own copy in each place; it allows no less. */
const KV_CACHE_SECONDS = 30
/** How long KV may go on showing an older copy: "up to 60 seconds or more", say its documents. */
const KV_LAG_MILLISECONDS = 90_000
/** KV takes one write a second for a key. */
const KV_WRITE_INTERVAL_MILLISECONDS = 1100
const MAX_REBUILDS = 4
/** Defaults come with the code, so another version has a copy of its own. */
const KV_KEY = `public-settings/${VERSION}`

/**
 * Reads the public settings from the nearest place that has them: this isolate's memory, KV, D1.
 * Any one of them serves while the others are down.
 *
 * @throws When D1 and KV are both down and this isolate never read either.
 */
export async function readSettings(deps: SettingsDeps): Promise<PublicSettings> {
  const { copy, readAt = 0, saves } = deps.settingsMemory
  if (copy !== undefined && deps.now() - readAt < MEMORY_MILLISECONDS) return copy
  try {
    return remember(deps, await readOnce(deps), saves)
  } catch (error) {
    if (copy === undefined) throw error
    return remember(deps, copy, saves)
  }
}

/** Makes the next read go to D1, after a save: KV is too slow to show an operator their own change. */
export function forgetSettings({ settingsMemory, now }: SettingsDeps): void {
  settingsMemory.readAt = 0
  settingsMemory.saves = (settingsMemory.saves ?? 0) + 1
  settingsMemory.savedAt = now()
  // What was begun before the save may show what there was before it.
  delete settingsMemory.reading
}

/** Reads beyond the memory, once for all requests of this isolate that need it at the same time. */
async function readOnce(deps: SettingsDeps): Promise<PublicSettings> {
  const { settingsMemory, now } = deps
  const { reading } = settingsMemory
  if (reading !== undefined && now() - reading.since < JOIN_MILLISECONDS)
    return orUnavailable(reading.copy, JOIN_MILLISECONDS).catch(() => readBeyondMemory(deps))
  const copy = readBeyondMemory(deps)
  settingsMemory.reading = { copy, since: now() }
  try {
    return await copy
  } finally {
    if (settingsMemory.reading?.copy === copy) delete settingsMemory.reading
  }
}

/**
 * Makes the KV copy anew from what D1 holds. KV can't compare before it writes, so a copy that was
 * read before somebody else's save may land after theirs: whoever has written looks at D1 again,
 * and writes again until both agree.
 *
 * @param justRead What D1 held a moment ago.
 * @throws {Refusal} `unavailable` when they don't in the end: D1 or KV is down, or saves never
 *   cease.
 */
export async function rebuildCopy(deps: SettingsDeps, justRead?: PublicSettings): Promise<void> {
  let copy = justRead ?? (await readDatabase(deps.db))
  for (let rebuilds = 0; rebuilds < MAX_REBUILDS; rebuilds++) {
    if (rebuilds > 0) await deps.wait(KV_WRITE_INTERVAL_MILLISECONDS)
    const isWritten = await writeCopy(deps.kv, copy)
    const current = await readDatabase(deps.db)
    if (isWritten && current.etag === copy.etag) return
    copy = current
  }
  throw new Refusal('unavailable', { detail: 'KV has no copy of the settings as they are in D1' })
}

/**
 * Holds the KV copy against what D1 says.
 *
 * @returns `missing` too for a copy that can't be read; a reader then asks D1.
 */
export async function compareCopy(
  deps: Pick<Deps, 'db' | 'kv'>,
): Promise<'equal' | 'different' | 'missing'> {
  const [copy, truth] = await Promise.all([readCopy(deps.kv), readDatabase(deps.db)])
  if (copy === undefined) return 'missing'
  return copy.body === truth.body ? 'equal' : 'different'
}

/** What operators changed. */
export function selectChangedSettings(db: Database) {
  return db.select({ key: settings.key, value: settings.value }).from(settings)
}

/** The value of one setting, if it was changed. */
export async function findChangedSetting(
  db: Database,
  key: SettingKey,
): Promise<string | undefined> {
  const [row] = await selectChangedSettings(db).where(eq(settings.key, key))
  return row?.value
}

/** All settings, of which some were changed; a row that is no setting, or not to be set, is nothing. */
export function withAllDefaults(
  changed: { key: string; value: string }[],
): Record<SettingKey, string> {
  const values = { ...ALL_DEFAULTS }
  for (const { key, value } of changed) if (isSettingKey(key)) values[key] = value
  return { ...values, version: VERSION }
}

/** As `withAllDefaults`, of the public settings. */
function withDefaults(changed: { key: string; value: string }[]): Settings {
  const values = { ...DEFAULT_SETTINGS }
  for (const { key, value } of changed) if (isPublicKey(key)) values[key] = value
  return { ...values, version: VERSION }
}

async function readBeyondMemory(deps: SettingsDeps): Promise<PublicSettings> {
  const { savedAt = -Infinity } = deps.settingsMemory
  if (deps.now() - savedAt < KV_LAG_MILLISECONDS) return readDatabase(deps.db)
  const copy = await readCopy(deps.kv)
  if (copy !== undefined) return copy
  const current = await readDatabase(deps.db)
  // A KV that is down only means that the next reader asks D1 again.
  deps.defer(rebuildCopy(deps, current).catch(() => undefined))
  return current
}

async function readDatabase(db: Database): Promise<PublicSettings> {
  return toPublic(withDefaults(await selectChangedSettings(db)))
}

/** @returns Whether KV took it. */
async function writeCopy(kv: KVNamespace, { body, etag }: PublicSettings): Promise<boolean> {
  const written = orUnavailable(kv.put(KV_KEY, body, { metadata: { etag } }))
  return written.then(
    () => true,
    () => false,
  )
}

async function readCopy(kv: KVNamespace): Promise<PublicSettings | undefined> {
  try {
    const options = { type: 'text', cacheTtl: KV_CACHE_SECONDS } as const
    const { value, metadata } = await orUnavailable(kv.getWithMetadata(KV_KEY, options))
    if (value === null) return undefined
    const { data } = v.parse(copySchema, JSON.parse(value))
    return { values: data, body: value, etag: v.parse(metadataSchema, metadata).etag }
  } catch {
    return undefined
  }
}

/** What was read while another request saved may be what was there before: it is not kept. */
function remember(
  { settingsMemory, now }: SettingsDeps,
  copy: PublicSettings,
  savesBefore: number | undefined,
): PublicSettings {
  if (settingsMemory.saves === savesBefore) {
    settingsMemory.copy = copy
    settingsMemory.readAt = now()
  }
  return copy
}

async function toPublic(values: Settings): Promise<PublicSettings> {
  const body = JSON.stringify({ code: 200, message: 'success', data: values })
  return { values, body, etag: `"${(await sha256Hex(body)).slice(0, ETAG_DIGITS)}"` }
}
