import type { DatabaseSync } from 'node:sqlite'

const NAMES = `select name, sql from main.sqlite_master where name not like '\\_cf%' escape '\\'`

/** Puts the rows of a copy of a database (`vacuum into`) in place of those that it has now. */
export function restoreRows(database: DatabaseSync, copy: string): void {
  const list = (query: string) =>
    database
      .prepare(query)
      .all()
      .map(({ name, sql }) => ({ name: `"${String(name)}"`, sql: String(sql) }))
  database.prepare('attach ? as copy').run(copy)
  database.exec('pragma foreign_keys = off; begin immediate')
  // They would write rows that the copy has already.
  const triggers = list(`${NAMES} and type = 'trigger'`)
  for (const { name } of triggers) database.exec(`drop trigger ${name}`)
  // SQLite's own table, of the ids that were given, comes last: each insertion may write it.
  for (const { name } of list(`${NAMES} and type = 'table' order by name = 'sqlite_sequence'`))
    database.exec(`delete from ${name}; insert into ${name} select * from copy.${name}`)
  for (const { sql } of triggers) database.exec(sql)
  database.exec('commit')
}
