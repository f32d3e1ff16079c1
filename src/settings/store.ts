import * as v from 'valibot'
import { settings } from '../../schema/tables.ts'
import { orUnavailable } from '../database.ts'
import type { Deps } from '../deps.ts'
import { sha256Hex } from '../encoding.ts'
import { DEFAULT_SETTINGS, isSettingKey, SETTING_KEYS, type Settings, VERSION } from './defaults.ts'

/** The public settings as they are served. */
export interface PublicSettings {
  values: Settings
  /** The whole answer as JSON text. */
  body: string
  etag: string
}

/** One isolate's copy, and when it was read. */
export interface SettingsMemory {
  copy?: PublicSettings
  readAt?: number
  /** A read that has begun (Unix time, milliseconds) and not ended. */
  reading?: { copy: Promise<PublicSettings>; since: number }
}

type SettingsDeps = Pick<Deps, 'db' | 'kv' | 'settingsMemory' | 'now'>

/** 96 bits: two settings never share a tag by chance. */
const ETAG_DIGITS = 24

const MEMORY_MILLISECONDS = 30_000
/** How long a request waits for another's read; that one may have been cancelled. */
const JOIN_MILLISECONDS = 1000
/** Nothing but the 28 members is ever served. */
const copySchema = v.strictObject({
  code: v.number(),
  message: v.string(),
  data: v.strictObject(v.entriesFromList(SETTING_KEYS, v.string())),
})
const metadataSchema = v.object({ etag: v.string() })
/** KV's own copy in each place; it allows no less. */
const KV_CACHE_SECONDS = 30
/** Defaults come with the code, so another version has a copy of its own. */
const KV_KEY = `public-settings/${VERSION}`

/**
 * Reads the public settings from the nearest place that has them: this isolate's memory, KV, D1.
 * Any one of them serves while the others are down.
 *
 * @throws When D1 and KV are both down and this isolate never read either.
 */
export async function readSettings(deps: SettingsDeps): Promise<PublicSettings> {
  const { copy, readAt = 0 } = deps.settingsMemory
  if (copy !== undefined && deps.now() - readAt < MEMORY_MILLISECONDS) return copy
  try {
    return remember(deps, await readOnce(deps))
  } catch (error) {
    if (copy === undefined) throw error
    return remember(deps, copy)
  }
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
    delete settingsMemory.reading
  }
}

async function readBeyondMemory(deps: SettingsDeps): Promise<PublicSettings> {
  return (await readCopy(deps.kv)) ?? (await rebuildCopy(deps))
}

/**
 * Makes the KV copy anew from what D1 holds; a KV that is down only means that the next reader asks
 * D1 again.
 */
export async function rebuildCopy(deps: SettingsDeps): Promise<PublicSettings> {
  const changed = await deps.db.select().from(settings)
  const copy = await toPublic(withDefaults(changed))
  const written = deps.kv.put(KV_KEY, copy.body, { metadata: { etag: copy.etag } })
  await orUnavailable(written).catch(() => undefined)
  return copy
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

function remember({ settingsMemory, now }: SettingsDeps, copy: PublicSettings): PublicSettings {
  settingsMemory.copy = copy
  settingsMemory.readAt = now()
  return copy
}

function withDefaults(changed: { key: string; value: string }[]): Settings {
  const values = { ...DEFAULT_SETTINGS }
  for (const { key, value } of changed) if (isSettingKey(key)) values[key] = value
  return values
}

async function toPublic(values: Settings): Promise<PublicSettings> {
  const body = JSON.stringify({ code: 200, message: 'success', data: values })
  return { values, body, etag: `"${(await sha256Hex(body)).slice(0, ETAG_DIGITS)}"` }
}
