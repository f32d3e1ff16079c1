import { readFileSync, writeFileSync } from 'node:fs'
import { buildDocument } from './openapi/document.ts'
import { CommandError, runCommand } from '../src/programs/kit/command-error.ts'

const FILE = 'schema/openapi.json'

/**
 * `npm run openapi`: writes the OpenAPI document from the routes; with `--check`, fails instead
 * when it is stale.
 */
await runCommand(async () => {
  const content = `${JSON.stringify(await buildDocument(), undefined, 2)}\n`
  if (!process.argv.includes('--check')) writeFileSync(FILE, content)
  else if (readFileSync(FILE, 'utf8') !== content)
    throw new CommandError(`${FILE} is stale: npm run openapi`)
})
