import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { runCommand } from '../command-error.ts'
import { STEPS } from './steps.ts'
import { takeSteps } from './run-steps.ts'
import { createFirstAccounts } from '../operator/first-accounts.ts'
import { writePrivately } from '../prepare-process.ts'
import { withSite } from '../site.ts'
import { readSiteConfig } from './site-config.ts'
import { runWrangler } from '../wrangler.ts'

const HELP = `
Sign in first, with npx wrangler login or CLOUDFLARE_API_TOKEN; where the sign-in reaches several
accounts, choose one with CLOUDFLARE_ACCOUNT_ID. Running it again upgrades the site and keeps its data.

Example:
  npm run deploy -- --dry-run`

/**
 * `npm run deploy`: from a Cloudflare account to a site that answers, and from one version to the
 * next.
 */
const program = new Command('npm run deploy --')
  .description('Deploys this site to Cloudflare.')
  .option('--dry-run', 'says what would be done, and tries what can be tried without network')
  .addHelpText('after', HELP)
  .allowExcessArguments(false)
  .action(deploy)

writePrivately()
await runCommand(async () => {
  await program.parseAsync()
})

async function deploy({ dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-deploy-'))
  try {
    const deployment = {
      wrangler: runWrangler,
      config: await readSiteConfig(),
      folder,
      makeFirstAccounts,
      print: (line: string) => console.log(line),
      resources: { databaseId: undefined, namespaceId: undefined },
      addresses: [],
    }
    await takeSteps(STEPS, deployment, dryRun)
    console.log(dryRun ? 'Nothing was changed.' : 'Done. Next: npm run latchkey -- doctor --remote')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeFirstAccounts(): Promise<string | undefined> {
  return withSite({ remote: true }, (site) => createFirstAccounts(site))
}
