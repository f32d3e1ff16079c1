import { readFileSync, writeFileSync } from 'node:fs'
import { buildDocument } from './openapi/document.ts'
import { CommandError, runCommand } from '../src/cli/command-error.ts'

/**
 * `npm run openapi`: writes the OpenAPI document from the routes; with `--check`, fails instead
 * when it is stale.
 */
await runCommand(async () => {
  const document = buildDocument()
  const files = {
    'schema/openapi.json': `${JSON.stringify(document, undefined, 2)}\n`,
    'src/pages/assets/openapi.json': JSON.stringify(document),
  }
  for (const [file, content] of Object.entries(files)) {
    if (!process.argv.includes('--check')) writeFileSync(file, content)
    else if (readFileSync(file, 'utf8') !== content)
      throw new CommandError(`${file} is stale: npm run openapi`)
  }
})
