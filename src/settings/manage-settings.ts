import * as v from 'valibot'
import { type AuditEvent, logEvent } from '../audit/events.ts'
import { Refusal } from '../base/refusals.ts'
import { actAsOperator, isOperator, type Operator } from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import {
  deleteSettings,
  insertEventOfChange,
  upsertSettings,
  type WantedSettings,
} from './operator-store.ts'
import { ALL_DEFAULTS } from './defaults.ts'
import { type SettingDefinition, SETTINGS } from './definitions.ts'
import {
  forgetSettings,
  rebuildCopy,
  selectChangedSettings,
  type SettingsDeps,
  withAllDefaults,
} from './store.ts'

/** A setting and its present value. */
export interface Setting extends SettingDefinition {
  value: string
}

type SettingsAdminDeps = ActorDeps & SettingsDeps

/** @throws {Refusal} `invalidBody`, naming the key, when there is no such setting. */
export function describeSetting(key: string): SettingDefinition {
  const setting = SETTINGS.find((definition) => definition.key === key)
  if (setting !== undefined) return setting
  throw new Refusal('invalidBody', { fill: `"${key}" is not a setting` })
}

/** Lists all settings from D1, in the order of `SETTINGS`. @throws {Refusal} `notAdmin`. */
export async function listSettings(deps: ActorDeps, operator: Operator): Promise<Setting[]> {
  const { changed } = await actAsOperator(deps, operator, {
    changed: selectChangedSettings(deps.db),
  })
  const values = withAllDefaults(changed)
  return SETTINGS.map((definition) => ({ ...definition, value: values[definition.key] }))
}

/**
 * Sets settings, all or none of them. A setting that `values` does not name keeps its value.
 *
 * @returns The keys of the settings that had another value.
 * @throws {Refusal} `notAdmin`; `invalidBody`, naming the setting, for an unknown key, one that
 *   can't be changed, or a bad value; `unavailable` when all are set but KV still has an older
 *   public copy: the same call again writes it.
 */
export function saveSettings(
  deps: SettingsAdminDeps,
  operator: Operator,
  values: Record<string, string>,
): Promise<string[]> {
  const wanted = Object.entries(values).map(([key, value]) => checkSetting(key, value))
  return writeSettings(deps, operator, Object.fromEntries(wanted))
}

/**
 * Resets settings to their defaults, all or none of them.
 *
 * @returns The keys of the settings that had another value.
 * @throws {Refusal} As `saveSettings`.
 */
export function resetSettings(
  deps: SettingsAdminDeps,
  operator: Operator,
  keys: readonly string[],
): Promise<string[]> {
  const wanted = keys.map((key) => [describeSetting(key).key, null])
  return writeSettings(deps, operator, Object.fromEntries(wanted))
}

function checkSetting(name: string, value: string): [key: string, value: string | null] {
  const { key, isReadOnly, check } = describeSetting(name)
  if (isReadOnly)
    throw new Refusal('invalidBody', { fill: `${key} can not be changed`, field: key })
  const checked = v.safeParse(check, value, { abortPipeEarly: true })
  if (!checked.success) {
    throw new Refusal('invalidBody', {
      fill: `${key} ${checked.issues[0].message}`,
      field: key,
    })
  }
  return [key, checked.output === ALL_DEFAULTS[key] ? null : checked.output]
}

async function writeSettings(
  deps: SettingsAdminDeps,
  operator: Operator,
  wanted: WantedSettings,
): Promise<string[]> {
  const { db } = deps
  const now = deps.now()
  const by = isOperator(db, operator, now)
  const event = eventOfChange(operator, now)
  const { events } = await actAsOperator(deps, operator, {
    events: insertEventOfChange(db, by, wanted, event),
    upserted: upsertSettings(db, by, wanted),
    deleted: deleteSettings(db, by, wanted),
  })
  const [changed] = events
  if (changed !== undefined) logEvent({ ...event, ...changed })
  forgetSettings(deps)
  // Also when nothing changed: this may be the second try of a save whose copy was not written.
  await rebuildCopy(deps)
  return changed?.detail.split(', ') ?? []
}

/**
 * The event of a change. It names keys only: a value, such as an announcement, stays out of the
 * log.
 */
function eventOfChange(
  { network, userAgent, country = '', ...operator }: Operator,
  at: number,
): AuditEvent {
  const userId = 'userId' in operator ? { userId: operator.userId } : {}
  return { at, kind: 'settings_changed', ...userId, network, userAgent, country }
}
