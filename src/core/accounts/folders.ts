import { and, gte, inArray, isNull, lt, ne, notExists, type SQL, sql } from 'drizzle-orm'
import { reservedNames, users } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { cleanPath } from './fields.ts'
import { visibleKey } from './username.ts'

/**
 * Returns the key by which folders are compared: the keys of the folder names, with a slash at the
 * end. On some disks, folders with one key are one folder. Invisible characters do not count.
 */
export function folderKey(path: string): string {
  const names = cleanPath(path).split('/').slice(1)
  return names.map((name) => `/${visibleKey(name)}`).join('') + (names[0] === '' ? '' : '/')
}

/** Returns the columns of a user's folder. Every statement that writes one of them writes both. */
export function folderColumns(basePath: string): { basePath: string; basePathKey: string } {
  return { basePath, basePathKey: folderKey(basePath) }
}

/**
 * Holds while nobody's folder is one of these, or lies in the last of them.
 *
 * @param folders Clean paths, each in the one before.
 */
export function areNobodysFolders(db: Database, folders: readonly string[]): SQL | undefined {
  const keys = folders.map(folderKey)
  const last = keys.at(-1) ?? ''
  const same = inArray(users.basePathKey, keys)
  // In ASCII, 0 follows the slash.
  const inside = and(gte(users.basePathKey, last), lt(users.basePathKey, last.replace(/\/$/, '0')))
  // SQLite would read the whole index for both at once.
  return and(notExists(selectUser(db, same)), notExists(selectUser(db, inside)))
}

function selectUser(db: Database, which: SQL | undefined) {
  return db.select({ id: users.id }).from(users).where(and(hasFolder, which))
}

const hasFolder = ne(users.basePath, sql`'/'`)

/** Holds for a folder without a key: an earlier version wrote it, and SQL can't make its key. */
export const isWithoutKey: SQL | undefined = and(hasFolder, isNull(users.basePathKey))

/**
 * Holds for a reserved name without a key: it is a part of such a folder. A slash marks it, which
 * no key contains.
 */
export const isReservedWithoutKey: SQL = sql`(${reservedNames.usernameKey} >= '/' and ${reservedNames.usernameKey} < '0')`

/** Holds once every folder and every reserved name has its key (`keyFolders`). */
export function hasAllKeys(db: Database): SQL | undefined {
  return and(
    notExists(selectUser(db, isNull(users.basePathKey))),
    notExists(
      db.select({ userId: reservedNames.userId }).from(reservedNames).where(isReservedWithoutKey),
    ),
  )
}
