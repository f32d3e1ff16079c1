import { env } from 'cloudflare:workers'
import { literalText } from '../../src/core/database/literal.ts'
import { fillDatabase, filledTables } from './clean-state.ts'
import type { Site } from './site.ts'

/** Filled by SQLite, whenever a row gets an id. */
const COUNTERS_OF_IDS = 'sqlite_sequence'

/** A row as D1 answers it. */
type Row = Record<string, string | number | null>

/** Everything in storage: the rows of each table, and the entries of the KV. */
interface Storage {
  rows: [table: string, ofTable: Row[]][]
  copies: [name: string, text: string][]
}

/**
 * Makes a set-up that many tests begin with run once. It runs for the first test that asks for it;
 * for the others, what it stored is written back and their site gets its time, which takes less
 * than a sign-in.
 *
 * @param arrange Acts on an empty database, and returns values that can be cloned.
 */
export function prepared<Arranged extends Site, Value>(
  arrange: (site: Arranged) => Promise<Value>,
): (site: Arranged) => Promise<Value> {
  let left: { stored: Storage; now: number; value: Value } | undefined
  return async (site) => {
    if (left === undefined) {
      const value = await arrange(site)
      await site.settle()
      left = { stored: await readStorage(), now: site.now, value }
    } else {
      await fillStorage(left.stored)
      site.now = left.now
    }
    return structuredClone(left.value)
  }
}

async function readStorage(): Promise<Storage> {
  const tables = filledTables()
  const [{ keys }, results] = await Promise.all([
    env.SETTINGS.list(),
    env.DB.batch<Row>(tables.map((table) => env.DB.prepare(`select * from ${table}`))),
  ])
  const copies = keys.map(
    async ({ name }) => [name, (await env.SETTINGS.get(name)) ?? ''] as [string, string],
  )
  return {
    rows: tables.map((table, i) => [table, results[i]?.results ?? []]),
    copies: await Promise.all(copies),
  }
}

/** Fills storage, which this test has not filled before. */
async function fillStorage({ rows, copies }: Storage): Promise<void> {
  const filled = rows.filter(([, { length }]) => length > 0)
  const isOfIds = ([table]: Storage['rows'][number]) => table === COUNTERS_OF_IDS
  // The tables that others refer to come first, and the counters last.
  const inOrder = filled.filter((table) => !isOfIds(table)).toReversed()
  const insertions = [
    ...inOrder.map(insertInto),
    `delete from ${COUNTERS_OF_IDS};`,
    ...filled.filter(isOfIds).map(insertInto),
  ]
  await Promise.all([
    fillDatabase(insertions.join('')),
    ...copies.map(([name, text]) => env.SETTINGS.put(name, text)),
  ])
}

function insertInto([table, rows]: Storage['rows'][number]): string {
  const lines = rows.map((row) => `(${Object.values(row).map(literalText).join()})`)
  return `insert into ${table} (${Object.keys(rows[0] ?? {}).join()}) values ${lines.join()};`
}
