import { globSync, readFileSync } from 'node:fs'
import { findCircles } from './circles.ts'
import { findForbiddenImports, findUnusedEdges, staticImportsOf } from './rooms.ts'

/**
 * `npm run rooms`: fails when a file of `src` imports what its room may not use, and when files
 * import each other in a circle.
 */
const paths = globSync('{src,schema,scripts,test}/**/*.{ts,tsx}').filter(
  (path) => !path.endsWith('.d.ts'),
)
const texts = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
const sources = new Map(Array.from(texts).filter(([path]) => path.startsWith('src/')))
const imports = new Map(Array.from(texts, ([path, text]) => [path, staticImportsOf(path, text)]))
const violations = [
  ...findForbiddenImports(sources),
  ...findUnusedEdges(sources).map((edge) => `Nothing uses the edge “${edge}”: remove it`),
  ...findCircles(imports).map((circle) => `These files import each other: ${circle.join(', ')}`),
]
for (const violation of violations) console.error(violation)
if (violations.length > 0) process.exitCode = 1
else
  console.log(
    `Rooms: ${sources.size} files import only what they may, and none of ${paths.length} files is in a circle.`,
  )
