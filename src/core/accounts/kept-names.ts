import { eq, sql } from 'drizzle-orm'
import { settings, users } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { isAdmin } from './conditions.ts'

const SETTING = 'register_reserved_names'

/**
 * Selects what nobody may look like who chooses a name: the names of all admins, of whom there are
 * few, and the setting of the operators.
 */
export function selectKeptNames(db: Database) {
  const admins = db
    .select({ names: users.username, isList: sql<number>`0`.as('is_list') })
    .from(users)
    .where(isAdmin)
  const kept = db
    .select({ names: settings.value, isList: sql<number>`1`.as('is_list') })
    .from(settings)
    .where(eq(settings.key, SETTING))
  return admins.unionAll(kept)
}

/** Returns the names in what {@link selectKeptNames} has found. */
export function keptNamesIn(found: readonly { names: string; isList: number }[]): string[] {
  return found.flatMap(({ names, isList }) => (isList === 1 ? names.split(',') : [names]))
}
