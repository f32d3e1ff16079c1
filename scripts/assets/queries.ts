import { textsOfActor } from '../../src/core/access/actor-queries.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'

/** Stands where no query is run. */
const NO_D1: D1Database = {
  prepare: refuse,
  batch: refuse,
  exec: refuse,
  withSession: refuse,
  dump: refuse,
}

/** Returns a module with the text of the queries that a fresh isolate runs without Drizzle. */
export function queriesModule(): string {
  const texts = textsOfActor(openDatabase(NO_D1, createMeter()))
  return `// Made by \`npm run assets\` from src/core/access/actor-queries.ts; change it there.
export const ACCOUNT_OF_ACTOR = ${JSON.stringify(texts)}
`
}

function refuse(): never {
  throw new TypeError('queries are built here, not run')
}
