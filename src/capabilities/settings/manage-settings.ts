import { notExists, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { asAuthority } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { type AuditEvent, logEvent } from '../../core/audit/events.ts'
import { readReason } from '../../core/base/reasons.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  isActor,
  isFreshOperator,
  isOperator,
  type Operator,
} from '../../core/access/operators.ts'
import type { ActorDeps } from '../../core/access/act-as.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import { NO_SECRET, withoutForeignSecret } from './client-secret.ts'
import {
  areKept,
  deleteSettings,
  insertEventOfChange,
  selectGuarded,
  upsertSettings,
  type WantedSettings,
} from './operator-store.ts'
import { ALL_DEFAULTS } from './defaults.ts'
import { type SettingDefinition, SETTINGS } from './definitions.ts'
import { sealSetting } from './secret.ts'
import {
  forgetSettings,
  rebuildCopy,
  selectChangedSettings,
  type SettingsDeps,
  withAllDefaults,
} from './store.ts'

/** A setting and its present value. */
export interface Setting extends SettingDefinition {
  /** Empty for a secret. */
  value: string
  /** Whether it differs from its default. */
  isChanged: boolean
}

type SettingsAdminDeps = ActorDeps &
  FreshnessDeps &
  SettingsDeps &
  Pick<Deps, 'keyRing' | 'randomBytes'>

/** @throws {Refusal} `invalidBody`, naming the key, when there is no such setting. */
export function describeSetting(key: string): SettingDefinition {
  const setting = SETTINGS.find((definition) => definition.key === key)
  if (setting !== undefined) return setting
  throw new Refusal('invalidBody', {
    field: `"${key}"`,
    reason: { code: 'notASetting', values: {} },
  })
}

/** Lists all settings from D1, in the order of `SETTINGS`. @throws {Refusal} `notAdmin`. */
export async function listSettings(deps: ActorDeps, operator: Operator): Promise<Setting[]> {
  const { changed } = await actAsOperator(deps, operator, {
    changed: selectChangedSettings(deps.db),
  })
  const values = withAllDefaults(changed)
  return SETTINGS.map((definition) => ({
    ...definition,
    value: definition.isSecret ? '' : values[definition.key],
    isChanged: values[definition.key] !== definition.default,
  }))
}

/**
 * Sets settings, all or none of them. A setting that `values` does not name keeps its value, and so
 * does a secret with an empty value, because lists show it that way.
 *
 * @returns The keys of the settings that had another value.
 * @throws {Refusal} `notAdmin`; `invalidBody`, naming the setting, for an unknown key, one that
 *   can't be changed, or a bad value; `confirmationNeeded` for a value that gives access
 *   (`SETTING_FIELDS`); `unavailable` when all are set but KV still has an older public copy: the
 *   same call again writes it.
 */
export async function saveSettings(
  deps: SettingsAdminDeps,
  operator: Operator,
  values: Record<string, string>,
): Promise<string[]> {
  const checked = Object.entries(values).map(([key, value]) => checkSetting(key, value))
  const wanted: WantedSettings = {}
  for (const { key, value, isSecret } of checked) {
    if (!isSecret) wanted[key] = value
    else if (value !== null) wanted[key] = await sealSetting(deps, key, value)
  }
  return writeSettings(deps, operator, wanted)
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

/** @returns The value null for the default. */
function checkSetting(name: string, value: string) {
  const { key, isReadOnly, isSecret, check } = describeSetting(name)
  if (isReadOnly)
    throw new Refusal('invalidBody', { field: key, reason: { code: 'fixed', values: {} } })
  const checked = v.safeParse(check, value, { abortPipeEarly: true })
  if (!checked.success) {
    throw new Refusal('invalidBody', { field: key, reason: readReason(checked.issues[0].message) })
  }
  return { key, isSecret, value: checked.output === ALL_DEFAULTS[key] ? null : checked.output }
}

async function writeSettings(
  deps: SettingsAdminDeps,
  operator: Operator,
  asked: WantedSettings,
): Promise<string[]> {
  const { db } = deps
  const { wanted, basis } = isActor(operator)
    ? await withoutForeignSecret(db, asked)
    : { wanted: asked, basis: undefined }
  const now = deps.now()
  const isProven = isFreshOperator(deps, operator, now)
  const givesNothing = notExists(selectGuarded(db, wanted))
  const mayWrite = sql`(${isProven} or (${isOperator(db, operator, now)} and ${givesNothing}))`
  const by = asAuthority(mayWrite)
  const byOutdated = basis && asAuthority(sql`(${mayWrite} and not ${areKept(basis)})`)
  const event = eventOfChange(operator, now)
  const { isFresh, guarded, secretEvents, events } = await actAsOperatorAt(deps, operator, now, {
    guarded: selectGuarded(db, wanted),
    // Another change may have come since `withoutForeignSecret` has read.
    secretEvents: byOutdated && insertEventOfChange(db, byOutdated, NO_SECRET, event),
    secretDeleted: byOutdated && deleteSettings(db, byOutdated, NO_SECRET),
    events: insertEventOfChange(db, by, wanted, event),
    upserted: upsertSettings(db, by, wanted),
    deleted: deleteSettings(db, by, wanted),
  })
  if (!isFresh && guarded.length > 0) throw new Refusal('confirmationNeeded')
  const changes = [...(secretEvents ?? []), ...events]
  for (const { detail } of changes) logEvent({ ...event, detail })
  forgetSettings(deps)
  // Also when nothing changed: this may be the second try of a save whose copy was not written.
  await rebuildCopy(deps)
  return changes.flatMap(({ detail }) => detail.split(', '))
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
