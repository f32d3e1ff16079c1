import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { codeOf, CommandError } from '../kit/command-error.ts'
import { parseBackup } from './backup.ts'
import { readDatabase } from './database.ts'
import { shellWord } from '../../core/base/shell-word.ts'
import type { Source } from './source.ts'

/** @see https://www.sqlite.org/fileformat.html section 1.3 */
const SQLITE_HEADER_BYTES = 100
/** The largest file that is read. It is far larger than any backup, and its text fits into memory. */
const MAX_BACKUP_BYTES = 256 * 1024 * 1024
const SQLITE_MAGIC = 'SQLite format 3\0'

/**
 * Reads a database of OpenList, AList, OpenList-Worker or Latchkey, or a backup of OpenList's web
 * client.
 *
 * @throws {CommandError} When the file is none of them, or can't be read.
 */
export async function readSource(path: string): Promise<Source> {
  const header = readHeader(path)
  if (header.toString('latin1', 0, SQLITE_MAGIC.length) === SQLITE_MAGIC)
    return readDatabase(path, header)
  if (statSync(path).size > MAX_BACKUP_BYTES)
    throw new CommandError(
      `${path} is not a database, and is larger than any backup: name another file.`,
    )
  const text = readFileSync(path, 'utf8')
  if (/^\s*(?:PRAGMA|CREATE TABLE|BEGIN)\b/i.test(text))
    throw new CommandError(
      `${path} is SQL, as wrangler d1 export writes it: first make a database of it, with sqlite3 old.sqlite < ${shellWord(path)}`,
    )
  return parseBackup(path, text)
}

function readHeader(path: string): Buffer {
  try {
    // Opening a pipe would wait for a writer.
    if (!statSync(path).isFile())
      throw new CommandError(`${path} is not a regular file: name a database or a backup.`)
    const file = openSync(path, 'r')
    try {
      const header = Buffer.alloc(SQLITE_HEADER_BYTES)
      readSync(file, header)
      return header
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`Can't read ${path} (${codeOf(error)}).`)
  }
}
