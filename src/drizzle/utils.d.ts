import type { SQLiteSession } from 'drizzle-orm/sqlite-core'

type Session = SQLiteSession<'async', never, never, never>

/** What Drizzle's drivers and dialects share: exported, but missing from its types. */
declare module 'drizzle-orm/utils' {
  /** What is read of a row, in the order of its columns. */
  type SelectedFieldsOrdered = NonNullable<Parameters<Session['prepareQuery']>[1]>

  export function orderSelectedFields(fields: Record<string, unknown>): SelectedFieldsOrdered

  export function mapResultRow(
    fields: SelectedFieldsOrdered,
    values: unknown[],
    joinsNotNullableMap: Record<string, boolean> | undefined,
  ): unknown
}
