import { globSync } from 'node:fs'
import { CommandError } from '../kit/command-error.ts'
import { findLocalDatabase, STATE_FOLDER, withSqlite } from '../site/local-database.ts'
import { latchkeyStopped } from '../kit/printed-command.ts'

const CHECK = 'pragma quick_check(1)'
const READ = 'select count(*) from sqlite_schema'

/**
 * Checks whether SQLite can read the files of the local site, and every page of its database. It
 * changes nothing.
 *
 * @throws {CommandError} That names the first damaged file, and what to do.
 */
export function checkData(): void {
  const database = findLocalDatabase()
  for (const file of globSync(`${STATE_FOLDER}/*/*/*.sqlite`)) {
    const isDatabase = file === database
    const damage = damageOf(file, isDatabase ? CHECK : READ)
    if (damage === undefined) continue
    throw new CommandError(
      isDatabase
        ? `The database of this site is damaged (${damage}), and was left as it is: move the folder .wrangler away, then run ${latchkeyStopped('restore', 'FILE')} with your latest backup, or npm start for a new site.`
        : `${file} is damaged (${damage}): remove it, and start again; it holds no accounts.`,
    )
  }
}

const MAX_DAMAGE_CHARACTERS = 80

/** @returns What is wrong with a file; `undefined` when SQLite reads it, or another program uses it. */
function damageOf(file: string, statement: string): string | undefined {
  try {
    return withSqlite(file, { readOnly: true }, (database) => {
      const found = database.prepare(statement).get()?.['quick_check'] ?? 'ok'
      if (found === 'ok') return undefined
      return String(found).replaceAll(/\s+/g, ' ').slice(0, MAX_DAMAGE_CHARACTERS)
    })
  } catch (error) {
    return isDamage(error) ? error.message : undefined
  }
}

/** `SQLITE_CORRUPT` and `SQLITE_NOTADB`. */
const DAMAGE = new Set([11, 26])

function isDamage(error: unknown): error is Error {
  return error instanceof Error && 'errcode' in error && DAMAGE.has(Number(error.errcode))
}

/** Explains why the site could not be opened, when its folder is the reason. */
export function explainOpening(error: unknown): unknown {
  const message = error instanceof Error ? error.message : ''
  if (/SQLITE_BUSY|database is locked/.test(message))
    return new CommandError(
      'Another program uses the database of this site: wait until it has ended, then start again.',
    )
  const [, code] = /\b(EEXIST|ENOTDIR|EISDIR|EACCES|EROFS)\b.*\.wrangler/.exec(message) ?? []
  if (code === undefined) return error
  return new CommandError(
    `Can't write into the folder .wrangler here (${code}), and left it as it is: move it away, then restore a backup, or start anew.`,
  )
}
