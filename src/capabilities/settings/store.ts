import { eq, inArray } from 'drizzle-orm'
import * as v from 'valibot'
import { settings } from '../../../schema/tables.ts'
import { orUnavailable } from '../../core/database/database.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { sha256Hex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  ALL_DEFAULTS,
  CAPABILITY_KEYS,
  DEFAULT_SETTINGS,
  isCapabilityKey,
  isPublicKey,
  isSettingKey,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
  VERSION,
} from './defaults.ts'
import { remembered } from '../../core/base/isolate-memory.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** The public settings, ready to be served. */
interface PublicSettings {
  values: Settings
  /** The whole answer as JSON text. */
  body: string
  etag: string
  /** The name of the identity provider, which pages alone show; empty for none. */
  providerName: string
}

/** The copy of the public settings in an isolate. Times are Unix time, milliseconds. */
interface SettingsMemory {
  copy?: PublicSettings
  readAt: number
  /** The number of saves by this isolate, and the time of the last one. */
  saves: number
  savedAt: number
  /** The read that is in progress, and its start. */
  reading?: { copy: Promise<PublicSettings>; since: number }
}

export const settingsMemory = remembered('public settings', (): SettingsMemory => ({
  readAt: 0,
  saves: 0,
  savedAt: -Infinity,
}))

export type SettingsDeps = Pick<Deps, 'db' | 'kv' | 'isolateMemory' | 'now' | 'wait' | 'defer'>

/** 96 bits, so that two copies never share a tag by chance. */
const ETAG_DIGITS = 24

const MEMORY_MILLISECONDS = 30_000
/** How long a request waits for the read of another request, which may be cancelled. */
const JOIN_MILLISECONDS = 1000
/** A copy with any other member, or without one of these, is not served. */
const copySchema = v.strictObject({
  code: v.number(),
  message: v.string(),
  data: v.strictObject({
    ...v.entriesFromList(SETTING_KEYS, v.string()),
    ...v.entriesFromList(CAPABILITY_KEYS, v.exactOptional(v.literal('true'))),
  }),
})
const metadataSchema = v.object({ etag: v.string(), providerName: v.optional(v.string(), '') })
/** The lifetime of KV's cache in each location; KV allows no less. */
const KV_CACHE_SECONDS = 30
/** How long KV may return an older copy; its documents say "up to 60 seconds or more". */
const KV_LAG_MILLISECONDS = 90_000
/** KV takes one write per second and key. */
const KV_WRITE_INTERVAL_MILLISECONDS = 1100
const MAX_REBUILDS = 4
/** Defaults are part of the code, so each version has its own copy. */
const KV_KEY = `public-settings/${VERSION}`

/**
 * Reads the public settings from the nearest place that has them: this isolate's memory, KV, D1.
 * Any one of them serves while the others are down.
 *
 * @throws When D1 and KV are both down and this isolate has no copy in memory.
 */
export async function readSettings(deps: SettingsDeps): Promise<PublicSettings> {
  const { copy, readAt, saves } = settingsMemory(deps)
  if (copy !== undefined && deps.now() - readAt < MEMORY_MILLISECONDS) return copy
  try {
    return remember(deps, await readOnce(deps), saves)
  } catch (error) {
    if (copy === undefined) throw error
    return remember(deps, copy, saves)
  }
}

/** Makes the next read go to D1, after a save: KV is too slow to show an operator their own change. */
export function forgetSettings(deps: SettingsDeps): void {
  const memory = settingsMemory(deps)
  memory.readAt = 0
  memory.saves += 1
  memory.savedAt = deps.now()
  // A read that began before the save may return the old values.
  delete memory.reading
}

/** Reads KV or D1; concurrent requests of this isolate share one read. */
async function readOnce(deps: SettingsDeps): Promise<PublicSettings> {
  const { now } = deps
  const memory = settingsMemory(deps)
  const { reading } = memory
  if (reading !== undefined && now() - reading.since < JOIN_MILLISECONDS)
    return orUnavailable(reading.copy, JOIN_MILLISECONDS).catch(() => readBeyondMemory(deps))
  const copy = readBeyondMemory(deps)
  memory.reading = { copy, since: now() }
  try {
    return await copy
  } finally {
    if (memory.reading?.copy === copy) delete memory.reading
  }
}

/**
 * Rebuilds the KV copy from D1. KV has no conditional write, so a copy that was read before another
 * save may be written after that save's copy. Each writer therefore reads D1 again, and writes
 * again until both agree.
 *
 * @param justRead The settings, if the caller has just read them from D1.
 * @throws {Refusal} `unavailable` when they still differ after `MAX_REBUILDS` writes: D1 or KV is
 *   down, or other saves follow each other.
 */
