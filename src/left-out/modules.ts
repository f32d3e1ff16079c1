/**
 * Stands in the Worker for modules of Drizzle and Hono that nothing here uses, but that esbuild
 * can't drop by itself (`[alias]` in `wrangler.toml`, with what each saves). Functions say so when
 * they are called; the four below do nothing, for the libraries do call them. A name that is
 * missing here fails the build; a module that moves makes the bundle larger again, which `npm run
 * size` sees. Node and the tests load the real modules.
 */
function leftOut(): never {
  throw new Error('left out of the bundle: see [alias] in wrangler.toml')
}

// Queries and tables by callback, mounted apps, bodies parsed as forms.
export {
  leftOut as QueryBuilder,
  leftOut as SelectionProxyHandler,
  leftOut as createMountedRequest,
  leftOut as getPgColumnBuilders,
  leftOut as getSQLiteColumnBuilders,
  leftOut as parseBody,
}

// The constraints of `schema/tables.ts`, which only drizzle-kit asks for.
export {
  leftOut as CheckBuilder,
  leftOut as IndexBuilder,
  leftOut as PrimaryKeyBuilder,
  leftOut as UniqueConstraintBuilder,
  leftOut as check,
  leftOut as index,
  leftOut as primaryKey,
  leftOut as unique,
}

/** Drizzle makes these with the table, though it reads them with the other constraints. */
export class ForeignKeyBuilder {
  onDelete() {
    return this
  }

  onUpdate() {
    return this
  }

  build() {
    return this
  }
}

/** Columns keep it for drizzle-kit. */
export const uniqueKeyName = () => ''

/** SQLite has no enums. */
export const isPgEnum = () => false

/** Nobody traces. */
export const tracer = { startActiveSpan: <Result>(_: string, work: () => Result) => work() }
