import { globSync, readFileSync } from 'node:fs'
import { findForbiddenImports, findUnusedEdges } from './rooms.ts'

/** `npm run rooms`: fails when a file of `src` imports what its room may not use. */
const paths = globSync('src/**/*.{ts,tsx}').filter((path) => !path.endsWith('.d.ts'))
const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
const violations = [
  ...findForbiddenImports(sources),
  ...findUnusedEdges(sources).map((edge) => `Nothing uses the edge “${edge}”: remove it`),
]
for (const violation of violations) console.error(violation)
if (violations.length > 0) process.exitCode = 1
else console.log(`Rooms: ${paths.length} files import only what they may.`)
