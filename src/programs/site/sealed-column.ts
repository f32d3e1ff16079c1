import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from '../../core/database/database.ts'
import type { THE_SERVICE, writing } from '../../core/database/statements.ts'

/** A row with a sealed text. */
export interface SealedRow {
  id: number | string
  sealed: string
  /** Empty where the column has no `owner`. */
  kind: string
  /** The id of a user; null for the operators, and where the column has no `owner`. */
  ownerId: number | null
}

/** A column of sealed texts. */
export interface SealedColumn {
  /** SQL: the name of what is sealed, for messages. */
  kind: string
  table: SQLiteTable
  /** The primary key. */
  id: SQLiteColumn
  column: SQLiteColumn
  /** Where the text is sealed for a kind and an owner: their columns. */
  owner?: { kind: SQLiteColumn; id: SQLiteColumn }
  /** SQL. */
  where: string
  /** Returns the use of the text, as `sealBox` got it. */
  useOf: (row: SealedRow) => string
  /** Stores the text under another entry, while the row still has the one that was read. */
  replace: (
    db: Database,
    by: typeof THE_SERVICE,
    sealed: string,
    which: SQL | undefined,
  ) => SealedWrite
}
export type SealedWrite = ReturnType<ReturnType<typeof writing>['update']>
