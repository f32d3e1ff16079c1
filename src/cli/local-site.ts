import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4MiniflareOptions,
} from 'miniflare'
import * as v from 'valibot'
import { codeOf } from './command-error.ts'
import { readSiteConfig } from './deploy/site-config.ts'
import { QUIET, runWrangler } from './wrangler.ts'

/** Wrangler keeps the data of a local site here, and commands use the same folder. */
export const STATE_FOLDER = '.wrangler/state/v3'

const CONFIG = 'wrangler.toml'
const ENTRY = 'src/local-worker.ts'

/** `[vars]` of `wrangler.toml`, and `.dev.vars`. */
const bindingsSchema = v.record(v.string(), v.string())

/**
 * Migrates the local database and runs the Worker on it.
 *
 * @throws {CommandError} When the database can't be migrated, or the Worker not built.
 */
export async function openLocalSite(bindings: Record<string, string>): Promise<Miniflare> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  try {
    // In parallel, because each takes seconds.
    const [options] = await Promise.all([
      readWorkerOptions(),
      runWrangler(['deploy', ENTRY, '--dry-run', '--outdir', folder]),
      runWrangler(['d1', 'migrations', 'apply', 'DB', '--local']),
    ])
    return await startWorker(folder, options, bindings)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads the bindings as wrangler does, so that they lead to the same data. */
async function readWorkerOptions() {
  Object.assign(process.env, QUIET)
  const { unstable_getMiniflareWorkerOptions } = await import('wrangler')
  const { name } = await readSiteConfig()
  const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG)
  // The bundle is one module, for which Miniflare accepts no rules.
  delete workerOptions.modulesRules
  return { ...workerOptions, name, bindings: v.parse(bindingsSchema, workerOptions['bindings']) }
}

/** Replaces the Worker while a command works on its data; refuses all requests. */
const IDLE_WORKER = `export class PasswordHasher {}
export default { fetch: () => new Response('Forbidden\\n', { status: 403 }) }`

/** Opens the local data for a command; a server may have it open at the same time. */
export async function openLocalData(): Promise<Miniflare> {
  return startMiniflare({ ...(await readWorkerOptions()), modules: true, script: IDLE_WORKER })
}

/** Starts the Worker, which answers only requests that carry the secret of its bindings. */
async function startWorker(
  folder: string,
  options: Awaited<ReturnType<typeof readWorkerOptions>>,
  bindings: Record<string, string>,
): Promise<Miniflare> {
  return startMiniflare({
    ...options,
    modules: true,
    modulesRoot: folder,
    scriptPath: join(folder, 'local-worker.js'),
    bindings: { ...options.bindings, ...bindings },
  })
}

/** Of Miniflare, which says so by `ready` as well: there it is answered for. */
const RUNTIME_LOST = 'ERR_RUNTIME_FAILURE'

class FaultLog extends Log {
  override error(error: Error): void {
    if (codeOf(error) !== RUNTIME_LOST) super.error(error)
  }
}

/**
 * Runs a Worker on the local data, without inspector, Explorer, trigger handlers and registry of
 * Workers. workerd listens on a free port of 127.0.0.1, to which any local user can connect.
 *
 * After a crash of workerd, Miniflare starts it again once, on the same port. `ready` waits for
 * that and rejects from then on when it fails.
 */
async function startMiniflare(worker: V4MiniflareOptions): Promise<Miniflare> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...worker,
      host: '127.0.0.1',
      port: 0,
      cf: false,
      unsafeLocalExplorer: false,
      unsafeObservability: false,
      unsafeTriggerHandlers: false,
      log: new FaultLog(LogLevel.ERROR),
      unsafeHandleRuntimeRestart: () =>
        console.error('The Workers runtime crashed, and was started again.'),
      handleStructuredLogs: ({ level, message }) =>
        level === 'error' ? console.error(message) : console.log(message),
      resourcePersistencePath: resolve(STATE_FOLDER),
    }),
  )
  await miniflare.ready
  return miniflare
}
