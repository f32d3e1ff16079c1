import { and, eq, getTableName, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as v from 'valibot'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import type { Database } from '../../core/database/database.ts'
import { THE_SERVICE } from '../../core/database/statements.ts'
import { CAPABILITIES } from './capabilities.ts'
import type { SealedColumn, SealedRow, SealedWrite } from './sealed-column.ts'

/**
 * Loads what `SECRET_KEYS` seals in the database, but for tokens of the file server, of which this
 * site gets new ones, and seeds that wait ten minutes for their first code.
 */
async function loadSealed(): Promise<SealedColumn[]> {
  const loaded = await Promise.all(CAPABILITIES.map(async ({ sealed }) => sealed?.()))
  return loaded.filter((column) => column !== undefined)
}

/** How many boxes of a kind one entry of `SECRET_KEYS` has sealed. */
export const sealCountsSchema = v.array(
  v.object({ kind: v.string(), keyId: v.string(), total: v.number() }),
)
export type SealCount = v.InferOutput<typeof sealCountsSchema>[number]

/**
 * Returns the query that counts the boxes by the id of the key that sealed them.
 *
 * @param tables Those that the database has, when it may be of an older version.
 */
export async function sealCountQuery(tables?: readonly string[]): Promise<string> {
  const sealed = await loadSealed()
  return sealed
    .filter(({ table }) => tables?.includes(getTableName(table)) ?? true)
    .map(
      ({ kind, table, column, where }) =>
        `select ${kind} as kind, ${keyIdOf(column)} as keyId, count(*) as total from ${getTableName(table)} where ${where} group by 1, 2`,
    )
    .join(' union all ')
}

/** SQL: the id of the key that sealed a column. */
const keyIdOf = ({ name }: SQLiteColumn) => `substr(${name}, 1, instr(${name}, '.') - 1)`

/** A text that an older entry has sealed. */
export interface OldSeal {
  sealed: string
  use: string
  /** Makes the write that stores it sealed anew. It changes nothing when the text has changed. */
  replace: (anew: string) => SealedWrite
}

const ROWS_AT_ONCE = 50

const rowsSchema = v.array(
  v.object({
    id: v.union([v.number(), v.string()]),
    sealed: v.string(),
    kind: v.string(),
    ownerId: v.nullable(v.number()),
  }),
)

/**
 * Reads everything that an older entry of `SECRET_KEYS` has sealed, some rows at a time. What is
 * sealed anew between two readings is not read again.
 *
 * @yields At most 50 texts of one column.
 */
export async function* readOldSeals(db: Database, ring: KeyRing): AsyncGenerator<OldSeal[]> {
  const older = ring.all.filter(({ id }) => id !== ring.current.id).map(({ id }) => id)
  for (const sealed of await loadSealed()) {
    const { table, id, column, owner, where } = sealed
    const about = owner
      ? sql.raw(`${owner.kind.name} as kind, ${owner.id.name} as ownerId`)
      : sql.raw(`'' as kind, null as ownerId`)
    for (let last: SealedRow['id'] | undefined; ;) {
      const isOld = sql`${sql.raw(keyIdOf(column))} in (select value from json_each(${JSON.stringify(older)}))`
      const isNext = last === undefined ? sql`true` : sql`${sql.identifier(id.name)} > ${last}`
      const rows = v.parse(
        rowsSchema,
        await db.all(
          sql`select ${sql.identifier(id.name)} as id, ${sql.identifier(column.name)} as sealed, ${about} from ${table} where ${sql.raw(where)} and ${isOld} and ${isNext} order by 1 limit ${ROWS_AT_ONCE}`,
        ),
      )
      if (rows.length === 0) break
      last = rows.at(-1)?.id
      yield rows.map((row) => ({
        sealed: row.sealed,
        use: sealed.useOf(row),
        replace: (anew: string) =>
          sealed.replace(db, THE_SERVICE, anew, and(eq(id, row.id), eq(column, row.sealed))),
      }))
    }
  }
}

/** Sums up the boxes that no entry of `SECRET_KEYS` opens, and those that only an older one opens. */
export function sumSeals(seals: readonly SealCount[], ring: KeyRing) {
  const isLost = ({ keyId }: SealCount) => ring.find(keyId) === undefined
  const isOld = (seal: SealCount) => !isLost(seal) && seal.keyId !== ring.current.id
  return { lost: totals(seals.filter(isLost)), old: totals(seals.filter(isOld)) }
}

/** The number of sealed texts by kind. */
export type SealTotals = Record<string, number>

function totals(seals: readonly SealCount[]): SealTotals {
  const sums: SealTotals = {}
  for (const { kind, total } of seals) sums[kind] = (sums[kind] ?? 0) + total
  return sums
}

/** Such as `2 seeds, 1 channel`; empty for nothing. */
export function listSeals(sums: SealTotals): string {
  return Object.entries(sums)
    .map(([kind, total]) => `${total} ${kind}${total === 1 ? '' : 's'}`)
    .join(', ')
}
