import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { DEV_VARS_FILE } from './dev-vars.ts'
import { readWorkerOptions, type WorkerOptions } from './worker-options.ts'
import { runWrangler } from './wrangler.ts'

const CONFIG = 'wrangler.toml'
const ENTRY = 'src/local-worker.ts'

/** Holds the bundle of the last build, and the Worker's options. Its folder is private to this user. */
const KEPT_FILE = '.wrangler/latchkey.bundle'

/** On what they depend beside the sources: the configuration, and the installed packages. */
const SETUP_FILES = [
  CONFIG,
  DEV_VARS_FILE,
  'tsconfig.json',
  'package.json',
  'node_modules/.package-lock.json',
]
/** What the bundler reads from the environment. */
const SETUP_VARIABLES = [
  'CLOUDFLARE_ENV',
  'NODE_ENV',
  'WRANGLER_BUILD_CONDITIONS',
  'WRANGLER_BUILD_PLATFORM',
]

const NO_THROW = { throwIfNoEntry: false } as const

/** The bundler's report. Its inputs are paths, except modules that the bundler makes itself. */
const reportSchema = v.object({ inputs: v.record(v.string(), v.unknown()) })
const contentSchema = v.object({
  /** The text of the one module. */
  script: v.string(),
  options: v.custom<WorkerOptions>((options) => v.is(v.looseObject({}), options)),
  sources: v.array(v.string()),
  fingerprint: v.string(),
})
type Content = v.InferOutput<typeof contentSchema>
export type LocalWorker = Pick<Content, 'script' | 'options'>

/**
 * Bundles the Worker of the local site as a deploy would, and reads its options. A start whose
 * sources are those of the last build gets what that build made, because wrangler takes seconds.
 *
 * @param signal Ends the build, which then fails.
 */
export async function prepareLocalWorker(signal: AbortSignal): Promise<LocalWorker> {
  const kept = readKept()
  if (kept !== undefined && kept.fingerprint === fingerprintOf(kept.sources)) return kept
  const begun = Date.now()
  const bundling = bundle(signal)
  const reading = readWorkerOptions()
  // After the failure of one, the bundler could still write.
  await Promise.allSettled([bundling, reading])
  // What is wrong with wrangler.toml, this says in one line.
  const options = await reading
  const { script, sources } = await bundling
  keep({ script, sources, options }, begun)
  return { script, options }
}

async function bundle(signal: AbortSignal): Promise<Pick<Content, 'script' | 'sources'>> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // The folder goes also when a signal ends the process.
  process.once('exit', remove)
  try {
    const report = join(folder, 'report.json')
    const args = ['--config', CONFIG, '--dry-run', '--outdir', folder, '--metafile', report]
    await runWrangler(['deploy', ENTRY, ...args], {}, signal)
    const script = readFileSync(join(folder, 'local-worker.js'), 'utf8')
    return { script, sources: readSources(report) }
  } finally {
    remove()
    process.off('exit', remove)
  }
}

/** Reads the files of a bundle from the bundler's report. */
function readSources(report: string): string[] {
  const { inputs } = v.parse(reportSchema, JSON.parse(readFileSync(report, 'utf8')))
  return Object.keys(inputs).filter((name) => !/^[\w-]+:/.test(name))
}

/** @returns A text that changes with the content of any file that leads to a bundle. */
function fingerprintOf(sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of [...SETUP_FILES, ...sources]) hash.update(`${path} ${digestOf(path)}\n`)
  for (const name of SETUP_VARIABLES) hash.update(`${name}=${process.env[name] ?? ''}\n`)
  return hash.digest('hex')
}

/** @returns A text of its own for a file that can't be read. */
function digestOf(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return 'none'
  }
}

/** @returns `undefined` when there is none. */
function readKept(): Content | undefined {
  try {
    return v.parse(contentSchema, JSON.parse(readFileSync(KEPT_FILE, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Keeps a bundle, unless one of its files was changed since the build began: the bundle may hold
 * the old content.
 */
function keep(made: Omit<Content, 'fingerprint'>, begun: number): void {
  try {
    const files = [...SETUP_FILES, ...made.sources]
    const fingerprint = fingerprintOf(made.sources)
    if (files.some((path) => (statSync(path, NO_THROW)?.ctimeMs ?? 0) >= begun)) return
    const content = JSON.stringify({ ...made, fingerprint } satisfies Content)
    const written = `${KEPT_FILE}.new`
    writeFileSync(written, content)
    renameSync(written, KEPT_FILE)
  } catch {
    // The site runs without a kept bundle; only the next start takes longer.
  }
}
