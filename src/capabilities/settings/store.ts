import { eq, inArray } from 'drizzle-orm'
import { settings } from '../../../schema/tables.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { sha256Hex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  ALL_DEFAULTS,
  DEFAULT_SETTINGS,
  isCapabilityKey,
  isPublicKey,
  isSettingKey,
  type SettingKey,
  type Settings,
  VERSION,
} from './defaults.ts'
import { type PublicSettings, readCopy, type SettingsDeps, writeCopy } from './copy.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** 96 bits, so that two copies never share a tag by chance. */
const ETAG_DIGITS = 24

/** KV takes one write per second and key. */
const KV_WRITE_INTERVAL_MILLISECONDS = 1100
const MAX_REBUILDS = 4

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

/** Reads the public settings from D1. */
export async function readDatabase(db: Database): Promise<PublicSettings> {
  const changed = await selectChangedSettings(db)
  const providerName = changed.find(({ key }) => key === 'sso_name')?.value ?? ''
  return toPublic(withDefaults(changed), providerName)
}

async function toPublic(values: Settings, providerName: string): Promise<PublicSettings> {
  const body = JSON.stringify({ code: 200, message: 'success', data: values })
  const etag = `"${(await sha256Hex(body)).slice(0, ETAG_DIGITS)}"`
  return { values, body, etag, providerName }
}
