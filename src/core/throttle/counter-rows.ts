import { inArray } from 'drizzle-orm'
import { throttleCounters } from '../../../schema/tables.ts'
import type { Counter } from './counters.ts'

/** Holds for the rows of these counters. */
export function isOneOf(counters: readonly Counter[]) {
  return inArray(
    throttleCounters.key,
    counters.map(({ key }) => key),
  )
}
