import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { buildAssets } from './assets/build.ts'
import { BESIDE, bundlePrograms } from './assets/programs.ts'
import { VERSION } from '../src/capabilities/settings/defaults.ts'
import { CommandError, runCommand, UsageError } from '../src/programs/kit/command-error.ts'
import { PACKED_MIGRATIONS, PACKED_PROGRAMS, PACKED_WORKER } from '../src/programs/kit/places.ts'
import { build } from '../src/programs/site/local-bundle.ts'
import { readStatements } from '../src/programs/site/local-migrations.ts'
import { listMigrations, readSiteConfig } from '../src/programs/site/site-config.ts'
import { readWorkerOptions } from '../src/programs/site/worker-options.ts'

const OUT = '.build/site'
/** What stands in the pack as it is. The files that browsers load are named in `wrangler.toml`. */
const COPIED = ['wrangler.toml', 'LICENSE', '.build/assets']
const PROGRAMS = ['start', 'main', 'container/main']
/** What programs load from `node_modules`; the rest of what they need is in their files. */
const LOADED = ['miniflare', 'nodemailer']
/** Miniflare loads it when a Worker asks for a change of an image. */
const LEFT_OUT = new Set(['sharp'])
/** Of packages: types, maps, and the copy of workerd that its install script makes. */
const NOT_COPIED = /\.d\.[cm]?ts$|\.map$|[/\\]workerd[/\\]bin$/
/** The packages with workerd, by the name of the CPU. */
const RUNTIMES: Readonly<Record<string, string>> = {
  x64: '@cloudflare/workerd-linux-64',
  arm64: '@cloudflare/workerd-linux-arm64',
}
const MAX_MEBIBYTES = 168
const MEBIBYTE = 1024 * 1024

const lockSchema = v.object({
  packages: v.record(
    v.string(),
    v.looseObject({
      version: v.optional(v.string()),
      integrity: v.optional(v.string()),
      dependencies: v.optional(v.record(v.string(), v.string()), {}),
    }),
  ),
})
const lock = v.parse(lockSchema, JSON.parse(readFileSync('package-lock.json', 'utf8'))).packages

/** Starts the site, or runs a command. */
const LATCHKEY = `#!/bin/sh
# latchkey start […options]: serves the site; latchkey <command>: see latchkey --help
here=$(dirname "$(readlink -f "$0")")
if [ -n "$LATCHKEY_COMMAND" ]; then
  exec node "$here/launch.cjs" container/main command "$@"
fi
if [ "$1" = start ]; then
  shift
  exec node "$here/launch.cjs" start "$@"
fi
exec node "$here/launch.cjs" main "$@"
`

/**
 * `npm run pack`: makes an installation that needs Node alone, for this CPU or another one of
 * Linux. With `--tar`, it makes the archive of it too.
 */
await runCommand(async () => {
  const { cpu, isTar } = readOptions()
  const runtime = RUNTIMES[cpu] ?? ''
  rmSync(OUT, { recursive: true, force: true })
  buildAssets()
  for (const path of COPIED) cpSync(path, join(OUT, path), { recursive: true })
  cpSync('src/programs/launch.cjs', join(OUT, 'launch.cjs'))
  write('latchkey', LATCHKEY)
  chmodSync(join(OUT, 'latchkey'), 0o755)
  const built = await packPrograms()
  const worker = await packWorker()
  const copied = closureOf(LOADED)
  for (const name of copied) copyPackage(join('node_modules', name), name)
  packRuntime(runtime)
  const all = new Set([...packagesIn([...built, ...worker]), ...copied, runtime])
  writeJson('package.json', {
    name: 'latchkey',
    version: VERSION,
    license: 'MIT',
    type: 'module',
    engines: { node: '>=22.18' },
    dependencies: Object.fromEntries(
      Array.from(all)
        .toSorted()
        .map((name) => [name, versionOf(name)]),
    ),
  })
  const [size = '0'] = execFileSync('du', ['-s', '--apparent-size', '--block-size=1', OUT], {
    encoding: 'utf8',
  }).split('\t')
  const mebibytes = Math.ceil(Number(size) / MEBIBYTE)
  console.log(`${OUT}: ${mebibytes} MiB (limit ${MAX_MEBIBYTES} MiB)`)
  if (mebibytes > MAX_MEBIBYTES) throw new CommandError('The pack is too large.')
  if (isTar) archive(`latchkey-${VERSION}-linux-${cpu}`)
})

