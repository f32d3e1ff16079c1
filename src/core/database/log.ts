import { DrizzleQueryError } from 'drizzle-orm/errors'
import { Refusal } from '../base/refusals.ts'

/**
 * Logs an error as one JSON line. Of a failed query it logs only the database's message: the
 * parameters hold digests and seeds.
 */
export function logError(error: unknown, context: Record<string, string>): void {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  const { name, message, stack } = cause instanceof Error ? cause : new Error(String(cause))
  const what = cause instanceof Refusal ? { detail: cause.detail } : { stack }
  console.error(JSON.stringify({ event: 'error', ...context, error: name, message, ...what }))
}
