import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { hasWord } from '../database/words.ts'
import { type AppPasswordScope, CONTAINED_IN } from './scopes.ts'

/** Works like `hasScope`, for a column of `scopesText`. */
export function includesScope(column: SQLWrapper, needed: AppPasswordScope): SQL {
  const wider = CONTAINED_IN[needed]
  if (wider === undefined) return hasWord(column, needed)
  return sql`(${hasWord(column, needed)} or ${hasWord(column, wider)})`
}
