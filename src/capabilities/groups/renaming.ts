import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import { groups, settings } from '../../../schema/tables.ts'
import { namesInList, readGroupMap } from '../../core/accounts/group-lists.ts'
import { groupNameKey } from '../../core/accounts/groups.ts'
import { type Authority, runBatch, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'

/** Gives a name of a group in the value of a setting its new form; none takes it out. */
type Rename = (name: string) => string | undefined

/** The settings that name groups. */
const NAMING = {
  register_groups: (list: string, rename: Rename) =>
    namesInList(list)
      .flatMap((name) => rename(name) ?? [])
      .join(', '),
  sso_group_map: (json: string, rename: Rename) => {
    const map = Array.from(readGroupMap(json) ?? [], ([value, name]) => [value, rename(name)])
    const kept = map.filter(([, name]) => name !== undefined)
    return kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept))
  },
}

/** The values of settings in which a group gets another name, or which name it no more. */
export interface Renaming {
  /** Holds while the group and the settings are as they were read. */
  isAsRead: SQL
  /** Holds once the group has its new name or is deleted, while the settings are as they were read. */
  isDone: SQL
  /** The settings with other values. */
  values: Readonly<Record<string, string>>
}

/**
 * Prepares what becomes of the settings that name a group, in one round trip.
 *
 * @param name The new one; without it, the group is deleted.
 * @returns `undefined` for an unknown group.
 */
export async function prepareRenaming(
  db: Database,
  id: number,
  name?: string,
): Promise<Renaming | undefined> {
  const { found, set } = await runBatch(db, {
    found: db.select({ name: groups.name }).from(groups).where(eq(groups.id, id)),
    set: db
      .select()
      .from(settings)
      .where(inArray(settings.key, Object.keys(NAMING))),
  })
  const [group] = found
  if (group === undefined) return undefined
  const key = groupNameKey(group.name)
  const rename: Rename = (each) => (groupNameKey(each) === key ? name : each)
  const before = new Map(set.map((row) => [row.key, row.value]))
  const changed = Object.entries(NAMING).flatMap(([setting, change]) => {
    const value = before.get(setting)
    if (value === undefined) return []
    // A value that does not name the group stays as somebody wrote it.
    const after = change(value, rename)
    return after === change(value, String) ? [] : [[setting, after] as const]
  })
  const isSame = Object.keys(NAMING).map(
    (setting) =>
      sql`(select ${settings.value} from ${settings} where ${settings.key} = ${setting}) is ${before.get(setting) ?? null}`,
  )
  const areSame = sql.join(isSame, sql` and `)
  const isNamed = (text: string) =>
    sql`exists (select 1 from ${groups} as named where named.id = ${id} and named.name = ${text})`
  const isDeleted = sql`not exists (select 1 from ${groups} as named where named.id = ${id})`
  return {
    isAsRead: sql`(${isNamed(group.name)} and ${areSame})`,
    isDone: sql`(${name === undefined ? isDeleted : isNamed(name)} and ${areSame})`,
    values: Object.fromEntries(changed),
  }
}

/** Writes the settings, after the group has got its name or is deleted. */
export function renamingInSettings(db: Database, by: Authority, renaming: Renaming) {
  const { isDone, values } = renaming
  const each = sql`json_each(${JSON.stringify(values)}) as each where each.key = ${settings.key}`
  return writing(db, by).update(
    settings,
    { value: sql`(select each.value from ${each})` },
    sql`(exists (select 1 from ${each}) and ${isDone})`,
  )
}

/** Selects a row when something has changed since it was read. */
export function selectOutdated(db: Database, { isAsRead }: Renaming) {
  return db
    .select({ outdated: sql<number>`1`.as('outdated') })
    .from(sql`(select 1)`)
    .where(sql`not ${isAsRead}`)
}
