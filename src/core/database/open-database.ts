import { drizzle } from 'drizzle-orm/d1'
import type { Database, Meter } from './database.ts'
import { openWith } from './metered-d1.ts'

export { drizzle } from 'drizzle-orm/d1'

/** Opens D1 as `openWith` does, where Drizzle is there already. */
export function openDatabase(
  d1: D1Database,
  meter: Meter,
  deadlineMilliseconds?: number,
): Database {
  return openWith(() => drizzle, d1, meter, deadlineMilliseconds)
}
