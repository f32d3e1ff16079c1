import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { selectMigrations } from '../../core/database/migrations.ts'
import { kib, rehearseUpload, writeUploadConfig } from './bundle.ts'
import { findResources, listSecrets, readJson } from '../site/cloudflare.ts'
import { CommandError } from '../kit/command-error.ts'
import { openDeployed } from './deployed-accounts.ts'
import type { Deployment, Step } from './run-steps.ts'
import {
  findProductionSecretKeys,
  makeProductionSecretKeys,
  PRODUCTION_FILE,
} from '../site/dev-vars.ts'
import { tryMigrations } from '../site/local-migrations.ts'
import {
  customDomains,
  leftAsItIs,
  listMigrations,
  namespaceTitle,
  refuseLaterMigrations,
  uploadConfig,
} from '../site/site-config.ts'

/** The limit of the free plan, after compression. */
const MAX_GZIP_BYTES = 3 * 1024 * 1024
/** A placeholder for the ids that Cloudflare assigns. */
const NO_ID = '00000000-0000-0000-0000-000000000000'
const SECRET = 'SECRET_KEYS'

const whoamiSchema = v.object({
  accounts: v.array(v.object({ id: v.string(), name: v.string() })),
})
const uploadSchema = v.object({ type: v.literal('deploy'), targets: v.array(v.string()) })

const signIn: Step = {
  title: 'Checking the sign-in at Cloudflare',
  remedy: 'Fix the sign-in.',
  rehearse: async () => 'would ask wrangler which account is signed in',
  async run(deployment) {
    const { wrangler, config } = deployment
    const { accounts } = await readJson(wrangler, ['whoami', '--json'], whoamiSchema)
    const chosen = process.env['CLOUDFLARE_ACCOUNT_ID'] ?? config['account_id']
    const account = chosen ? accounts.find(({ id }) => id === chosen) : accounts[0]
    if (account === undefined || (!chosen && accounts.length > 1)) {
      const list = accounts.map(({ id, name }) => `  ${id}  ${name}`).join('\n')
      throw new CommandError(
        `Choose one of these accounts with CLOUDFLARE_ACCOUNT_ID=<id>:\n${list}`,
      )
    }
    await refuseNewDomains(deployment, account.id)
    return `signed in, to the account "${account.name}"`
  },
}

/** Wrangler asks nobody before it attaches a domain, because its output is no terminal. */
async function refuseNewDomains(
  { config, attach, listDomains }: Deployment,
  accountId: string,
): Promise<void> {
  const asked = customDomains(config).filter((host) => !attach.includes(host))
  if (asked.length === 0) return
  const attached = await listDomains(accountId)
  const added = asked.filter((host) => !attached.includes(host))
  if (added.length === 0) return
  throw new CommandError(
    `These custom domains of wrangler.toml do not lead to this Worker yet: ${added.join(', ')}. Attaching one replaces a DNS record of that name, and takes the name from another Worker. Look at both in the dashboard, then run npm run deploy -- --attach ${added.join(' ')}.`,
  )
}

const build: Step = {
  title: 'Building the Worker',
  remedy: 'This step needs no network; npm run check may show the cause.',
  rehearse: buildWorker,
  run: buildWorker,
}

async function buildWorker(deployment: Deployment): Promise<string> {
  const { wrangler, config, folder, makeWorker } = deployment
  const configPath = join(folder, 'build.json')
  const placeholders = { databaseId: NO_ID, namespaceId: NO_ID }
  const { main, gzipBytes } = await makeWorker(config, join(folder, 'worker'))
  deployment.main = main
  writeUploadConfig(configPath, uploadConfig(config, placeholders), main)
  await rehearseUpload(wrangler, folder, configPath)
  if (gzipBytes > MAX_GZIP_BYTES)
    throw new CommandError(
      `The Worker has ${kib(gzipBytes)} gzip, but the free plan allows only ${kib(MAX_GZIP_BYTES)}.`,
    )
  return `${kib(gzipBytes)} gzip; the free plan allows ${kib(MAX_GZIP_BYTES)}`
}

