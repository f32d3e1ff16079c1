/** A word that needs no quotes in a POSIX shell, wherever it stands. */
const PLAIN_WORD = /^[\w.@+:/-][\w.@+:/=-]*$/

/** Quotes a text as one word for a POSIX shell, when it needs that. */
export function shellWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
