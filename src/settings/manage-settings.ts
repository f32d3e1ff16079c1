import * as v from 'valibot'
import { type AuditEvent, logEvent } from '../audit/events.ts'
import { Refusal } from '../base/refusals.ts'
import { actAsOperator, type Operator } from '../access/operators.ts'
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

/** A setting with its current value. */
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
  const [changed] = await actAsOperator(deps, operator, selectChangedSettings(deps.db))
  const values = withAllDefaults(changed)
  return SETTINGS.map((definition) => ({ ...definition, value: values[definition.key] }))
}

/**
 * Sets the named settings, all or none of them; the others stay unchanged.
 *
 * @returns The keys whose value changed.
 * @throws {Refusal} `notAdmin`; `invalidBody`, naming the setting, for an unknown key, a read-only
 *   setting, or an invalid value; `unavailable` when D1 has the new values and the copy in KV could
 *   not be written: the same call again repairs it.
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
 * @returns The keys whose value changed.
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
  const event = eventOfChange(operator, deps.now())
  const [[remembered]] = await actAsOperator(
    deps,
    operator,
    insertEventOfChange(deps.db, operator, wanted, event),
    upsertSettings(deps.db, operator, wanted, event.at),
    deleteSettings(deps.db, operator, wanted, event.at),
  )
  if (remembered !== undefined) logEvent({ ...event, ...remembered })
  forgetSettings(deps)
  // Also when nothing changed: this may be the retry of a save whose copy was not written.
  await rebuildCopy(deps)
  return remembered?.detail.split(', ') ?? []
}

/**
 * Makes the event of a change. It names keys, not values: an announcement does not belong in the
 * log.
 */
function eventOfChange({ network, userAgent, ...operator }: Operator, at: number): AuditEvent {
  const userId = 'userId' in operator ? { userId: operator.userId } : {}
  return { at, kind: 'settings_changed', ...userId, network, userAgent }
}