const provision: Step = {
  title: 'Preparing the database and the KV namespace',
  remedy: 'Nothing was lost.',
  rehearse: async ({ config }) =>
    `would look for the database "${databaseName(config)}" and the namespace "${namespaceTitle(config)}", and create what is missing`,
  async run(deployment) {
    const { wrangler, config } = deployment
    const found = await findResources(wrangler, config)
    await refuseForeignWorker(deployment, found.databaseId !== undefined)
    // Created here and not by the upload: migrations come before it, and wrangler refuses to repeat
    // an upload that created the namespace and then failed.
    if (found.databaseId !== undefined && found.namespaceId === undefined)
      await refuseForeignDatabase(deployment)
    if (found.databaseId === undefined) await wrangler(['d1', 'create', databaseName(config)])
    if (found.namespaceId === undefined)
      await wrangler(['kv', 'namespace', 'create', namespaceTitle(config)])
    const isComplete = found.databaseId !== undefined && found.namespaceId !== undefined
    deployment.resources = isComplete ? found : await findResources(wrangler, config)
    return [
      `database "${databaseName(config)}" ${found.databaseId === undefined ? 'created' : 'kept'}`,
      `namespace "${namespaceTitle(config)}" ${found.namespaceId === undefined ? 'created' : 'kept'}`,
    ].join(', ')
  },
}

/** Refuses to replace a Worker that is not Latchkey's: a site has its database before its Worker. */
async function refuseForeignWorker(deployment: Deployment, hasDatabase: boolean): Promise<void> {
  const { name } = deployment.config
  if (hasDatabase || (await listSecrets(deployment.wrangler, deployment.config)) === undefined)
    return
  throw new CommandError(
    `This account has a Worker "${name}" but no database for it: the Worker is another project's, or the database was deleted. Choose another name in wrangler.toml, or delete that Worker.`,
  )
}

const tablesSchema = v.tuple([v.looseObject({ results: v.array(v.unknown()) })])

/**
 * Refuses the database of another site: a site has its namespace before its database has tables.
 * Only a database that was made from a backup has tables first, and that site brings its secret.
 */
async function refuseForeignDatabase({ wrangler, config }: Deployment): Promise<void> {
  if (process.env[SECRET] !== undefined && process.env[SECRET] !== '') return
  const query = ['--command', "select name from sqlite_master where name = 'users'"]
  const args = ['d1', 'execute', 'DB', '--remote', '--json', ...query]
  const [{ results }] = await readJson(wrangler, args, tablesSchema)
  if (results.length === 0) return
  throw new CommandError(
    `The database "${databaseName(config)}" has the tables of another site, because "${config.name}" was never deployed here. Give this site a database of its own (database_name in wrangler.toml); or, for a site from a backup, set SECRET_KEYS in the environment (docs/deploying.md, Backup).`,
  )
}

const secret: Step = {
  title: `Checking ${SECRET}`,
  remedy: 'No secret was changed.',
  rehearse: async () =>
    `would keep the secret of the deployed Worker, or create one and keep a copy in ${PRODUCTION_FILE}`,
  async run(deployment) {
    const secrets = await listSecrets(deployment.wrangler, deployment.config)
    if (secrets?.includes(SECRET)) return 'the deployed Worker keeps its secret'
    const kept = findProductionSecretKeys()
    // A file on the machine of Workers Builds is gone after the build, and with it the only copy.
    if (kept === undefined && isInWorkersBuilds())
      throw new CommandError(
        `The Worker has no ${SECRET}. Make one with npm run secrets, keep a copy, and set it in the dashboard: Workers, "${deployment.config.name}", Settings, Variables and Secrets.`,
      )
    deployment.secretKeys = kept ?? makeProductionSecretKeys()
    if (kept !== undefined) return 'found on this machine; it is uploaded with the Worker'
    return `created; it is uploaded with the Worker. Its only copy is ${PRODUCTION_FILE}: keep that file safe`
  },
}

