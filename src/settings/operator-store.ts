import { and, sql } from 'drizzle-orm'
import { auditEvents, settings } from '../../schema/tables.ts'
import { type AuditEvent, eventRow } from '../audit/events.ts'
import type { Database } from '../deps.ts'
import { isOperator, type Operator } from '../access/operators.ts'
import type { SettingKey } from './defaults.ts'

/** The wanted values by key; null means the default, which has no row. */
export type WantedSettings = { [Key in SettingKey]?: string | null }

/**
 * Inserts the event of a change, if any setting changes. It runs before the statements that write,
 * and its detail names the keys whose rows will change.
 */
export function insertEventOfChange(
  db: Database,
  operator: Operator,
  wanted: WantedSettings,
  event: AuditEvent,
) {
  const differing = sql`(
    select group_concat(wanted.key, ', ') as keys
    from json_each(${JSON.stringify(wanted)}) as wanted
    left join ${settings} on ${settings.key} = wanted.key
    where ${settings.value} is not wanted.value
  ) as differing`
  const row = db
    .select({ ...eventRow(event), detail: sql`differing.keys`.as('detail') })
    .from(differing)
    .where(and(sql`differing.keys is not null`, isOperator(db, operator, event.at)))
  return db.insert(auditEvents).select(row).returning({ detail: auditEvents.detail })
}

/** Writes the settings whose wanted value is not the default. */
export function upsertSettings(
  db: Database,
  operator: Operator,
  wanted: WantedSettings,
  now: number,
) {
  return db
    .insert(settings)
    .select(
      sql`select wanted.key, wanted.value from json_each(${JSON.stringify(wanted)}) as wanted
        where wanted.value is not null and ${isOperator(db, operator, now)}`,
    )
    .onConflictDoUpdate({ target: settings.key, set: { value: sql`excluded.value` } })
}

/** Deletes the rows of the settings whose wanted value is the default. */
export function deleteSettings(
  db: Database,
  operator: Operator,
  wanted: WantedSettings,
  now: number,
) {
  const isToBeDefault = sql`${settings.key} in (
    select wanted.key from json_each(${JSON.stringify(wanted)}) as wanted where wanted.value is null
  )`
  return db.delete(settings).where(and(isToBeDefault, isOperator(db, operator, now)))
}
