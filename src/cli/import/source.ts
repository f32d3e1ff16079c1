import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { codeOf, CommandError } from '../command-error.ts'
import { parseBackup } from './backup.ts'
import { readDatabase } from './openlist-database.ts'

/** A row as the source has it; nothing in it is trusted. */
export type RawRow = Record<string, unknown>

/** What a site of OpenList or AList says of its accounts. */
export interface Source {
  kind: 'database' | 'backup'
  users: RawRow[]
  keys: RawRow[]
  settings: RawRow[]
}

/** @see https://www.sqlite.org/fileformat.html section 1.3 */
const SQLITE_HEADER_BYTES = 100
/** Far more than any backup has; the text of a JSON file must fit into memory. */
const MAX_BACKUP_BYTES = 256 * 1024 * 1024
const SQLITE_MAGIC = 'SQLite format 3\0'

/**
 * Reads a database of OpenList or AList, or the backup that their web client makes.
 *
 * @throws {CommandError} When the file is neither, or can't be read.
 */
export async function readSource(path: string): Promise<Source> {
  const header = readHeader(path)
  if (header.toString('latin1', 0, SQLITE_MAGIC.length) === SQLITE_MAGIC)
    return readDatabase(path, header)
  if (statSync(path).size > MAX_BACKUP_BYTES)
    throw new CommandError(`${path} is no database, and larger than any backup: name another file.`)
  return parseBackup(path, readFileSync(path, 'utf8'))
}

function readHeader(path: string): Buffer {
  try {
    // To open a pipe would wait for somebody who writes into it.
    if (!statSync(path).isFile())
      throw new CommandError(`${path} is no regular file: name a database or a backup.`)
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
