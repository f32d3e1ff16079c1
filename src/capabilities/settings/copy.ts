import * as v from 'valibot'
import { orUnavailable } from '../../core/database/database.ts'
import { type Deps, loadWithDatabase } from '../../core/deps.ts'
import { CAPABILITY_KEYS, SETTING_KEYS, type Settings, VERSION } from './defaults.ts'
import { remembered } from '../../core/base/isolate-memory.ts'

// What a visitor's first request reads. It loads the database only where no copy is near.

/** The public settings, ready to be served. */
export interface PublicSettings {
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

async function readBeyondMemory(deps: SettingsDeps): Promise<PublicSettings> {
  const isCopyOld = deps.now() - settingsMemory(deps).savedAt < KV_LAG_MILLISECONDS
  const copy = isCopyOld ? undefined : await readCopy(deps.kv)
  if (copy !== undefined) return copy
  const { readDatabase, rebuildCopy } = await loadWithDatabase(() => import('./store.ts'))
  const current = await readDatabase(deps.db)
  if (isCopyOld) return current
  // If KV is down, the next reader asks D1 again.
  deps.defer(rebuildCopy(deps, current).catch(() => undefined))
  return current
}

/** @returns Whether KV accepted the write. */
export async function writeCopy(kv: KVNamespace, copy: PublicSettings): Promise<boolean> {
  const { body, etag, providerName } = copy
  const written = orUnavailable(kv.put(KV_KEY, body, { metadata: { etag, providerName } }))
  return written.then(
    () => true,
    () => false,
  )
}

export async function readCopy(kv: KVNamespace): Promise<PublicSettings | undefined> {
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
