import { applyD1Migrations, type D1Migration, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: D1Migration[]
    }
  }
}

/** Filled by a migration, and the same for every test. */
const KEPT_TABLES = ['account_list', 'common_passwords', 'd1_migrations']

/**
 * The tables that others refer to, those that refer to others of them first, and those that
 * triggers fill when users and rules are deleted.
 */
const LAST_TABLES = ['openid_clients', 'groups', 'users', 'reserved_names', 'folder_state']

const SELECT_SCHEMA = `select group_concat(line, char(10)) as lines from (
  select concat_ws(' ', type, name, length(sql)) as line
  from sqlite_master where name not like '\\_cf%' escape '\\' order by name
)`

/** The schema as the migrations leave it, once they have run in this worker. */
let migrated: string | undefined

/** Work that requests left for after their answers. */
const deferred: Promise<unknown>[] = []

/** Remembers work that goes on after an answer, so that none of it reaches into the next test. */
export function noteDeferred(work: Promise<unknown>): void {
  deferred.push(work)
}

/**
 * Leaves a migrated, empty database and an empty KV, from which every test starts. Emptying the
 * tables takes a tenth of the time that all migrations take; they run again only where a test has
 * changed the schema.
 */
export async function cleanState(): Promise<void> {
  // Deferred work can defer more.
  while (deferred.length > 0) await Promise.allSettled(deferred.splice(0))
  await emptyStorage()
}

/** Deletes every row and every KV entry that a test could have written, and the ids there were. */
export async function emptyStorage(): Promise<void> {
  // Emptying D1 fails where a test has dropped a table, or forbidden the deletion by a trigger.
  const emptied = emptyTables(filledTables()).catch(() => undefined)
  const [schema] = await Promise.all([emptied, emptyKv()])
  if (migrated !== undefined && schema === migrated) return
  await resetStorage()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  migrated = await emptyTables([])
  await emptyTables(filledTables())
}

/** Leaves D1 and KV without tables or entries, which takes less time than deleting many rows. */
export function resetStorage(): Promise<void> {
  return reset()
}

/**
 * Inserts rows in one round trip.
 *
 * @param insertions Statements, each with a semicolon.
 */
export async function fillDatabase(insertions: string): Promise<void> {
  await env.DB.prepare(`${insertions} select 1`).run()
}

async function emptyKv(): Promise<void> {
  const { keys } = await env.SETTINGS.list()
  await Promise.all(keys.map(({ name }) => env.SETTINGS.delete(name)))
}

/**
 * Empties tables in one round trip.
 *
 * @returns A line for each table, index and trigger: its type, name and length.
 */
async function emptyTables(tables: string[]): Promise<string> {
  const deletions = tables.map((table) => `delete from ${table};`).join('')
  const row = await env.DB.prepare(`${deletions} ${SELECT_SCHEMA}`).first<{ lines: string }>()
  return row?.lines ?? ''
}

/** The tables that tests fill, those that others refer to last. */
export function filledTables(): string[] {
  const tables = (migrated ?? '').split('\n').flatMap((line) => {
    const [type, name = ''] = line.split(' ')
    return type === 'table' && !KEPT_TABLES.includes(name) ? [name] : []
  })
  return tables.toSorted((a, b) => LAST_TABLES.indexOf(a) - LAST_TABLES.indexOf(b))
}
