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

const CHANGES_SCHEMA = /^\s*(alter|create|drop)\b/i

/** The schema as the migrations leave it, once they have run in this worker. */
let migrated: string | undefined

/** Whether the schema may be another than that of the migrations, as it is at the beginning. */
let mayDiffer = true
/** The rows of D1: none, those of this test, or those that an earlier one has left. */
let rows: 'none' | 'own' | 'left' = 'none'
/** The deletion of what an earlier test has left, while it runs. */
let emptying: Promise<void> | undefined
/** The KV entries that were written since the KV was last emptied. */
const writtenNames = new Set<string>()
/** What requests left to do after their answers. */
const deferred: Promise<unknown>[] = []

const runUnwatched = watchStorage()

/**
 * Watches for the uses of D1 and the writes to KV, and empties D1 before a test first uses it: many
 * tests don't, and a prepared set-up empties D1 while it fills it.
 *
 * @returns A function that runs a query unwatched.
 */
function watchStorage() {
  const { DB, SETTINGS } = env
  const prepare = DB.prepare.bind(DB)
  const put = SETTINGS.put.bind(SETTINGS)
  const statements: D1PreparedStatement = Object.getPrototypeOf(prepare('select 1'))
  const all: () => Promise<D1Result<Record<string, string>>> = Reflect.get(statements, 'all')
  for (const method of ['all', 'first', 'raw', 'run'] as const) noteUse(statements, method)
  // `DB.batch` calls that of a session.
  const sessions: D1DatabaseSession = Object.getPrototypeOf(DB.withSession())
  noteUse(sessions, 'batch')
  noteUse(DB, 'exec')
  noteChanges(sessions)
  noteChanges(DB)
  SETTINGS.put = (name: string, ...rest: [never]) => {
    writtenNames.add(name)
    return put(name, ...rest)
  }
  return (sql: string) => all.call(prepare(sql))
}

function noteUse<Name extends string>(
  target: Record<Name, (...given: never[]) => Promise<unknown>>,
  name: Name,
): void {
  const method = target[name]
  async function noted(this: unknown, ...given: unknown[]): Promise<unknown> {
    await startUse()
    if (name === 'exec') noteChange(String(given[0]))
    return Reflect.apply(method, this, given)
  }
  Object.assign(target, { [name]: noted })
}

function noteChanges(target: Pick<D1Database, 'prepare'>): void {
  const { prepare } = target
  target.prepare = function noted(this: unknown, sql: string) {
    noteChange(sql)
    return Reflect.apply(prepare, this, [sql])
  }
}

function noteChange(sql: string): void {
  if (CHANGES_SCHEMA.test(sql)) mayDiffer = true
}

async function startUse(): Promise<void> {
  if (rows === 'left') await (emptying ??= replaceRows(''))
  else rows = 'own'
}

/** Remembers work that goes on after an answer, so that none of it reaches into the next test. */
export function noteDeferred(work: Promise<unknown>): void {
  deferred.push(work)
}

/**
 * Leaves a migrated database that is empty at its first use, and an empty KV, from which every test
 * starts. Emptying the tables takes a tenth of the time that all migrations take; they run again
 * only where a test has changed the schema.
 */
export async function cleanState(): Promise<void> {
  // Deferred work can defer more.
  while (deferred.length > 0) await Promise.allSettled(deferred.splice(0))
  if (rows === 'own') rows = 'left'
  await (mayDiffer ? emptyStorage() : emptyKv())
}

/** Deletes every row and every KV entry that a test could have written, and the ids there were. */
export async function emptyStorage(): Promise<void> {
  await Promise.all([emptyKv(), emptyDatabase()])
}

/** Leaves D1 and KV without tables or entries, which takes less time than deleting many rows. */
export async function resetStorage(): Promise<void> {
  await reset()
  mayDiffer = true
  rows = 'none'
}

/**
 * Fills the database, which this test has not filled before.
 *
 * @param insertions Statements, each with a semicolon.
 */
export async function fillDatabase(insertions: string): Promise<void> {
  if (rows === 'left' && emptying === undefined) await (emptying = replaceRows(insertions))
  else {
    await startUse()
    await runUnwatched(`${insertions} select 1`)
  }
}

async function emptyKv(): Promise<void> {
  const names = Array.from(writtenNames)
  writtenNames.clear()
  await Promise.all(names.map((name) => env.SETTINGS.delete(name)))
}

/** Puts rows in the place of those that an earlier test has left. */
async function replaceRows(insertions: string): Promise<void> {
  try {
    const schema = await emptyTables(filledTables(), insertions)
    if (schema !== migrated) throw new Error('an earlier test has changed the schema unnoticed')
    rows = 'own'
  } catch (error) {
    // The next test starts with the schema of the migrations.
    mayDiffer = true
    throw error
  } finally {
    emptying = undefined
  }
}

async function emptyDatabase(): Promise<void> {
  // It fails where a test has dropped a table, or forbidden the deletion by a trigger.
  const schema = await emptyTables(filledTables()).catch(() => undefined)
  if (migrated === undefined || schema !== migrated) {
    await resetStorage()
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
    migrated = await emptyTables([])
    await emptyTables(filledTables())
  }
  mayDiffer = false
  rows = 'none'
}

/**
 * Empties the tables, and inserts rows, in one round trip.
 *
 * @returns A line for each table, index and trigger: its type, name and length.
 */
async function emptyTables(tables: string[], insertions = ''): Promise<string> {
  const deletions = tables.map((table) => `delete from ${table};`).join('')
  const { results } = await runUnwatched(`${deletions} ${insertions} ${SELECT_SCHEMA}`)
  return results[0]?.['lines'] ?? ''
}

const SELECT_SCHEMA = `select group_concat(line, char(10)) as lines from (
  select concat_ws(' ', type, name, length(sql)) as line
  from sqlite_master where name not like '\\_cf%' escape '\\' order by name
)`

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
