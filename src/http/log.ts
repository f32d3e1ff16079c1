import { Refusal } from '../refusals.ts'

/** Writes what went wrong as one JSON line. */
export function logError(error: unknown, context: Record<string, string>): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const what = error instanceof Refusal ? { detail: error.detail } : { stack }
  console.error(JSON.stringify({ event: 'error', ...context, error: name, message, ...what }))
}
