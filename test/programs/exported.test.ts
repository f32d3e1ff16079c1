import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { readMigrations } from '../support/migrate.ts'

/** Reads what `wrangler d1 export` writes: the schema as it was made, then the rows table by table. */
function exported(database: DatabaseSync): { schema: string[]; rows: Map<string, object[]> } {
  const made = database
    .prepare(
      `select type, name, sql from sqlite_schema
       where sql is not null and name not like 'sqlite\\_%' escape '\\' order by type <> 'table', rowid`,
    )
    .all()
  const tables = made.filter(({ type }) => type === 'table').map(({ name }) => String(name))
  return {
    schema: made.map(({ sql }) => String(sql)),
    rows: new Map(tables.map((name) => [name, database.prepare(`select * from "${name}"`).all()])),
  }
}

/** Fills a table with rows, as `wrangler d1 execute --file data.sql` does. */
function insert(database: DatabaseSync, table: string, rows: object[]): void {
  for (const row of rows) {
    const names = Object.keys(row).map((name) => `"${name}"`)
    const places = names.map(() => '?').join(', ')
    database
      .prepare(`insert into "${table}" (${names.join(', ')}) values (${places})`)
      .run(...Object.values(row))
  }
}

// docs/deploying.md has both files restored one after the other, so triggers see the rows arrive.
test('rows of a backup fill a database that has the schema, triggers and all', () => {
  const site = new DatabaseSync(':memory:')
  site.exec(readMigrations('schema/migrations'))
  for (const name of ['alice', 'bob'])
    insert(site, 'users', [
      { username: name, username_key: name, password_hash: 'none', created_at: 0, sub: name },
    ])
  site.exec(`delete from users where username = 'bob'`)
  const backup = exported(site)

  const restored = new DatabaseSync(':memory:')
  restored.exec('pragma foreign_keys = off')
  for (const statement of backup.schema) restored.exec(statement)
  for (const [table, rows] of backup.rows) insert(restored, table, rows)
  restored.exec('pragma foreign_keys = on')

  expect(exported(restored)).toEqual(backup)
  expect(restored.prepare('pragma foreign_key_check').all()).toEqual([])
})
