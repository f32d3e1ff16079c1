import { and, not, notExists, type SQL, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { Refusal } from '../base/refusals.ts'
import type { Database } from '../database/database.ts'
import { NOBODY } from '../database/user-id.ts'
import { basePathSchema, cleanPath } from './fields.ts'
import { areNobodysFolders, hasAllKeys } from './folders.ts'
import { selectReservation, selectReservationByProgram } from './reserved-names.ts'
import { selectSameName } from './store.ts'
import { PLACE_OF_NAME } from './usual-folder.ts'

/** The name of a new account. */
export interface NewName {
  username: string
  /** Whether its owner has chosen it; an operator may give one that is reserved for its folder. */
  isChosen: boolean
  /**
   * The folders that only a chosen name leads to, each in the one before, the last that of the
   * account; none when every name leads there.
   */
  folders: string[]
}

/** Returns a name that an operator gives, who knows whose folder it leads to. */
export function givenName(username: string): NewName {
  return { username, isChosen: false, folders: [] }
}

/**
 * Holds while no account has the name, none had it that programs know, and nobody's folder is one
 * that it leads to.
 */
export function isFreeName(
  db: Database,
  { username, isChosen, folders }: NewName,
): SQL | undefined {
  return and(
    notExists(selectSameName(db, username, NOBODY)),
    notExists(
      isChosen
        ? selectReservation(db, username, NOBODY)
        : selectReservationByProgram(db, username, NOBODY),
    ),
    folders.length === 0 ? undefined : areNobodysFolders(db, folders),
    isChosen ? hasAllKeys(db) : undefined,
  )
}

/** Selects a row when the name is taken or reserved. */
export function selectTaken(db: Database, name: NewName) {
  return db
    .select({ isTaken: sql<number>`1`.as('is_taken') })
    .from(sql`(select 1)`)
    .where(not(sql`(${isFreeName(db, name)})`))
}

/**
 * Puts a name into the path that an operator has set.
 *
 * @throws {Refusal} `invalidBody` when the path with the name is none.
 */
export function nameAndFolder(
  template: string,
  username: string,
  isChosen: boolean,
): { basePath: string; name: NewName } {
  const checked = v.safeParse(basePathSchema, withName(template, username))
  if (!checked.success)
    throw new Refusal('invalidBody', {
      field: 'username',
      reason: { code: 'basePath', values: {} },
    })
  const basePath = checked.output
  const folders = isChosen ? foldersOf(template, basePath) : []
  return { basePath, name: { username, isChosen, folders } }
}

/** Tells whether a path waits for the name of an account. */
export function isTemplate(path: string): boolean {
  return path.includes(PLACE_OF_NAME)
}

/** `replaceAll` with a text would give `$&` in a name a meaning. */
function withName(template: string, username: string): string {
  return template.split(PLACE_OF_NAME).join(username)
}

/** Returns the folders from the first one that the name is a part of to the last. */
function foldersOf(template: string, basePath: string): string[] {
  const first = cleanPath(template)
    .split('/')
    .findIndex((segment) => segment.includes(PLACE_OF_NAME))
  if (first === -1) return []
  const segments = basePath.split('/')
  return segments.slice(first).map((_, i) => segments.slice(0, first + i + 1).join('/'))
}
