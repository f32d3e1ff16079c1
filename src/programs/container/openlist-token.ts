import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'

const configSchema = v.object({
  database: v.object({
    type: v.literal('sqlite3'),
    db_file: v.string(),
    // It stands in a statement.
    table_prefix: v.pipe(v.string(), v.regex(/^\w*$/)),
  }),
})
const rowSchema = v.object({ value: v.pipe(v.string(), v.minLength(1)) })

/**
 * Reads OpenList's setting `token` from its folder, which is mounted read-only.
 *
 * @returns `undefined` while OpenList has not made it, and where it can't be read.
 */
export function readOpenListToken(folder: string): string | undefined {
  try {
    const config = v.parse(
      configSchema,
      JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')),
    )
    const { db_file: file, table_prefix: prefix } = config.database
    const database = pathToFileURL(join(folder, basename(file))).href
    const query = `select value from "${prefix}setting_items" where key = 'token'`
    try {
      return readRow(database, query)
    } catch {
      // SQLite opens a database in WAL mode that was closed in no other way on a read-only mount.
      return readRow(`${database}?immutable=1`, query)
    }
  } catch {
    return undefined
  }
}

function readRow(file: string, query: string): string {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return v.parse(rowSchema, database.prepare(query).get()).value
  } finally {
    database.close()
  }
}
