import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAdminPassword } from '../kit/admin-password.ts'
import { runCommand } from '../kit/command-error.ts'
import {
  type Given,
  readCommandLine,
  type Shape,
  type Taken,
  takes,
  type Takes,
} from '../kit/declaration.ts'
import { listDomains } from '../site/cloudflare.ts'
import { makeWorker } from './bundle.ts'
import { createDeployedAccounts } from './deployed-accounts.ts'
import { STEPS } from './steps.ts'
import { runSteps } from './run-steps.ts'
import { writePrivately } from '../kit/prepare-process.ts'
import { readSiteConfig } from '../site/site-config.ts'
import { runWrangler } from '../site/wrangler.ts'
import { latchkey } from '../kit/printed-command.ts'

const ATTACH: Taken<string[] | undefined> = {
  form: '--attach <host...>',
  about: [
    'attaches a custom domain of wrangler.toml, and replaces what has that name at Cloudflare',
    '绑定 wrangler.toml 中的自定义域名，并替换 Cloudflare 上占用该名称的内容',
  ],
}

/** `npm run deploy`: deploys a new site to Cloudflare, or upgrades one. */
const SHAPE = {
  about: 'Deploys this site to Cloudflare.',
  zh: '将本站点部署到 Cloudflare。',
  takes: {
    attach: ATTACH,
    dryRun: takes(
      '--dry-run',
      'shows what would be done, and runs the parts that need no network',
      '显示将要做什么，并运行不需要网络的部分',
    ),
  },
  notes: [
    `Sign in first, with npx wrangler login or CLOUDFLARE_API_TOKEN. If the sign-in has several accounts,
choose one with CLOUDFLARE_ACCOUNT_ID. A second run upgrades the site and keeps its data. ADMIN_PASSWORD
chooses the first password of admin; otherwise one is made and printed once.`,
    `请先用 npx wrangler login 或 CLOUDFLARE_API_TOKEN 登录。登录中有多个账户时，用 CLOUDFLARE_ACCOUNT_ID 选择一个。
再次运行会升级站点并保留数据。ADMIN_PASSWORD 指定 admin 的初始密码，否则会生成一个并只显示一次。`,
  ],
  examples: ['npm run deploy -- --dry-run'],
} as const satisfies Shape<Takes>

writePrivately()
await runCommand(async () => {
  const options = readCommandLine('npm run deploy --', SHAPE, process.argv.slice(2), process.env)
  if (options !== undefined) await deploy(options)
})

async function deploy({ attach = [], dryRun }: Given<typeof SHAPE.takes>): Promise<void> {
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
      makeWorker,
      print: (line: string) => console.log(line),
      main: '',
      resources: { databaseId: undefined, namespaceId: undefined },
      addresses: [],
    }
    await runSteps(STEPS, deployment, dryRun)
    console.log(dryRun ? 'Nothing was changed.' : `Done. Next: ${latchkey('doctor', '--remote')}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
