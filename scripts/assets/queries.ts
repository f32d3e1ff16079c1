import { join } from 'node:path'
import { textsOfSignIn } from '../../src/capabilities/sign-in/sign-in-texts.ts'
import { textsOfActor } from '../../src/core/access/actor-queries.ts'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'

/** Modules with the text of the statements that a fresh isolate runs before it has read Drizzle. */
const FOLDER = '.build/queries'

/** Stands where no statement is run. */
const NO_D1: D1Database = {
  prepare: refuse,
  batch: refuse,
  exec: refuse,
  withSession: refuse,
  dump: refuse,
}

/** Returns the content of each module, by path. */
export function makeQueries(): [path: string, content: string][] {
  const db = openDatabase(NO_D1, createMeter())
  return [
    moduleOf('actor', 'src/core/access/actor-queries.ts', textsOfActor(db)),
    moduleOf('sign-in', 'src/capabilities/sign-in/sign-in-texts.ts', textsOfSignIn(db)),
  ]
}

function moduleOf(name: string, source: string, texts: object): [path: string, content: string] {
  const content = `// Made by \`npm run assets\` from ${source}; change it there.
export const TEXTS = ${JSON.stringify(texts)}
`
  return [join(FOLDER, `${name}.ts`), content]
}

function refuse(): never {
  throw new TypeError('statements are built here, not run')
}
