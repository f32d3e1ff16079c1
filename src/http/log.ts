import { DrizzleQueryError } from 'drizzle-orm/errors'
import { Refusal } from '../base/refusals.ts'

/**
 * Writes what went wrong as one JSON line. A query's parameters hold digests and seeds, so of a
 * failed query only the database's own word is kept.
 */
export function logError(error: unknown, context: Record<string, string>): void {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause))
  const what = cause instanceof Refusal ? { detail: cause.detail } : { stack }
  console.error(JSON.stringify({ event: 'error', ...context, error: name, message, ...what }))
}
