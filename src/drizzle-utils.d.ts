import type { SQLiteSession } from 'drizzle-orm/sqlite-core'

declare module 'drizzle-orm/utils' {
  /** How all drivers of Drizzle read a row: exported, but missing from its types. */
  export function mapResultRow(
    fields: NonNullable<Parameters<SQLiteSession<'async', never, never, never>['prepareQuery']>[1]>,
    values: unknown[],
    joinsNotNullableMap: Record<string, boolean> | undefined,
  ): unknown
}
