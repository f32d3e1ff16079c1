import { notExists, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { namesInList, readGroupMap } from '../../core/accounts/group-lists.ts'
import { groupsNamed } from '../../core/accounts/groups.ts'
import { asAuthority } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { AuditEvent } from '../../core/audit/events.ts'
import { readReason } from '../../core/base/reasons.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { SettingsElsewhere } from '../../core/base/settings-elsewhere.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import { isActor, type Operator } from '../../core/access/operators.ts'
import { authorityOf, change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import { NO_SECRET, withoutForeignSecret } from './client-secret.ts'
import {
  areKept,
  deleteSettings,
  insertEventOfChange,
  selectGuarded,
  upsertSettings,
  type WantedSettings,
} from './operator-store.ts'
import { ALL_DEFAULTS, isSettingKey, type SettingKey } from './defaults.ts'
import { type SettingDefinition, SETTINGS } from './definitions.ts'
import { sealSetting } from './secret.ts'
import { forgetSettings, type SettingsDeps } from './copy.ts'
import { rebuildCopy, selectChangedSettings, withAllDefaults } from './store.ts'

/** A setting and its present value. */
export interface Setting extends SettingDefinition {
  /** Empty for a secret. */
  value: string
  /** Whether it differs from its default. */
  isChanged: boolean
}

type SettingsAdminDeps = ChangeDeps &
  ReaderDeps &
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
export async function listSettings(deps: ReaderDeps, operator: Operator): Promise<Setting[]> {
  const { changed } = await read(deps, of(operator), {
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
 * @param elsewhere Has some of them too, and they are written at both places or at neither.
 * @returns The keys of the settings that had another value.
 * @throws {Refusal} `notAdmin`; `invalidBody`, naming the setting, for an unknown key, one that
 *   can't be changed, or a bad value; `confirmationNeeded` for a value that gives access
 *   (`SETTING_FIELDS`) or is written elsewhere too; `groupNotFound`; the refusals of
 *   `SettingsElsewhere`; `unavailable` when all are set but KV still has an older public copy: the
 *   same call again writes it.
 */
export async function saveSettings(
  deps: SettingsAdminDeps,
  operator: Operator,
  values: Record<string, string>,
  elsewhere?: SettingsElsewhere,
): Promise<string[]> {
  const checked = Object.entries(values).map(([key, value]) => checkSetting(key, value))
  const foreign = checked.find(({ key }) => elsewhere?.alone.includes(key))
  if (foreign !== undefined)
    throw new Refusal('invalidBody', {
      field: foreign.key,
      reason: { code: 'ofFileServer', values: {} },
    })
  const wanted: WantedSettings = {}
  for (const { key, value, isSecret } of checked) {
    if (!isSecret) wanted[key] = value
    else if (value !== null) wanted[key] = await sealSetting(deps, key, value)
  }
  return writeBoth(deps, operator, wanted, elsewhere)
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
  elsewhere?: SettingsElsewhere,
): Promise<string[]> {
  const wanted = keys.map((key) => [describeSetting(key).key, null])
  return writeBoth(deps, operator, Object.fromEntries(wanted), elsewhere)
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

/**
 * Writes settings here, which may be refused, and then elsewhere. When that fails, those here get
 * their values back. What was never set here keeps the value that it has elsewhere.
 */
async function writeBoth(
  deps: SettingsAdminDeps,
  operator: Operator,
  wanted: WantedSettings,
  elsewhere: SettingsElsewhere | undefined,
): Promise<string[]> {
  const shared = elsewhere?.shared.filter(isSettingKey).filter((key) => key in wanted) ?? []
  if (elsewhere === undefined || shared.length === 0) return writeSettings(deps, operator, wanted)
  const settings = await listSettings(deps, operator)
  const before: WantedSettings = Object.fromEntries(
    settings
      .filter(({ key, isSecret }) => key in wanted && !isSecret)
      .map(({ key, value, isChanged }) => [key, isChanged ? value : null]),
  )
  const both = shared.filter((key) => (wanted[key] ?? before[key] ?? null) !== null)
  if (both.length === 0) return writeSettings(deps, operator, wanted)
  const writeElsewhere = await elsewhere.prepareSaving()
  const changed = await writeSettings(deps, operator, wanted, both)
  try {
    await writeElsewhere(
      Object.fromEntries(both.map((key) => [key, wanted[key] ?? ALL_DEFAULTS[key]])),
    )
  } catch (error) {
    await writeSettings(deps, operator, before, both)
    throw error
  }
  return changed
}

/** @param fresh Settings that need a fresh session for every other value. */
async function writeSettings(
  deps: SettingsAdminDeps,
  operator: Operator,
  asked: WantedSettings,
  fresh: readonly SettingKey[] = [],
): Promise<string[]> {
  const { db } = deps
  const { wanted, basis } = isActor(operator)
    ? await withoutForeignSecret(db, asked)
    : { wanted: asked, basis: undefined }
  const subject = of(operator)
  const names = namesOfGroupsIn(wanted)
  const groups = groupsNamed(names)
  const { missing, secretEvents, events } = await change(
    deps,
    subject,
    { kind: 'settings_changed' },
    ({ now, by: live, event }) => {
      const guarded = selectGuarded(db, wanted, fresh)
      const isProven = authorityOf(deps, subject, { fresh: true }, now)
      const isAllowed = sql`(${isProven} or (${live} and ${notExists(guarded)}))`
      const mayWrite = names.length === 0 ? isAllowed : sql`(${isAllowed} and ${groups.areThere})`
      const by = asAuthority(mayWrite)
      const byOutdated = basis && asAuthority(sql`(${mayWrite} and not ${areKept(basis)})`)
      const ofOperator = ownEvent(event)
      return {
        guarded,
        missing: names.length === 0 ? undefined : groups.selectMissing(db),
        // Another change may have come since `withoutForeignSecret` has read.
        secretEvents: byOutdated && insertEventOfChange(db, byOutdated, NO_SECRET, ofOperator),
        secretDeleted: byOutdated && deleteSettings(db, byOutdated, NO_SECRET),
        events: insertEventOfChange(db, by, wanted, ofOperator),
        upserted: upsertSettings(db, by, wanted),
        deleted: deleteSettings(db, by, wanted),
      }
    },
  )
  if (missing !== undefined && missing.length > 0) throw new Refusal('groupNotFound')
  forgetSettings(deps)
  // Also when nothing changed: this may be the second try of a save whose copy was not written.
  await rebuildCopy(deps)
  return [...(secretEvents ?? []), ...events].flatMap(({ detail }) => detail.split(', '))
}

/** Returns the names of groups in settings that name some. */
function namesOfGroupsIn({ register_groups: list, sso_group_map: map }: WantedSettings): string[] {
  return [...namesInList(list ?? ''), ...(readGroupMap(map ?? '')?.values() ?? [])]
}

/**
 * Makes an event of the site one of the operator's own. It names keys only: a value, such as an
 * announcement, stays out of the log.
 */
function ownEvent({ actorId: userId, ...event }: AuditEvent): AuditEvent {
  return userId === undefined ? event : { ...event, userId }
}
