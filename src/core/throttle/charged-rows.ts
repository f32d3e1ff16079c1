import { type Counter, counter } from './counters.ts'
import { LIMITS } from './limit-table.ts'

/** Returns what is charged, as `chargeRows` takes it: JSON of rows. */
export function chargedRows(counters: readonly Counter[], now: number): string {
  const rows = counters.map((row) => ({
    key: row.key,
    end: endAfter(row, now),
    parts: newParts(row, now),
    now,
  }))
  return JSON.stringify(rows)
}

export function endAfter({ limit }: Counter, now: number): number {
  return now + LIMITS[limit].seconds * 1000
}

/** Returns the parts of a new row. */
function newParts({ parts }: Counter, now: number): Record<string, [number, number, number]> {
  if (parts === undefined) return {}
  const { network, pair } = parts
  return {
    [network]: [1, endAfter(counter('network', ''), now), now],
    [pair]: [1, endAfter(counter('pair', ''), now), now],
  }
}