function readOptions(): { cpu: string; isTar: boolean } {
  const { values } = parseArgs({
    options: { cpu: { type: 'string' }, tar: { type: 'boolean' } },
  })
  const cpu = values.cpu ?? process.arch
  if (!Object.hasOwn(RUNTIMES, cpu))
    throw new UsageError(`--cpu must be ${Object.keys(RUNTIMES).join(' or ')}, not "${cpu}".`)
  return { cpu, isTar: values.tar === true }
}

/** @returns The files that are in the programs. */
async function packPrograms(): Promise<string[]> {
  const { outputFiles, metafile } = await bundlePrograms('.', PROGRAMS, join(OUT, PACKED_PROGRAMS))
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
  cpSync(BESIDE, join(OUT, PACKED_PROGRAMS, basename(BESIDE)))
  return Object.keys(metafile.inputs)
}

/** @returns The files that are in the Worker. */
async function packWorker(): Promise<string[]> {
  const config = await readSiteConfig()
  const [{ migrations_dir: folder }] = config.d1_databases
  const migrations = listMigrations(config).map((name) => [name, readStatements(folder, name)])
  writeJson(PACKED_MIGRATIONS, Object.fromEntries(migrations))
  const { main, modules, sources } = await build()
  writeJson(PACKED_WORKER, { main, modules, options: await readWorkerOptions() })
  return sources
}

/** Lists packages with those that they depend on. */
function closureOf(names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const add = (name: string) => {
    if (found.has(name) || LEFT_OUT.has(name)) return
    found.add(name)
    for (const other of Object.keys(lock[`node_modules/${name}`]?.dependencies ?? {})) add(other)
  }
  for (const name of names) add(name)
  return found
}

function copyPackage(folder: string, name: string): void {
  cpSync(folder, join(OUT, 'node_modules', name), {
    recursive: true,
    filter: (path) => !NOT_COPIED.test(path),
  })
}

/** Copies workerd. That of another CPU comes from the registry, as the lock names it. */
function packRuntime(name: string): void {
  const here = join('node_modules', name)
  if (existsSync(here)) return copyPackage(here, name)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pack-'))
  try {
    const args = ['pack', `${name}@${versionOf(name)}`, '--pack-destination', folder, '--silent']
    const file = execFileSync('npm', args, { encoding: 'utf8' }).trim()
    const digest = createHash('sha512')
      .update(readFileSync(join(folder, file)))
      .digest('base64')
    if (`sha512-${digest}` !== lock[here]?.integrity)
      throw new CommandError(`${name} is not what package-lock.json names.`)
    execFileSync('tar', ['-xzf', join(folder, file), '-C', folder])
    copyPackage(join(folder, 'package'), name)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the packages that files are of. */
function packagesIn(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
    return name === undefined ? [] : [name]
  })
}

function versionOf(name: string): string {
  const version = lock[`node_modules/${name}`]?.version
  if (version === undefined) throw new CommandError(`package-lock.json does not name ${name}.`)
  return version
}

/** Makes an archive whose only folder has the name of the archive. */
function archive(name: string): void {
  const file = join('.build', `${name}.tar.gz`)
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
  execFileSync('tar', [
    '-czf',
    file,
    ...owner,
    `--transform=s,^site,${name},`,
    '-C',
    '.build',
    'site',
  ])
  console.log(file)
}

function writeJson(name: string, content: object): void {
  write(name, `${JSON.stringify(content)}\n`)
}

function write(name: string, text: string): void {
  writeFileSync(join(OUT, name), text)
}
