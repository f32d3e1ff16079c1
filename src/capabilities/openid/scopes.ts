import { and, type SQL, type SQLWrapper } from 'drizzle-orm'
import { hasWord } from '../../core/database/words.ts'

/** The scopes that clients may ask for. Others are ignored. */
export const SCOPES = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const

export type Scope = (typeof SCOPES)[number]

/** Reads a list of scopes, and leaves out unknown ones. */
export function parseScope(text: string): Scope[] {
  const names = text.split(' ')
  return SCOPES.filter((scope) => names.includes(scope))
}

/** Holds for a column of scopes that contains all of these. */
export function coversScopes(column: SQLWrapper, scopes: readonly string[]): SQL | undefined {
  return and(...scopes.map((scope) => hasWord(column, scope)))
}
