import { sql } from 'drizzle-orm'
import { reservedNames, users } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { runBatch, THE_SERVICE, writing } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { folderKey, isReservedWithoutKey, isWithoutKey } from './folders.ts'
import { usernameKey } from './username.ts'

/** Rows of each table that get a key in one step. */
const MAX_ROWS = 200
/** Steps of a run; a Worker may ask D1 a limited number of times. */
const MAX_STEPS = 10

/** Selects rows without a key. */
export function withoutKeyParts(db: Database) {
  return {
    folders: db
      .select({ id: users.id, path: users.basePath })
      .from(users)
      .where(isWithoutKey)
      .limit(MAX_ROWS),
    names: db
      .select({ key: reservedNames.usernameKey, name: reservedNames.username })
      .from(reservedNames)
      .where(isReservedWithoutKey)
      .limit(MAX_ROWS),
  }
}

type WithoutKey = {
  [Part in keyof ReturnType<typeof withoutKeyParts>]: ReturnType<
    typeof withoutKeyParts
  >[Part]['_']['result']
}

/**
 * Makes the keys of folders that an earlier version wrote: SQLite folds ASCII only, so a migration
 * could not. Until all are made, nobody can choose a name (`hasAllKeys`).
 *
 * @param found What `withoutKeyParts` has found, if it was asked.
 */
export async function keyFolders({ db }: Pick<Deps, 'db'>, found?: WithoutKey): Promise<void> {
  let rows = found ?? (await runBatch(db, withoutKeyParts(db)))
  for (let step = 0; step < MAX_STEPS; step++) {
    if (rows.folders.length === 0 && rows.names.length === 0) return
    await writeKeys(db, rows)
    rows = await runBatch(db, withoutKeyParts(db))
  }
}

function writeKeys(db: Database, { folders, names }: WithoutKey) {
  const { update, insert, delete: remove } = writing(db, THE_SERVICE)
  const { usernameKey: key } = reservedNames
  // The path is compared, because it may have changed meanwhile.
  const rows = folders.map(({ id, path }) => [id, path, folderKey(path)])
  const row = sql`from json_each(${JSON.stringify(rows)}) where value ->> 0 = ${users.id} and value ->> 1 = ${users.basePath}`
  const pairs = names.map((folder) => [folder.key, usernameKey(folder.name)])
  const found = sql`${reservedNames} inner join json_each(${JSON.stringify(pairs)}) as pair on pair.value ->> 0 = ${key}`
  return runBatch(db, {
    folders: update(
      users,
      { basePathKey: sql`(select value ->> 2 ${row})` },
      sql`${users.id} in (select value ->> 0 from json_each(${JSON.stringify(rows)})) and exists (select 1 ${row})`,
    ),
    names: insert(
      reservedNames,
      {
        usernameKey: sql`pair.value ->> 1`,
        username: reservedNames.username,
        userId: reservedNames.userId,
        reservedAt: reservedNames.reservedAt,
        ofFolder: reservedNames.ofFolder,
      },
      { from: found },
    ).onConflictDoNothing(),
    gone: remove(
      reservedNames,
      sql`${key} in (select value ->> 0 from json_each(${JSON.stringify(pairs)}))`,
    ),
  })
}
