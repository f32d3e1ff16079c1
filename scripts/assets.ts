import { buildAssets } from './assets/build.ts'
import { buildPrograms } from './assets/programs.ts'
import { runCommand } from '../src/programs/kit/command-error.ts'

/**
 * `npm run assets`: builds the files that browsers load, and the programs of `src/programs`. npm
 * runs it before what needs them.
 */
await runCommand(async () => {
  buildAssets()
  await buildPrograms('.')
})