const migrate: Step = {
  title: 'Applying the migrations of the database',
  remedy: 'The failed migration was rolled back; the migrations before it stay.',
  async rehearse({ config }) {
    const migrations = listMigrations(config)
    await tryMigrations(config.d1_databases[0].migrations_dir, migrations)
    return `${migrations.length} apply to an empty database: ${migrations.join(', ')}`
  },
  async run({ wrangler, config, folder }) {
    await wrangler(['d1', 'migrations', 'apply', 'DB', '--remote'])
    const known = listMigrations(config)
    refuseLaterMigrations(
      known,
      await selectMigrations(openDeployed(wrangler, folder)),
      leftAsItIs('deploy that version, or go back with Time Travel (docs/deploying.md, Backup)'),
    )
    return `all ${known.length} are applied`
  },
}

const upload: Step = {
  title: 'Uploading the Worker',
  // wrangler may have uploaded the Worker when it fails; the tables fit both versions.
  remedy:
    'The new version may serve already, or the one before: wrangler uploads the Worker first, and then sets its cron triggers, its address and its domains.',
  rehearse: async ({ config }) => `would upload "${config.name}" and its cron trigger`,
  async run(deployment) {
    const { wrangler, config, folder, main, resources, secretKeys } = deployment
    const configPath = join(folder, 'upload.json')
    writeUploadConfig(configPath, uploadConfig(config, resources), main)
    const secretsFile = join(folder, 'secrets.json')
    if (secretKeys !== undefined)
      // JSON, because wrangler prefers the environment to a file in another format.
      writeFileSync(secretsFile, JSON.stringify({ [SECRET]: secretKeys }), { mode: 0o600 })
    const report = join(folder, 'report.ndjson')
    const args = ['deploy', '--config', configPath]
    if (secretKeys !== undefined) args.push('--secrets-file', secretsFile)
    await wrangler(args, { WRANGLER_OUTPUT_FILE_PATH: report })
    deployment.addresses = readAddresses(report)
    if (deployment.isNew === true && isOnWorkersDomain(config, deployment.addresses))
      deployment.print(PASSKEY_NOTE)
    return `serves on ${deployment.addresses.join(', ') || 'no address yet'}`
  },
}

/** @see https://developers.cloudflare.com/workers/ci-cd/builds/configuration/ */
function isInWorkersBuilds(): boolean {
  return process.env['WORKERS_CI'] === '1'
}

/** Reads the addresses from wrangler's report, which has one JSON object per line. */
function readAddresses(report: string): string[] {
  const lines = readFileSync(report, 'utf8').split('\n').filter(Boolean)
  for (const line of lines) {
    const reported = v.safeParse(uploadSchema, JSON.parse(line))
    // The report lists cron triggers as addresses, too.
    if (reported.success)
      return reported.output.targets.filter((target) => !target.startsWith('schedule:'))
  }
  return []
}

const PASSKEY_NOTE =
  '\n  Passkeys belong to the host name. A later move from workers.dev to a domain of your own loses them:\n  choose the domain before users add passkeys (docs/deploying.md, Passkeys).'

/** Tells whether the passkeys of a new site would belong to workers.dev. */
function isOnWorkersDomain({ vars }: Deployment['config'], addresses: readonly string[]): boolean {
  const chosen = v.is(v.object({ PASSKEY_RP_ID: v.pipe(v.string(), v.minLength(1)) }), vars)
  return !chosen && addresses.some((address) => address.endsWith('.workers.dev'))
}

const admin: Step = {
  title: 'Creating the first accounts',
  remedy: 'No account was made.',
  rehearse: async () => 'would create the users admin and guest, unless there is an admin',
  async run(deployment) {
    const { createFirstAccounts, adminPassword, print } = deployment
    const password = await createFirstAccounts()
    if (password === undefined) return 'there is an admin already'
    deployment.isNew = true
    if (adminPassword !== undefined) return 'created: admin, with the password from ADMIN_PASSWORD'
    print(`\n  user      admin\n  password  ${password}\n`)
    if (isInWorkersBuilds())
      return 'created. Cloudflare keeps this log, and members of the account can read it: sign in and change the password now'
    return 'created; the password is shown only once'
  },
}

/**
 * The steps, in an order that may stop anywhere: the code is deployed after its secret, its tables
 * and its first admin. An upload may fail each time, at a trigger or a domain, and serve yet.
 */
export const STEPS: readonly Step[] = [signIn, build, provision, secret, migrate, admin, upload]

function databaseName({ d1_databases: [database] }: Deployment['config']): string {
  return database.database_name
}
