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
const KEPT_TABLES = ['common_passwords', 'd1_migrations']

/** The schema as the migrations leave it, once they have run in this worker. */
let migrated: string | undefined

/** Whether a test may have written to D1 since it was last emptied. */
let isUsed = true
/** The KV entries that were written since then. */
const writtenNames = new Set<string>()
/** What requests left to do after their answers. */
const deferred: Promise<unknown>[] = []

noteUses()

/** Notes each use of D1 and each write to KV: most tests use one of them, many use neither. */
function noteUses(): void {
  const { DB, SETTINGS } = env
  const prepare = DB.prepare.bind(DB)
  const exec = DB.exec.bind(DB)
  const withSession = DB.withSession.bind(DB)
  const put = SETTINGS.put.bind(SETTINGS)
  DB.prepare = (sql) => {
    isUsed = true
    return prepare(sql)
  }
  DB.exec = (sql) => {
    isUsed = true
    return exec(sql)
  }
  DB.withSession = (constraint) => {
    isUsed = true
    return withSession(constraint)
  }
  SETTINGS.put = (name: string, ...rest: [never]) => {
    writtenNames.add(name)
    return put(name, ...rest)
  }
}

/** Remembers work that goes on after an answer, so that none of it reaches into the next test. */
export function noteDeferred(work: Promise<unknown>): void {
  deferred.push(work)
}

/**
 * Leaves an empty, migrated database and an empty KV, from which every test starts. Emptying the
 * tables takes a tenth of the time that all migrations take; they run again only where a test has
 * changed the schema.
 */
export async function cleanState(): Promise<void> {
  // Deferred work can defer more.
  while (deferred.length > 0) await Promise.allSettled(deferred.splice(0))
  if (isUsed || writtenNames.size > 0) await emptyStorage()
}

/** Deletes every row and every KV entry that a test could have written, and the ids there were. */
export async function emptyStorage(): Promise<void> {
  const names = Array.from(writtenNames)
  writtenNames.clear()
  await Promise.all([emptyDatabase(), ...names.map((name) => env.SETTINGS.delete(name))])
  isUsed = false
}

async function emptyDatabase(): Promise<void> {
  // It fails where a test has dropped a table, or forbidden the deletion by a trigger.
  const schema = await emptyTables(filledTables()).catch(() => undefined)
  if (migrated !== undefined && schema === migrated) return
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  migrated = await emptyTables([])
  await emptyTables(filledTables())
}

/**
 * Empties the tables in one round trip.
 *
 * @returns The types and names of all tables and triggers.
 */
async function emptyTables(tables: string[]): Promise<string> {
  const deletions = tables.map((table) => `delete from ${table};`).join('')
  const statement = env.DB.prepare(`${deletions} ${SELECT_SCHEMA}`)
  const { results } = await statement.all<{ type: string; name: string }>()
  return results.map(({ type, name }) => `${type} ${name}`).join('\n')
}

const SELECT_SCHEMA = `select type, name from sqlite_master
  where type in ('table', 'trigger') and name not like '\\_cf%' escape '\\' order by name`

/** The tables that others refer to, those that refer to others of them first. */
const REFERRED_TABLES = ['openid_clients', 'users']

/** The tables that tests fill, those that others refer to last. */
export function filledTables(): string[] {
  const tables = (migrated ?? '').split('\n').flatMap((line) => {
    const [type, name = ''] = line.split(' ')
    return type === 'table' && !KEPT_TABLES.includes(name) ? [name] : []
  })
  return tables.toSorted((a, b) => REFERRED_TABLES.indexOf(a) - REFERRED_TABLES.indexOf(b))
}
