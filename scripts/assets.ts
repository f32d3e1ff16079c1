import { buildAssets } from './assets/build.ts'
import { runCommand } from '../src/cli/shared/command-error.ts'

/** `npm run assets`: builds the files that browsers load. npm runs it before what needs them. */
await runCommand(async () => buildAssets())
