import { type SQL, sql } from 'drizzle-orm'
import { settings } from '../../../schema/tables.ts'
import { type AuditEvent, insertEvents } from '../../core/audit/events.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { givesAccess, SETTING_FIELDS } from '../../core/access/field-guards.ts'
import { literal } from '../../core/database/literal.ts'
import { ALL_DEFAULTS, isSettingKey, type SettingKey } from './defaults.ts'

/** The new values of settings. Null means the default, for which there is no row. */
export type WantedSettings = { [Key in SettingKey]?: string | null }

/**
 * Writes an event, if any setting is about to change. Its detail names the settings whose rows will
 * differ, so it stands before the statements that change them.
 */
export function insertEventOfChange(
  db: Database,
  by: Authority,
  wanted: WantedSettings,
  event: AuditEvent,
) {
  const differing = sql`(
    select group_concat(wanted.key, ', ') as keys from ${differingOf(wanted)}
  ) as differing`
  const source = { from: differing, where: sql`differing.keys is not null` }
  return insertEvents(db, by, event, { detail: sql`differing.keys` }, source)
}

/**
 * Selects the keys of the settings whose new values give access (`SETTING_FIELDS`). A value that a
 * client sends back unchanged gives none.
 *
 * @param always Settings of which every other value does.
 */
export function selectGuarded(
  db: Database,
  wanted: WantedSettings,
  always: readonly SettingKey[] = [],
) {
  const cases = Object.keys(wanted)
    .filter(isSettingKey)
    .map((key) => (always.includes(key) ? sql` when ${literal(key)} then true` : whenGiving(key)))
  const gives = cases.length === 0 ? sql`false` : sql`case wanted.key ${sql.join(cases)} end`
  return db
    .select({ key: sql<string>`guarded.key`.as('key') })
    .from(sql`(select wanted.key as key from ${differingOf(wanted)} and ${gives}) as guarded`)
}

/** Null in D1 is the default. */
function whenGiving(key: SettingKey): SQL {
  const inherent = literal(ALL_DEFAULTS[key])
  const from = sql`coalesce(${settings.value}, ${inherent})`
  const to = sql`coalesce(wanted.value, ${inherent})`
  return sql` when ${literal(key)} then ${givesAccess(SETTING_FIELDS[key], from, to)}`
}

/** Holds while the rows of these settings would not differ. */
export function areKept(wanted: WantedSettings): SQL {
  return sql`not exists (select 1 from ${differingOf(wanted)})`
}

/** Writes the settings that differ from their defaults. */
export function upsertSettings(db: Database, by: Authority, wanted: WantedSettings) {
  return writing(db, by)
    .insert(
      settings,
      { key: sql`wanted.key`, value: sql`wanted.value` },
      { from: eachOf(wanted), where: sql`wanted.value is not null` },
    )
    .onConflictDoUpdate({ target: settings.key, set: { value: sql`excluded.value` } })
}

/** Deletes the rows of the settings that get their defaults. */
export function deleteSettings(db: Database, by: Authority, wanted: WantedSettings) {
  const isToBeDefault = sql`${settings.key} in (
    select wanted.key from ${eachOf(wanted)} where wanted.value is null
  )`
  return writing(db, by).delete(settings, isToBeDefault)
}

/** Those rows of `eachOf` that differ from the stored ones, and the condition of the statement. */
function differingOf(wanted: WantedSettings): SQL {
  return sql`${eachOf(wanted)}
    left join ${settings} on ${settings.key} = wanted.key
    where ${settings.value} is not wanted.value`
}

/** The wanted settings as rows of `wanted`, in one parameter. */
function eachOf(wanted: WantedSettings): SQL {
  return sql`json_each(${JSON.stringify(wanted)}) as wanted`
}
