import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { readAdminPassword } from '../shared/admin-password.ts'
import { runCommand } from '../shared/command-error.ts'
import { listDomains } from '../site/cloudflare.ts'
import { createDeployedAccounts } from './deployed-accounts.ts'
import { STEPS } from './steps.ts'
import { runSteps } from './run-steps.ts'
import { writePrivately } from '../shared/prepare-process.ts'
import { readSiteConfig } from '../site/site-config.ts'
import { runWrangler } from '../site/wrangler.ts'
import { latchkey } from '../shared/printed-command.ts'

const HELP = `
Sign in first, with npx wrangler login or CLOUDFLARE_API_TOKEN. If the sign-in has several accounts,
choose one with CLOUDFLARE_ACCOUNT_ID. A second run upgrades the site and keeps its data. ADMIN_PASSWORD
chooses the first password of admin; otherwise one is made and printed once.

Example:
  npm run deploy -- --dry-run`

/** `npm run deploy`: deploys a new site to Cloudflare, or upgrades one. */
const program = new Command('npm run deploy --')
  .description('Deploys this site to Cloudflare.')
  .option(
    '--attach <host...>',
    'attaches a custom domain of wrangler.toml, and replaces what has that name at Cloudflare',
  )
  .option('--dry-run', 'shows what would be done, and runs the parts that need no network')
  .addHelpText('after', HELP)
  .allowExcessArguments(false)
  .action(deploy)

writePrivately()
await runCommand(async () => {
  await program.parseAsync()
})

interface Options {
  attach?: string[]
  dryRun?: boolean
}

async function deploy({ attach = [], dryRun = false }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-deploy-'))
  try {
    const adminPassword = readAdminPassword(process.env)
    const config = await readSiteConfig()
    const deployment = {
      wrangler: runWrangler,
      config,
      attach,
      listDomains: (accountId: string) => listDomains(runWrangler, accountId, config.name),
      folder,
      adminPassword,
      createFirstAccounts: () => createDeployedAccounts(runWrangler, folder, adminPassword),
      print: (line: string) => console.log(line),
      resources: { databaseId: undefined, namespaceId: undefined },
      addresses: [],
    }
    await runSteps(STEPS, deployment, dryRun)
    console.log(dryRun ? 'Nothing was changed.' : `Done. Next: ${latchkey('doctor', '--remote')}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