export async function rebuildCopy(deps: SettingsDeps, justRead?: PublicSettings): Promise<void> {
  let copy = justRead ?? (await readDatabase(deps.db))
  for (let rebuilds = 0; rebuilds < MAX_REBUILDS; rebuilds++) {
    if (rebuilds > 0) await deps.wait(KV_WRITE_INTERVAL_MILLISECONDS)
    const isWritten = await writeCopy(deps.kv, copy)
    const current = await readDatabase(deps.db)
    if (isWritten && isSame(current, copy)) return
    copy = current
  }
  throw new Refusal('unavailable', { detail: 'the copy of the settings in KV differs from D1' })
}

/**
 * Compares the KV copy with D1.
 *
 * @returns `missing` also for a copy that can't be read; readers then use D1.
 */
export async function compareCopy(
  deps: Pick<Deps, 'db' | 'kv'>,
): Promise<'equal' | 'different' | 'missing'> {
  const [copy, truth] = await Promise.all([readCopy(deps.kv), readDatabase(deps.db)])
  if (copy === undefined) return 'missing'
  return isSame(copy, truth) ? 'equal' : 'different'
}

function isSame(a: PublicSettings, b: PublicSettings): boolean {
  return a.body === b.body && a.providerName === b.providerName
}

/** Selects the settings that operators have changed. */
export function selectChangedSettings(db: Database) {
  return db.select({ key: settings.key, value: settings.value }).from(settings)
}

/** Finds the value of one setting; `undefined` when it is not changed. */
export async function findChangedSetting(
  db: Database,
  key: SettingKey,
): Promise<string | undefined> {
  const selected = selectChangedSettings(db).where(eq(settings.key, key))
  const { found } = await runBatch(db, { found: selected })
  return found[0]?.value
}

/** Returns the time for which events are kept, in milliseconds. */
export async function eventRetention(db: Database): Promise<number> {
  const days = await findChangedSetting(db, 'event_retention_days')
  return retentionDays(days) * DAY_MILLISECONDS
}

/** Selects for how long events are kept, if an operator has changed it. */
export function selectRetention(db: Database) {
  return selectSettings(db, ['event_retention_days'])
}

/** @param changed The value of `selectRetention`; `undefined` for the default. */
export function retentionDays(changed: string | undefined): number {
  return Number(changed ?? ALL_DEFAULTS.event_retention_days)
}

/** Selects these settings, as far as they are changed. */
export function selectSettings(db: Database, keys: SettingKey[]) {
  return selectChangedSettings(db).where(inArray(settings.key, keys))
}

/** Adds the changed values to the defaults of all settings; ignores unknown keys and the version. */
export function withAllDefaults(
  changed: { key: string; value: string }[],
): Record<SettingKey, string> {
  const values = { ...ALL_DEFAULTS }
  for (const { key, value } of changed) if (isSettingKey(key)) values[key] = value
  return { ...values, version: VERSION }
}

/** Like `withAllDefaults`, for the public settings. */
function withDefaults(changed: { key: string; value: string }[]): Settings {
  const values: Settings = { ...DEFAULT_SETTINGS }
  for (const { key, value } of changed) {
    if (isPublicKey(key) && (!isCapabilityKey(key) || value === 'true')) values[key] = value
  }
  return { ...values, version: VERSION }
}

async function readBeyondMemory(deps: SettingsDeps): Promise<PublicSettings> {
  if (deps.now() - settingsMemory(deps).savedAt < KV_LAG_MILLISECONDS) return readDatabase(deps.db)
  const copy = await readCopy(deps.kv)
  if (copy !== undefined) return copy
  const current = await readDatabase(deps.db)
  // If KV is down, the next reader asks D1 again.
  deps.defer(rebuildCopy(deps, current).catch(() => undefined))
  return current
}

async function readDatabase(db: Database): Promise<PublicSettings> {
  const changed = await selectChangedSettings(db)
  const providerName = changed.find(({ key }) => key === 'sso_name')?.value ?? ''
  return toPublic(withDefaults(changed), providerName)
}

/** @returns Whether KV accepted the write. */
async function writeCopy(kv: KVNamespace, copy: PublicSettings): Promise<boolean> {
  const { body, etag, providerName } = copy
  const written = orUnavailable(kv.put(KV_KEY, body, { metadata: { etag, providerName } }))
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
    return { values: data, body: value, ...v.parse(metadataSchema, metadata) }
  } catch {
    return undefined
  }
}

/**
 * Keeps a copy in memory, unless another request has saved since the read began: the copy may then
 * be old.
 */
function remember(deps: SettingsDeps, copy: PublicSettings, savesBefore: number): PublicSettings {
  const memory = settingsMemory(deps)
  if (memory.saves === savesBefore) {
    memory.copy = copy
    memory.readAt = deps.now()
  }
  return copy
}

async function toPublic(values: Settings, providerName: string): Promise<PublicSettings> {
  const body = JSON.stringify({ code: 200, message: 'success', data: values })
  const etag = `"${(await sha256Hex(body)).slice(0, ETAG_DIGITS)}"`
  return { values, body, etag, providerName }
}
