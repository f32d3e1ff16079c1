import { sql } from 'drizzle-orm'
import { groups } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { runBatch, THE_SERVICE, writing } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { isReservedKey } from './group-names.ts'
import { groupNameKey } from './groups.ts'

/** Selects the groups without a key. A slash marks them, which no key contains. */
export function withoutKeyGroups(db: Database) {
  return {
    groups: db
      .select({ id: groups.id, name: groups.name })
      .from(groups)
      .where(sql`(${groups.nameKey} >= '/' and ${groups.nameKey} < '0')`)
      .orderBy(groups.id),
  }
}

/**
 * Makes the keys of groups that an earlier version wrote: SQLite folds ASCII only, so a migration
 * could not. A group whose name is reserved, or looks like that of another group, gets `~` and its
 * id behind the name.
 *
 * @param found What `withoutKeyGroups` has found, if it was asked.
 */
export async function keyGroups(
  { db }: Pick<Deps, 'db'>,
  found?: { groups: { id: number; name: string }[] },
): Promise<void> {
  const rows = found ?? (await runBatch(db, withoutKeyGroups(db)))
  const writes = rows.groups.map(({ id, name }) => [`${id}`, keying(db, id, name)] as const)
  if (writes.length > 0) await runBatch(db, Object.fromEntries(writes))
}

function keying(db: Database, id: number, name: string) {
  const key = groupNameKey(name)
  const others = sql`select 1 from ${groups} as others where others.name_key = ${key}`
  const isTaken = isReservedKey(key) ? sql`true` : sql`exists (${others})`
  const withId = (text: string) => sql`${text} || iif(${isTaken}, ${`~${id}`}, '')`
  return writing(db, THE_SERVICE).update(
    groups,
    { name: withId(name), nameKey: withId(key) },
    // The name is compared, because it may have changed meanwhile.
    sql`(${groups.id} = ${id} and ${groups.name} = ${name})`,
  )
}
