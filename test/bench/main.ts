import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { SETTINGS } from '../../src/capabilities/settings/definitions.ts'
import { runCommand } from '../../src/programs/kit/command-error.ts'
import { compatibilityFlags } from '../support/compatibility-flags.ts'
import { bundle, checkOut, checkOutMetered } from './bundles.ts'
import { toChart } from './chart.ts'
import { compareEndpoints, type Effort, TOKEN_KEY } from './compare.ts'
import { billOf } from './cost.ts'
import { compareCredentials, toCredentialTable } from './credentials.ts'
import { measureFiles, startFilesServer, toFilesTable } from './files.ts'
import { measureFirst, toFirstTable } from './first.ts'
import { measureFront, toFrontTable } from './front.ts'
import { compareJourneys } from './journey.ts'
import { measureOpenid, toOpenidTable } from './openid.ts'
import { comparePasskeys } from './passkeys.ts'
import { type Results, toMarkdown, toRowTable } from './report.ts'
import { measureRows } from './rows.ts'
import { type Side, Sites } from './sites.ts'
import { measureStreams, toStreamTable } from './streams.ts'
import { weigh } from './weight.ts'

const D1_DELAY_MILLISECONDS = 50
const PUBLISHED = 'test/bench'
const STRANGERS = 'test/http/strangers'

interface Options {
  rounds: string
  seconds: string
  before?: string
  users: string
  output: string
  quick?: true
  rows?: true
  credentials?: true
  openid?: true
  files?: true
  streams?: true
  mebibytes: string
  start?: true
  first?: true
  publish?: true
}

/** `npm run bench`: how fast the service is, beside how fast it could be and how fast it was. */
const program = new Command('bench')
  .option('--rounds <number>', 'of each comparison', '15')
  .option('--seconds <number>', 'of load a round and side', '0.4')
  .option('--before <commit>', 'what to compare with, beside the limit: one with these folders')
  .option('--users <numbers>', 'sizes for the growth table', '100,10000,1000000')
  .option('--output <folder>', 'where the results go', '.bench')
  .option('--quick', 'a minute, to see that everything runs; the figures mean little')
  .option('--rows', 'only how many rows each request writes, and what strangers can write')
  .option('--credentials', 'only app passwords beside sessions and passwords')
  .option('--openid', 'only the OpenID provider, beside the settings')
  .option('--files', 'only a list of files through the gateway, beside a bare Worker')
  .option('--streams', 'only a large file through npm start, beside nginx before OpenList')
  .option('--mebibytes <number>', 'of that file', '1024')
  .option('--start', 'only npm start, beside a bare proxy and beside workerd')
  .option('--first', 'only the first answer of new isolates, beside --before')
  .option('--publish', `also writes the results that the README shows, in ${PUBLISHED}`)
  .action((options: Options) =>
    runCommand(() => {
      if (options.rows) return printRows()
      if (options.openid) return printOpenid(options)
      if (options.files) return printFiles(options)
      if (options.streams) return printStreams(options)
      if (options.start) return printFront(options)
      if (options.first) return printFirst(options)
      return options.credentials ? printCredentials(options) : run(options)
    }),
  )

await program.parseAsync()

async function printRows(): Promise<void> {
  say('Bundling …')
  const metered: Side = { name: 'now', script: await bundle('test/bench/metered.ts') }
  console.log(toRowTable(await withSites([metered], (sites) => measureRows(sites, metered.name))))
  say('What strangers write …')
  // The test moves the clock, to see when a counter starts again, so it measures and not this site.
  execFileSync('npm', ['test', '--', '-u', STRANGERS])
  console.log(readFileSync(`${STRANGERS}.rows.txt`, 'utf8'))
}

async function printCredentials({ rounds, seconds }: Options): Promise<void> {
  say('Bundling …')
  const now: Side = { name: 'now', script: await bundle('src/worker.ts') }
  const effort = { rounds: Number(rounds), seconds: Number(seconds) }
  const figures = await withSites([now], (sites) => compareCredentials(sites, now.name, effort))
  console.log(toCredentialTable(figures))
}

async function printFront({ rounds, seconds }: Options): Promise<void> {
  say('Bundling …')
  const now: Side = { name: 'now', script: await bundle('src/worker.ts') }
  const effort = { rounds: Number(rounds), seconds: Number(seconds) }
  console.log(
    toFrontTable(await withSites([now], (sites) => measureFront(sites, now.name, effort))),
  )
}

async function printFirst({ rounds, before }: Options): Promise<void> {
  say('Building …')
  const sides: Side[] = [{ name: 'now', script: await bundle('src/worker.ts') }]
  if (before !== undefined) {
    const source = checkOut(before)
    const migrations = join(source, 'schema/migrations')
    const script = await bundle('src/worker.ts', { source })
    sides.unshift({ name: 'before', script, migrations, flags: compatibilityFlags(source) })
  }
  console.log(toFirstTable(await measureFirst(sides, Number(rounds))))
}

async function printOpenid({ rounds, seconds }: Options): Promise<void> {
  say('Bundling …')
  const [script, meteredScript] = await Promise.all([
    bundle('src/worker.ts'),
    bundle('test/bench/metered.ts'),
  ])
  const now: Side = { name: 'now', script }
  const metered: Side = { name: 'metered', script: meteredScript }
  const effort = { rounds: Number(rounds), seconds: Number(seconds) }
  const figures = await withSites([now, metered], (sites) =>
    measureOpenid(sites, now.name, metered.name, effort),
  )
  console.log(toOpenidTable(figures))
}

