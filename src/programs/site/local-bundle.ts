import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { installed, isPacked } from '../kit/places.ts'
import {
  type LocalWorker,
  readPackedWorker,
  readWorkerOptions,
  type WorkerOptions,
} from './worker-options.ts'
import { runWrangler } from './wrangler.ts'

const CONFIG = 'wrangler.toml'
const ENTRY = 'src/programs/site/local-worker.ts'

/** Holds the bundle of the last build, and the Worker's options. Its folder is private to this user. */
const KEPT_FILE = '.wrangler/latchkey.bundle'

/** Both depend on these files beside the sources: the configuration, and the installed packages. */
const SETUP_FILES = [CONFIG, 'tsconfig.json', 'package.json', 'node_modules/.package-lock.json']
/** Variables of the environment that the bundler reads. */
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

/**
 * Bundles the Worker of the local site as a deploy would, and reads its options. A start whose
 * sources are those of the last build gets what that build made, because wrangler takes seconds.
 *
 * @param signal Ends the build, which then fails.
 */
export async function prepareLocalWorker(signal: AbortSignal): Promise<LocalWorker> {
  if (isPacked()) return readPackedWorker()
  const begun = Date.now()
  const kept = findKept()
  if (kept !== undefined) return kept
  const bundling = bundle(signal)
  const reading = readWorkerOptions()
  // After the failure of one, the bundler could still write.
  await Promise.allSettled([bundling, reading])
  // Awaited first: its error about wrangler.toml is one line.
  const options = await reading
  const { script, sources } = await bundling
  keep({ script, sources, options }, begun)
  return { script, options }
}

/**
 * Bundles the Worker of a local site, and lists the files that are in it.
 *
 * @param signal Ends the build, which then fails.
 */
export async function bundle(signal?: AbortSignal): Promise<Pick<Content, 'script' | 'sources'>> {
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

/** @returns A text that changes with the content of any of the files, and what the bundler reads. */
function fingerprintOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of files) hash.update(`${path} ${digestOf(installed(path))}\n`)
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

/** Finds the last build, if its sources are those of today. */
function findKept(): Content | undefined {
  try {
    const kept = v.parse(contentSchema, JSON.parse(readFileSync(KEPT_FILE, 'utf8')))
    return kept.fingerprint === fingerprintOf(filesOf(kept)) ? kept : undefined
  } catch {
    return undefined
  }
}

/** The files on which a bundle depends. */
function filesOf({ sources }: Pick<Content, 'sources'>): string[] {
  return [...SETUP_FILES, ...sources]
}

/**
 * Keeps a bundle, unless one of its files was changed since the build began: the bundle may hold
 * the old content.
 */
function keep(made: Omit<Content, 'fingerprint'>, begun: number): void {
  try {
    const files = filesOf(made)
    const content: Content = { ...made, fingerprint: fingerprintOf(files) }
    const changedAt = (path: string) => statSync(installed(path), NO_THROW)?.ctimeMs ?? 0
    if (files.some((path) => changedAt(path) >= begun)) return
    const written = `${KEPT_FILE}.new`
    writeFileSync(written, JSON.stringify(content))
    renameSync(written, KEPT_FILE)
  } catch {
    // The site runs without a kept bundle; only the next start takes longer.
  }
}
