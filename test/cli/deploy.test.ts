import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi, inject } from 'vitest'
import { parseSecretKeys } from '../../src/core/crypto/key-ring.ts'
import { explain, type Wrangler } from '../../src/programs/site/cloudflare.ts'
import { createDeployedAccounts } from '../../src/programs/deploy/deployed-accounts.ts'
import { CommandError } from '../../src/programs/kit/command-error.ts'
import { STEPS } from '../../src/programs/deploy/steps.ts'
import { runSteps } from '../../src/programs/deploy/run-steps.ts'
import { loadWrangler } from '../../src/programs/site/platform-tools.ts'
import { readSiteConfig } from '../../src/programs/site/site-config.ts'
import { runWrangler } from '../../src/programs/site/wrangler.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { FakeCloudflare } from '../support/fake-cloudflare.ts'
import { readMigrations } from '../support/migrate.ts'
import { SECRET_KEYS } from '../support/secrets.ts'
import { ServedWorker } from '../support/served-worker.ts'

/** An account at Cloudflare as wrangler shows it; what wrangler was asked for, and when to fail. */
class FakeWrangler {
  databases: { name: string; uuid: string }[] = []
  namespaces: { title: string; id: string }[] = []
  accounts = [{ id: 'account', name: 'Example' }]
  secrets: string[] | undefined
  migrated = false
  /** Migrations of any version. */
  applied: string[] = []
  /** Whether the database has tables of a site. */
  hasTables = false
  /** The hosts that lead to the Worker. */
  domains: string[] = []
  uploads: { config: unknown; secrets: unknown }[] = []
  asked: string[] = []
  /** The command that fails, by how it begins. */
  failing = ''
  complaint = 'out of order'

  run = async (args: string[], env: Record<string, string> = {}): Promise<string> => {
    const command = args.join(' ')
    this.asked.push(command)
    if (this.failing !== '' && command.startsWith(this.failing))
      throw new CommandError(`wrangler ${this.failing} failed:\n${this.complaint}`)
    if (command === 'whoami --json') return JSON.stringify({ accounts: this.accounts })
    if (command === 'd1 list --json') return JSON.stringify(this.databases)
    if (command === 'kv namespace list') return JSON.stringify(this.namespaces)
    if (command.startsWith('d1 create')) this.databases.push({ name: args[2] ?? '', uuid: 'D' })
    if (command.startsWith('kv namespace create'))
      this.namespaces.push({ title: args[3] ?? '', id: 'N' })
    if (command.startsWith('d1 migrations apply DB --remote')) this.migrated = true
    if (command.includes('sqlite_master'))
      return JSON.stringify([{ results: this.hasTables ? [{ name: 'users' }] : [] }])
    if (command.startsWith('d1 execute DB --remote'))
      return JSON.stringify([{ results: this.applied.map((name) => ({ name })) }])
    if (command.startsWith('secret list')) return this.#listSecrets()
    if (command.startsWith('deploy')) this.#deploy(args, env)
    return ''
  }

  #listSecrets(): string {
    if (this.secrets === undefined) throw new CommandError('Worker "latchkey" not found.')
    return JSON.stringify(this.secrets.map((name) => ({ name, type: 'secret_text' })))
  }

  #deploy(args: string[], env: Record<string, string>): void {
    const option = (name: string) => args[args.indexOf(name) + 1] ?? ''
    if (args.includes('--dry-run')) return
    const hasSecrets = args.includes('--secrets-file')
    this.uploads.push({
      config: readJsonFile(option('--config')),
      secrets: hasSecrets && readJsonFile(option('--secrets-file')),
    })
    if (hasSecrets) this.secrets = ['SECRET_KEYS']
    const targets = ['https://latchkey.example.workers.dev', 'schedule: 17 3 * * *']
    writeFileSync(
      env['WRANGLER_OUTPUT_FILE_PATH'] ?? '',
      `{"type":"wrangler-session"}\n${JSON.stringify({ type: 'deploy', targets })}\n`,
    )
  }
}