async function printFiles({ rounds, seconds }: Options): Promise<void> {
  say('Bundling …')
  const [script, limitScript] = await Promise.all([
    bundle('src/worker.ts'),
    bundle('test/bench/limit.ts'),
  ])
  const server = await startFilesServer()
  try {
    const bindings = { FILES_ORIGIN: server.origin, FILES_TOKEN: 'admin' }
    const now: Side = { name: 'now', script, bindings }
    const limit: Side = {
      name: 'limit',
      script: limitScript,
      bindings: { TOKEN_KEY, FILES_ORIGIN: server.origin },
    }
    const effort = { rounds: Number(rounds), seconds: Number(seconds) }
    const figures = await withSites([now, limit], (sites) =>
      measureFiles(sites, { gateway: now.name, bare: limit.name }, effort),
    )
    console.log(toFilesTable(figures))
  } finally {
    server.stop()
  }
}

/** `OPENLIST_BIN`, or `openlist` on `PATH`; nginx and curl. */
async function printStreams({ rounds, mebibytes }: Options): Promise<void> {
  const programs = {
    openlist: process.env['OPENLIST_BIN'] ?? 'openlist',
    nginx: process.env['NGINX_BIN'] ?? 'nginx',
    curl: process.env['CURL_BIN'] ?? 'curl',
  }
  const effort = { rounds: Number(rounds), mebibytes: Number(mebibytes) }
  console.log(toStreamTable(await measureStreams(programs, effort)))
}

async function run(options: Options): Promise<void> {
  const effort = options.quick
    ? { rounds: 1, seconds: 0.5 }
    : { rounds: Number(options.rounds), seconds: Number(options.seconds) }
  const users = options.quick ? ['100', '1000'] : options.users.split(',')
  const source = options.before === undefined ? undefined : checkOutMetered(options.before)

  say('Bundling …')
  const [nowScript, limitScript, meteredScript] = await Promise.all([
    bundle('src/worker.ts'),
    bundle('test/bench/limit.ts'),
    bundle('test/bench/metered.ts'),
  ])
  const now: Side = { name: 'now', script: nowScript }
  const limit: Side = { name: 'limit', script: limitScript, bindings: { TOKEN_KEY } }
  const metered: Side = { name: 'now', script: meteredScript }
  const before = source === undefined ? undefined : await sidesOf(source)

  say('Throughput and CPU …')
  const endpoints = await withSites([now, limit, ...(before ? [before.plain] : [])], (sites) =>
    compareEndpoints(sites, ['limit', 'now', ...(before ? ['before'] : [])], effort),
  )
  say('Far away …')
  const delayed = { D1_DELAY_MILLISECONDS }
  const farSides = [metered, ...(before ? [before.metered] : [])]
  const far = await withSites(
    farSides.map((side) => ({ ...side, bindings: delayed })),
    (sites) => compareJourneys(sites, namesOf(farSides), effort.rounds + 2),
  )
  say(`Growth: ${users.join(', ')} users …`)
  const sizes = users.map((size) => ({ ...metered, name: size, users: Number(size) }))
  const growth = await withSites(sizes, (sites) => compareJourneys(sites, users, effort.rounds * 2))
  say('Rows written …')
  const rows = await withSites([metered], (sites) => measureRows(sites, metered.name))
  say('Passkeys …')
  const passkeys = await withSites([now], (sites) => comparePasskeys(sites, now.name, effort))
  say('Weight …')
  const weight = await weigh(now, limit, effort)

  const results: Results = {
    setting: settingOf(effort, options.before ?? null),
    endpoints,
    far,
    bill: billOf(endpoints, far),
    growth,
    weight,
    rows,
    passkeys,
  }
  write(options.output, results)
  if (options.publish) write(PUBLISHED, results)
  console.log(toMarkdown(results))
}

async function sidesOf(source: string): Promise<{ plain: Side; metered: Side }> {
  const migrations = join(source, 'schema/migrations')
  const side = { name: 'before', migrations, flags: compatibilityFlags(source) }
  return {
    plain: { ...side, script: await bundle('src/worker.ts', { source }) },
    metered: { ...side, script: await bundle('test/bench/metered.ts', { source }) },
  }
}

async function withSites<Result>(
  sides: Side[],
  use: (sites: Sites) => Promise<Result>,
): Promise<Result> {
  const sites = await Sites.start(sides)
  try {
    for (const side of sides) await warmKv(sites, side.name)
    return await use(sites)
  } finally {
    await sites.stop()
  }
}

/** What the bare handler serves as settings. */
async function warmKv(sites: Sites, name: string): Promise<void> {
  if (name !== 'limit') return
  const kv = await sites.settings(name)
  const data = Object.fromEntries(
    Array.from({ length: SETTINGS.length }, (_, i) => [`setting_${i}`, 'value']),
  )
  await kv.put('settings', JSON.stringify({ code: 200, message: 'success', data }))
}

function settingOf({ rounds }: Effort, before: string | null): Results['setting'] {
  const [cpu] = cpus()
  return {
    commit: commitHere(),
    before,
    machine: `${cpus().length} × ${cpu?.model ?? 'unknown'}, Node ${process.versions.node}`,
    rounds,
    date: new Date().toISOString().slice(0, 10),
  }
}

function commitHere(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

function write(folder: string, results: Results): void {
  mkdirSync(folder, { recursive: true })
  const json = JSON.stringify(results, mapsAsObjects, 2)
  writeFileSync(join(folder, 'results.json'), `${json}\n`)
  writeFileSync(join(folder, 'results.md'), toMarkdown(results))
  writeFileSync(join(folder, 'results.svg'), toChart(results.endpoints))
}

function mapsAsObjects(_: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value
}

function namesOf(sides: Side[]): string[] {
  return sides.map(({ name }) => name)
}

/** Progress goes beside the results, which may be piped. */
function say(text: string): void {
  console.error(text)
}
