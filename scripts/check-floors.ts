import { globSync, readFileSync } from 'node:fs'
import { findUpwardImports } from './floors.ts'

/** `npm run floors`: fails when an import of `src` points to a higher floor. */
const paths = globSync('src/**/*.{ts,tsx}').filter((path) => !path.endsWith('.d.ts'))
const violations = findUpwardImports(
  new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])),
)
for (const violation of violations) console.error(violation)
if (violations.length > 0) process.exitCode = 1
else console.log(`Floors: the imports of ${paths.length} files point down.`)
