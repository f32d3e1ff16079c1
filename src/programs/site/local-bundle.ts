import { createHash } from 'node:crypto'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import * as v from 'valibot'
import { installed, isPacked } from '../kit/places.ts'
import { readSiteConfig } from './site-config.ts'
import { buildModules } from './worker-modules.ts'
import {
  type LocalWorker,
  readPackedWorker,
  readWorkerOptions,
  workerSchema,
} from './worker-options.ts'

const CONFIG = 'wrangler.toml'
const ENTRY = 'src/programs/site/local-worker.ts'

/**
 * Holds the modules of the last build, and the Worker's options. Its folder is private to this
 * user.
 */
const KEPT_FILE = '.wrangler/latchkey.bundle'

/** Both depend on these files beside the sources: the configuration, and the installed packages. */
const SETUP_FILES = [CONFIG, 'tsconfig.json', 'package.json', 'node_modules/.package-lock.json']
/** Variables of the environment that the options depend on. */
const SETUP_VARIABLES = ['CLOUDFLARE_ENV']

const NO_THROW = { throwIfNoEntry: false } as const

const contentSchema = v.object({
  ...workerSchema.entries,
  sources: v.array(v.string()),
  fingerprint: v.string(),
})
type Content = v.InferOutput<typeof contentSchema>

/**
 * Builds the Worker of the local site as a deploy would, and reads its options. A start whose
 * sources are those of the last build gets what that build made, because a build takes seconds.
 *
 * @param signal Ends what waits for the build, which then fails.
 */
export async function prepareLocalWorker(signal: AbortSignal): Promise<LocalWorker> {
  if (isPacked()) return readPackedWorker()
  const begun = Date.now()
  const kept = findKept()
  if (kept !== undefined) return kept
  const building = build()
  const reading = readWorkerOptions()
  // After the failure of one, the bundler could still write.
  await Promise.allSettled([building, reading])
  signal.throwIfAborted()
  // Awaited first: its error about wrangler.toml is one line.
  const options = await reading
  const { main, modules, sources } = await building
  keep({ main, modules, sources, options }, begun)
  await stopBuilder()
  return { main, modules, options }
}

/**
 * Builds the Worker of a local site, and lists the files that are in it.
 *
 * @throws {CommandError} When a source can't be built.
 */
export async function build(): Promise<Omit<Content, 'options' | 'fingerprint'>> {
  const { alias } = await readSiteConfig()
  const { main, modules, sources } = await buildModules(ENTRY, { minify: true, alias })
  return { main, modules, sources }
}

/** Ends the process of the bundler, which would last as long as the site. */
async function stopBuilder(): Promise<void> {
  const { stop } = await import('esbuild')
  await stop()
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
