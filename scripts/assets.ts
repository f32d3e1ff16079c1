import { buildAssets } from './assets/build.ts'
import { buildPrograms } from './assets/programs.ts'
import { runCommand } from '../src/cli/shared/command-error.ts'

/**
 * `npm run assets`: builds the files that browsers load, and the programs of `src/cli`. npm runs it
 * before what needs them.
 */
await runCommand(async () => {
  buildAssets()
  await buildPrograms('.')
})
