import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'

/** Holds for a text of words between single spaces that contains the word. */
export function hasWord(text: SQLWrapper, word: string | SQL): SQL {
  return sql`instr(' ' || ${text} || ' ', ' ' || ${word} || ' ') > 0`
}