function readJsonFile(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

const home = process.cwd()
let clone: Clone

beforeEach(() => {
  clone = new Clone(inject('freshClone'))
})
afterEach(async () => {
  process.chdir(home)
  await clone.remove()
})

const TINY = 'export class PasswordHasher {}\nexport default { fetch: () => new Response() }\n'

/** Writes a Worker in the place of ours, which takes seconds to build. */
function writeTiny(folder: string): string {
  mkdirSync(folder)
  const main = join(folder, 'worker.js')
  writeFileSync(main, TINY)
  return main
}

/** A site's folder, an account, and what `npm run deploy` prints there. */
function operator<W extends { run: Wrangler; domains?: string[] }>(wrangler: W, steps = STEPS) {
  process.chdir(clone.folder)
  let hasAdmin = false
  const size = { gzipBytes: TINY.length }
  const makeWorker = async (_: unknown, folder: string) => ({
    main: writeTiny(folder),
    bytes: TINY.length,
    ...size,
  })
  const createFirstAccounts = async () => {
    const password = hasAdmin ? undefined : 'first-password'
    hasAdmin = true
    return password
  }
  const listDomains = async () => wrangler.domains ?? []
  async function deploy(isRehearsal = false, adminPassword?: string, attach: string[] = []) {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-deploy-test-'))
    const printed: string[] = []
    const resources = { databaseId: undefined, namespaceId: undefined }
    const config = await readSiteConfig()
    const accounts = { createFirstAccounts, adminPassword, attach, listDomains }
    const deployment = { wrangler: wrangler.run, config, folder, resources, ...accounts }
    const main = writeTiny(join(folder, 'tiny'))
    const print = (line: string) => printed.push(line)
    try {
      await runSteps(steps, { ...deployment, makeWorker, main, print, addresses: [] }, isRehearsal)
      return { printed: printed.join('\n'), failure: undefined }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      return { printed: printed.join('\n'), failure: error.message }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  return { wrangler, deploy, size }
}

describe('npm run deploy', () => {
  test('makes a site in a new account, with its secret and tables before its code', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    const { printed, failure } = await deploy()
    expect(failure).toBeUndefined()
    const changes = wrangler.asked.filter((command) =>
      /create|apply|^deploy --config/.test(command),
    )
    expect(
      changes.map((command) => command.split(' ').slice(0, 3).join(' ').replace(/ \/.*/, '')),
    ).toEqual([
      'd1 create latchkey',
      'kv namespace create',
      'd1 migrations apply',
      'deploy --config',
    ])
    const [upload] = wrangler.uploads
    expect(upload?.config).toMatchObject({
      d1_databases: [{ binding: 'DB', database_id: 'D' }],
      kv_namespaces: [{ binding: 'SETTINGS', id: 'N' }],
    })
    const copy = readFileSync('.production.vars', 'utf8')
    expect(copy).toMatch(/^SECRET_KEYS=[\w-]{43}\n$/)
    expect(statSync('.production.vars').mode & 0o777).toBe(0o600)
    expect(upload?.secrets).toEqual({ SECRET_KEYS: copy.trim().split('=')[1] })
    expect(printed.match(/first-password/g)).toHaveLength(1)
    expect(printed).toContain('serves on https://latchkey.example.workers.dev')
    expect(printed).toContain('Passkeys belong to the host name.')
    expect(printed).not.toContain(copy.trim().split('=')[1])
    expect(wrangler.asked.join('\n')).not.toContain(copy.trim().split('=')[1])
  })

  test('upgrades at the second run and keeps database, namespace, secret and admin', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    await deploy()
    rmSync('.production.vars')
    wrangler.asked = []
    const { printed, failure } = await deploy()
    expect(failure).toBeUndefined()
    expect(printed).not.toContain('Passkeys')
    expect(wrangler.asked.filter((command) => command.includes('create'))).toEqual([])
    expect(wrangler.uploads.at(-1)?.secrets).toBe(false)
    expect(existsSync('.production.vars')).toBe(false)
    expect(printed).toContain('there is an admin already')
    expect(printed).not.toContain('password')
  })

  test('says at every step that fails how to go on, and the next run ends well', async () => {
    const failures = [
      ['whoami', '1/7'],
      ['deploy --dry-run', '2/7'],
      ['d1 list', '3/7'],
      ['d1 create', '3/7'],
      ['kv namespace list', '3/7'],
      ['kv namespace create', '3/7'],
      ['secret list', '3/7'],
      ['d1 migrations apply', '5/7'],
      ['deploy --config', '7/7'],
    ] as const
    for (const [failing, number] of failures) {
      const { wrangler, deploy } = operator(new FakeWrangler())
      wrangler.failing = failing
      const first = await deploy()
      expect(first.failure).toMatch(new RegExp(`^${number} failed: wrangler .*\nout of order\n\n`))
      expect(first.failure).toContain('Then run npm run deploy again: it keeps what is done')
      expect(wrangler.uploads).toEqual([])
      // A secret that was made before the failure is the one that goes up.
      const kept = existsSync('.production.vars') && readFileSync('.production.vars', 'utf8')
      wrangler.failing = ''
      expect((await deploy()).failure).toBeUndefined()
      expect([wrangler.databases.length, wrangler.namespaces.length]).toEqual([1, 1])
      const copy = readFileSync('.production.vars', 'utf8')
      expect([false, copy]).toContain(kept)
      expect(wrangler.uploads[0]?.secrets).toEqual({ SECRET_KEYS: copy.trim().split('=')[1] })
      rmSync('.production.vars')
    }
  })

  test('asks which of several accounts, and tells who is not signed in', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    wrangler.accounts.push({ id: 'other', name: 'Other' })
    expect((await deploy()).failure).toMatch(
      /Choose one of these accounts with CLOUDFLARE_ACCOUNT_ID=<id>:\n {2}account {2}Example\n {2}other {2}Other\n/,
    )
    wrangler.run = async () => {
      throw new CommandError('wrangler whoami --json failed:\n{"loggedIn":false}')
    }
    expect((await deploy()).failure).toMatch(
      /^1\/7 failed: Not signed in to Cloudflare: run npx wrangler login, or set CLOUDFLARE_API_TOKEN\.\n/,
    )
  })

  test('names the right that the token of Workers Builds lacks', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    wrangler.failing = 'd1 migrations apply'
    wrangler.complaint = 'The given account is not valid or is not authorized [code: 7403]'
    expect((await deploy()).failure).toMatch(
      /^5\/7 failed: This sign-in may not use D1: give its API token the permission D1 \(edit\)\./,
    )
  })

  test.each([
    ['kv namespace list', 'Workers KV Storage', '3/7'],
    ['d1 list', 'D1', '3/7'],
    ['secret list', 'Workers Scripts', '3/7'],
    ['deploy --config', 'Workers Scripts', '7/7'],
  ])('names the right that is missing for %s', async (failing, right, number) => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    wrangler.failing = failing
    wrangler.complaint = 'Authentication error [code: 10000]'
    expect((await deploy()).failure).toContain(
      `${number} failed: This sign-in may not use ${right}: give its API token the permission ${right} (edit).`,
    )
  })

  test('makes the first admin before an upload that fails each time, and says what may serve', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    wrangler.failing = 'deploy --config'
    const { printed, failure } = await deploy()
    expect(printed).toContain('  password  first-password\n')
    expect(failure).toMatch(
      /^7\/7 failed: [^]*The new version may serve already, or the one before/,
    )
  })

  test('leaves the database of another site alone, unless a backup brings its secret', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    wrangler.databases.push({ name: 'latchkey', uuid: 'D' })
    wrangler.hasTables = true
    expect((await deploy()).failure).toMatch(
      /^3\/7 failed: The database "latchkey" has the tables of another site, because "latchkey" was never deployed here\./,
    )
    expect([wrangler.namespaces, wrangler.migrated, wrangler.uploads]).toEqual([[], false, []])
    expect(existsSync('.production.vars')).toBe(false)
    vi.stubEnv('SECRET_KEYS', SECRET_KEYS)
    try {
      expect((await deploy()).failure).toBeUndefined()
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('attaches a custom domain only when told to, and then keeps it', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    const domain = 'routes = [{ pattern = "accounts.example.org", custom_domain = true }]'
    writeFileSync('wrangler.toml', `${domain}\n${readFileSync('wrangler.toml', 'utf8')}`)
    expect((await deploy()).failure).toMatch(
      /^1\/7 failed: These custom domains [^]*npm run deploy -- --attach accounts\.example\.org\./,
    )
    expect(wrangler.uploads).toEqual([])
    expect((await deploy(false, undefined, ['accounts.example.org'])).failure).toBeUndefined()
    wrangler.domains = ['accounts.example.org']
    expect((await deploy()).failure).toBeUndefined()
  })

  test('keeps the variables of the dashboard, unless the file sets them', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    const toml = readFileSync('wrangler.toml', 'utf8')
    writeFileSync('wrangler.toml', toml.replace('ISSUER = ""', 'ISSUER = "https://a.example.org"'))
    // Of npm start alone.
    writeFileSync('.dev.vars', 'FRESH_MINUTES=0\nISSUER=http://localhost:8787\n')
    await deploy()
    expect(wrangler.uploads[0]?.config).toMatchObject({
      keep_vars: true,
      vars: { TOKEN_HOURS: '48', FRESH_MINUTES: '10', ISSUER: 'https://a.example.org' },
    })
    expect(wrangler.uploads[0]?.config).not.toHaveProperty('vars.PASSKEY_RP_ID')
  })

  test('leaves a Worker alone that has the name but not the database', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    wrangler.secrets = []
    expect((await deploy()).failure).toMatch(/has a Worker "latchkey" but no database for it/)
    expect(wrangler.databases).toEqual([])
    expect(wrangler.uploads).toEqual([])
  })

  test('refuses a Worker that the free plan would not take', async () => {
    const { wrangler, deploy, size } = operator(new FakeWrangler())
    size.gzipBytes = 3073 * 1024
    expect((await deploy()).failure).toMatch(/^2\/7 failed: The Worker has 3073\.0 KiB gzip/)
    expect(wrangler.databases).toEqual([])
  })

  test('uploads no code that is older than the database', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    wrangler.applied = ['0000_accounts.sql', '9999_later.sql']
    expect((await deploy()).failure).toMatch(
      /^5\/7 failed: A later version of Latchkey has changed the database \(9999_later\.sql\)/,
    )
    expect(wrangler.uploads).toEqual([])
  })

  test('stops in Workers Builds when the Worker has no secret', async () => {
    vi.stubEnv('WORKERS_CI', '1')
    try {
      const { wrangler, deploy } = operator(new FakeWrangler())
      wrangler.databases.push({ name: 'latchkey', uuid: 'D' })
      wrangler.secrets = []
      expect((await deploy()).failure).toContain(
        'The Worker has no SECRET_KEYS. Make one with npm run secrets, keep a copy, and set it in the dashboard: Workers, "latchkey"',
      )
      expect([wrangler.migrated, wrangler.uploads]).toEqual([false, []])
      expect(existsSync('.production.vars')).toBe(false)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('does not print the password that the operator has chosen', async () => {
    const { deploy } = operator(new FakeWrangler())
    const { printed } = await deploy(false, 'first-password')
    expect(printed).toContain('created: admin, with the password from ADMIN_PASSWORD')
    expect(printed).not.toContain('first-password')
  })

  test('takes a secret that is known here, and no invalid one', async () => {
    const { wrangler, deploy } = operator(new FakeWrangler())
    writeFileSync('.production.vars', 'SECRET_KEYS=short\n')
    expect((await deploy()).failure).toMatch(
      /^4\/7 failed: \.production\.vars is invalid: SECRET_KEYS/,
    )
    expect(wrangler.uploads).toEqual([])
    expect(readFileSync('.production.vars', 'utf8')).toBe('SECRET_KEYS=short\n')
  })

  test('does not blame the network when a rehearsal fails on this machine', async () => {
    const broken = STEPS.map((step) => ({
      ...step,
      rehearse: async () => {
        throw new CommandError('The migration can’t be applied: fetch failed')
      },
    }))
    const { failure } = await operator(new FakeWrangler(), broken).deploy(true)
    expect(failure).toContain('1/7 failed: The migration can’t be applied: fetch failed')
  })
})

/** A binding of a configuration, which has its name in one of two fields. */
type Bound = Record<'binding' | 'name', string>

/** Lists the variables and bindings of a configuration, as wrangler reads it. */
function bindingsOf(configPath: string): string[] {
  const config = loadWrangler().unstable_readConfig({ config: configPath })
  return [
    ...config.d1_databases.map(({ binding }: Bound) => binding),
    ...config.kv_namespaces.map(({ binding }: Bound) => binding),
    ...config.durable_objects.bindings.map(({ name }: Bound) => name),
    ...config.ratelimits.map(({ name }: Bound) => name),
    ...config.send_email.map(({ name }: Bound) => name),
    ...Object.keys(config.vars),
  ]
}

const DOMAIN = 'routes = [{ pattern = "accounts.example.org", custom_domain = true }]'

/** Signs admin in to the Worker that was uploaded, over the database that was migrated. */
async function signInAtUpload(cloudflare: FakeCloudflare, databaseId: string, password: string) {
  const worker = await ServedWorker.start(cloudflare.workerFolder, {
    stateFolder: cloudflare.d1.folder,
    databaseId,
  })
  try {
    const body = { username: 'admin', password }
    const { code, data } = await worker.call('POST', '/api/auth/login', { body })
    expect(code).toBe(200)
    const me = await worker.call('GET', '/api/me', { token: data.token })
    expect(me.data).toMatchObject({ username: 'admin', role: 2 })
  } finally {
    await worker.stop()
  }
}

/** As wrangler has Cloudflare run the statements of `d1 execute`, or all migrations. */
async function runStatements({ d1 }: FakeCloudflare, args: readonly string[]) {
  if (args[1] !== 'migrations') {
    const [option = '', given = ''] = args.slice(-2)
    return d1.execute('latchkey', option === '--file' ? readFileSync(given, 'utf8') : given)
  }
  const tables = await d1.rows('latchkey', "select 1 from sqlite_master where name = 'users'")
  if (tables.length > 0) return []
  const names = globSync('schema/migrations/*.sql').map((path) => `('${basename(path)}')`)
  return d1.execute(
    'latchkey',
    `${readMigrations('schema/migrations')};
     create table d1_migrations (id integer primary key, name text);
     insert into d1_migrations (name) values ${names.toSorted().join()}`,
  )
}

describe('npm run deploy, with the real wrangler', () => {
  // wrangler runs a dozen times.
  test('goes on after each failure that Cloudflare may answer, and upgrades the site', async () => {
    const cloudflare = await FakeCloudflare.start()
    try {
      const env = { CLOUDFLARE_API_BASE_URL: cloudflare.url, CLOUDFLARE_API_TOKEN: 'token' }
      const listed = new Map<string, string>()
      const run: Wrangler = async (args, more) => {
        const command = args.join(' ')
        // The test below lets wrangler run statements and migrations.
        if (args[0] === 'd1' && (args[1] === 'execute' || args[1] === 'migrations'))
          return JSON.stringify(await runStatements(cloudflare, args))
        const before = listed.get(command)
        if (before !== undefined) return before
        const printed = await runWrangler(args, { ...env, ...more })
        // Once both are there, these lists stay as they are.
        if (/^(?:d1 list|kv namespace list)/.test(command) && cloudflare.namespaces.size > 0)
          listed.set(command, printed)
        return printed
      }
      // The build is tried below; the first accounts are made in Miniflare by other tests.
      const steps = STEPS.filter(({ title }) => title !== 'Building the Worker')
      const { deploy } = operator({ run }, steps)
      cloudflare.refuse('GET /storage/kv/namespaces', 403, {
        code: 10000,
        message: 'Authentication error',
      })
      const refusal = await run(['kv', 'namespace', 'list']).catch(explain)
      expect(String(refusal)).toContain('This sign-in may not use Workers KV')

      cloudflare.refuse(/^PUT .*\/schedules$/, 500, { code: 10013, message: 'internal error' })
      const second = await deploy()
      expect(second.printed).toContain('  password  first-password\n')
      expect(second.failure).toMatch(/^6\/6 failed: [^]*The new version may serve already/)
      const [, secret = ''] = readFileSync('.production.vars', 'utf8').trim().split('=')
      expect(cloudflare.secrets).toEqual(new Map([['SECRET_KEYS', secret]]))
      expect(cloudflare.uploads).toHaveLength(1)
      expect(cloudflare.uploads[0]).toContainEqual(
        expect.objectContaining({ name: 'DB', id: cloudflare.d1.ids.get('latchkey') }),
      )
      const namespaceId = cloudflare.namespaces.get('latchkey-settings')
      expect(cloudflare.uploads[0]).toContainEqual(
        expect.objectContaining({ name: 'SETTINGS', namespace_id: namespaceId }),
      )

      cloudflare.refuse()
      // What `whoami` says has not changed.
      steps.shift()
      const third = await deploy()
      expect(third.failure).toBeUndefined()
      expect(third.printed).toContain('there is an admin already')
      expect(third.printed).toContain('serves on https://latchkey.example.workers.dev')
      expect(third.printed).toContain(
        'database "latchkey" kept, namespace "latchkey-settings" kept',
      )
      expect(cloudflare.schedules).toEqual([{ cron: '17 3 * * *' }, { cron: '*/5 * * * *' }])
      expect(cloudflare.uploads[1]).toContainEqual({ name: 'SECRET_KEYS', type: 'inherit' })
      expect(cloudflare.changes.filter((change) => change === 'POST /d1/database')).toHaveLength(1)
    } finally {
      await cloudflare.stop()
    }
  })

  // Runs the whole program, and serves what it uploaded: some twenty seconds.
  test('deploys in Workers Builds what "Deploy to Cloudflare" has provisioned, and takes a domain only with --attach', async () => {
    const cloudflare = await FakeCloudflare.start()
    const env = { CLOUDFLARE_API_BASE_URL: cloudflare.url, CLOUDFLARE_API_TOKEN: 'token' }
    try {
      // The button makes database, namespace and Worker, and writes their ids into the repository.
      const databaseId = cloudflare.d1.create('my-database')
      const namespaceId = 'f'.repeat(32)
      cloudflare.namespaces.set('my-namespace', namespaceId)
      cloudflare.uploads.push([])
      cloudflare.secrets.set('SECRET_KEYS', SECRET_KEYS)
      const toml = readFileSync(clone.path('wrangler.toml'), 'utf8')
        .replace('name = "latchkey"', `name = "my-site"\n${DOMAIN}`)
        .replace(
          'database_name = "latchkey"',
          `database_name = "my-database"\ndatabase_id = "${databaseId}"`,
        )
        .replace('binding = "SETTINGS"', `binding = "SETTINGS"\nid = "${namespaceId}"`)
      writeFileSync(clone.path('wrangler.toml'), toml)

      const deploy = (...args: string[]) =>
        clone.run('src/programs/launch.cjs', ['deploy/main', ...args], { ...env, WORKERS_CI: '1' })
      expect(await deploy()).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('npm run deploy -- --attach accounts.example.org.'),
      })
      expect(cloudflare.changes).toEqual([])
      const { code, stdout, stderr } = await deploy('--attach', 'accounts.example.org')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const applied = await cloudflare.d1.rows('my-database', 'select name from d1_migrations')
      expect(applied.length).toBeGreaterThanOrEqual(3)
      expect(stdout).toContain('accounts.example.org')
      expect(cloudflare.domains).toEqual(new Map([['accounts.example.org', 'my-site']]))
      expect(stdout).toContain('the deployed Worker keeps its secret')
      expect(stdout).toContain(
        'members of the account can read it: sign in and change the password',
      )
      expect(existsSync(clone.path('.production.vars'))).toBe(false)
      expect(cloudflare.changes.join('\n')).not.toMatch(
        /^POST \/(d1\/database|storage\/kv\/namespaces)$/m,
      )
      const upload = cloudflare.uploads.at(-1)
      expect(upload).toContainEqual(expect.objectContaining({ name: 'DB', id: databaseId }))
      expect(upload).toContainEqual({ name: 'SECRET_KEYS', type: 'inherit' })

      const [, password = ''] = /^ {2}password {2}(\S+)$/m.exec(stdout) ?? []
      await signInAtUpload(cloudflare, databaseId, password)
    } finally {
      await cloudflare.stop()
    }
  })

  test('prints no password of admin that ADMIN_PASSWORD has chosen', async () => {
    const cloudflare = await FakeCloudflare.start()
    try {
      const asked: string[] = []
      // The test above lets wrangler run such statements.
      const run: Wrangler = async (args) => {
        asked.push(...args)
        return JSON.stringify(await runStatements(cloudflare, args))
      }
      process.chdir(clone.folder)
      cloudflare.d1.create('latchkey')
      await runStatements(cloudflare, ['d1', 'migrations'])
      const create = (password: string) => createDeployedAccounts(run, clone.folder, password)
      await expect(create('Password123')).rejects.toThrow('one of the most common ones')
      expect(await create(ADMIN_PASSWORD)).toBe(ADMIN_PASSWORD)
      // Nor does a command line show it, or its hash.
      expect(asked.join(' ')).not.toMatch(/Passw0rd|password123|scrypt/i)
      expect(await create(ADMIN_PASSWORD)).toBeUndefined()
      const names = await cloudflare.d1.rows('latchkey', 'select username, role from users')
      expect(names).toEqual([
        { username: 'admin', role: 2 },
        { username: 'guest', role: 1 },
      ])
    } finally {
      await cloudflare.stop()
    }
  })

  test('asks by the button for SECRET_KEYS only, and refuses the value of the example', async () => {
    const example = parseEnv(readFileSync(join(home, '.dev.vars.example'), 'utf8'))
    expect(Object.keys(example)).toEqual(['SECRET_KEYS'])
    expect(parseSecretKeys(example['SECRET_KEYS'])).toBe(
      'SECRET_KEYS still has the value of the example: make one with `npm run secrets`',
    )
    writeFileSync(clone.path('.dev.vars'), readFileSync(join(home, '.dev.vars.example')))
    const { code, stderr } = await clone.run('src/programs/launch.cjs', ['start'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('the value of the example')])
  })

  test('describes each binding that the button shows, and no other', () => {
    const { cloudflare } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    const shown = bindingsOf(join(home, 'wrangler.toml'))
    expect(Object.keys(cloudflare.bindings).toSorted()).toEqual(
      [...shown, 'SECRET_KEYS'].toSorted(),
    )
    for (const { description } of Object.values<{ description: string }>(cloudflare.bindings))
      expect(description).toMatch(/\S/)
  })

  test('asks nothing of Cloudflare when it is only rehearsed, and changes nothing', async () => {
    const cloudflare = await FakeCloudflare.start()
    try {
      const env = { CLOUDFLARE_API_BASE_URL: cloudflare.url, CLOUDFLARE_API_TOKEN: 'token' }
      const { code, stdout, stderr } = await clone.run(
        'src/programs/launch.cjs',
        ['deploy/main', '--dry-run'],
        env,
      )
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout.split('\n').filter((line) => /^\d\/7 /.test(line))).toHaveLength(7)
      expect(stdout).toMatch(/\d KiB gzip; the free plan allows 3072\.0 KiB/)
      expect(stdout).toContain('apply to an empty database: 0000_accounts.sql, ')
      expect(stdout).toMatch(/\nNothing was changed\.\n$/)
      expect(cloudflare.asked).toBe(0)
      expect(existsSync(clone.path('.production.vars'))).toBe(false)
    } finally {
      await cloudflare.stop()
    }
  })
})
