import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import type { Miniflare, Request, Response, V4MiniflareOptions } from 'miniflare'
import { SPECIAL_NETWORKS } from '../../core/base/public-address.ts'
import { DIRECT_ENTRY, FRONT_SECRET_HEADER } from '../../web/http/front.ts'
import { runDataCall } from './local-data.ts'
import { codeOf, CommandError } from '../kit/command-error.ts'
import { installationOf } from '../kit/printed-command.ts'
import { isPacked } from '../kit/places.ts'
import {
  leftAsItIs,
  listMigrations,
  localIds,
  readSiteConfig,
  refuseLaterMigrations,
} from './site-config.ts'
import { prepareLocalWorker } from './local-bundle.ts'
import { findLocalDatabase, readMigrations, STATE_FOLDER, withSqlite } from './local-database.ts'
import { applyMigrations } from './local-migrations.ts'
import { loadMiniflare } from './platform-tools.ts'
import { noteVersion, readNotedVersion } from './noted-version.ts'
import { backUpBeforeUpgrade, findUpgradeBackup } from './upgrade-backup.ts'
import { makeFrontSecret, type Send } from './running-site.ts'
import { moduleOptions } from './worker-modules.ts'
import { type LocalWorker, placeAssets } from './worker-options.ts'

const tools = loadMiniflare()

/** Answers the Worker that hands over an e-mail (`Deps.sendEmail`). */
export type SmtpService = (request: Request) => Promise<Response>

/** How somebody ends a start. */
interface Stop {
  /** Ends the preparation, which then fails. */
  signal: AbortSignal
  /** Removes the handlers of signals that Miniflare adds: they would end the process at once. */
  takeOver: () => void
}

/**
 * Migrates the local database and runs the Worker on it.
 *
 * @param isLogging Prints the log of the Worker, which has a JSON object for each request and
 *   event. Errors are always printed.
 * @param smtp Takes the e-mails of the Worker.
 * @throws {CommandError} When the database can't be migrated, or the Worker not built.
 */
export async function openLocalSite(
  bindings: Record<string, string>,
  isLogging: boolean,
  stop: Stop,
  smtp: SmtpService | undefined,
): Promise<Miniflare> {
  // In parallel, because each takes seconds.
  const preparing = [prepareLocalWorker(stop.signal), migrateDatabase(stop)] as const
  // After the failure of one, the others could still write.
  await Promise.allSettled(preparing)
  const [worker] = await Promise.all(preparing)
  return startWorker({ ...worker, smtp }, bindings, isLogging, stop)
}

/** Applies the migrations that are missing. */
async function migrateDatabase(stop: Stop): Promise<void> {
  const config = await readSiteConfig()
  const known = listMigrations(config)
  const applied = readAppliedMigrations()
  refuseLaterMigrations(known, applied, leftAsItIs(wayBack(known)))
  const missing = known.filter((name) => !applied.includes(name))
  if (missing.length === 0) return
  backUpBeforeUpgrade(applied, Date.now())
  const data = await startOnData({ script: 'export default {}' }, stop)
  try {
    const [{ migrations_dir: folder }] = config.d1_databases
    const database = await data.getD1Database('DB')
    // First: a stop between two migrations leaves data that this version has changed.
    noteVersion()
    await applyMigrations(database, folder, missing, stop.signal)
  } finally {
    await data.dispose()
  }
}

/**
 * Says how somebody gets on whose data a later version has changed.
 *
 * @param known The migrations of this version.
 */
function wayBack(known: readonly string[]): string {
  if (!isPacked()) return 'go back to that version with git, or restore a backup of this one'
  const backup = findUpgradeBackup(known)
  const restored = backup === undefined ? 'a backup of this version' : `${backup}, a copy of before`
  return `take ${installationOf(readNotedVersion())} again, or restore ${restored}`
}

/** @returns None when they can't be read; applying one then says why. */
function readAppliedMigrations(): string[] {
  const file = findLocalDatabase()
  if (file === undefined) return []
  try {
    return withSqlite(file, { readOnly: true }, readMigrations) ?? []
  } catch {
    return []
  }
}

/** Stands in for the Worker while a command works on its data. */
const DATA_WORKER = `${runDataCall.toString()}
export default {
  async fetch(request, env) {
    if (request.headers.get('${FRONT_SECRET_HEADER}') !== env.FRONT_SECRET)
      return new Response('Forbidden\\n', { status: 403 })
    try {
      return Response.json({ answer: await runDataCall(await request.json(), env) })
    } catch (error) {
      return Response.json({ error: error instanceof Error ? error.message : String(error) })
    }
  },
}`

/**
 * Opens the local data for a command, when no server has it. Loads no wrangler, which would take
 * half of the time of a command, and uses no binding of Miniflare, which would start a thread.
 */
export async function openLocalData(): Promise<{ send: Send; dispose: () => Promise<void> }> {
  const secret = makeFrontSecret()
  const miniflare = await startOnData({ script: DATA_WORKER, bindings: { FRONT_SECRET: secret } })
  const headers = { [FRONT_SECRET_HEADER]: secret }
  const send = async (body: string) => {
    const answer = await miniflare.dispatchFetch('http://site', { method: 'POST', headers, body })
    return answer.text()
  }
  return { send, dispose: () => miniflare.dispose() }
}

async function startOnData(
  worker: { script: string; bindings?: Record<string, string> },
  stop?: Stop,
): Promise<Miniflare> {
  const config = await readSiteConfig()
  const ids = localIds(config)
  const data = {
    d1Databases: { DB: { id: ids.database } },
    kvNamespaces: { SETTINGS: { id: ids.namespace } },
  }
  return startMiniflare({ name: config.name, modules: true, ...data, ...worker }, true, stop)
}

/** Starts the Worker, which answers only requests that carry the secret of its bindings. */
async function startWorker(
  { options, smtp, ...built }: LocalWorker & { smtp: SmtpService | undefined },
  bindings: Record<string, string>,
  isLogging: boolean,
  stop: Stop,
): Promise<Miniflare> {
  placeAssets(options)
  const worker = {
    ...options,
    ...moduleOptions(built),
    bindings: { ...options.bindings, ...bindings },
    serviceBindings: { PUBLIC_NETWORK, ...(smtp !== undefined && { SMTP: smtp }) },
    // Miniflare's own Workers before it took two thirds of the time of a request: the one at its port,
    // and before `default` those that look for a file.
    unsafeDirectSockets: [
      { host: '127.0.0.1', port: 0 },
      { host: '127.0.0.1', port: 0, entrypoint: DIRECT_ENTRY },
    ],
  }
  return startMiniflare(worker, isLogging, stop)
}

/**
 * A network with public addresses only, for the addresses that users choose. workerd checks the
 * address that it connects to, so a name that leads to another one is refused too. What workerd
 * calls public has networks of the registries in it, such as 198.18.0.0/15.
 */
export const PUBLIC_NETWORK = {
  network: { allow: ['public'], deny: SPECIAL_NETWORKS, tlsOptions: { trustBrowserCas: true } },
}

/**
 * Makes Miniflare start workerd by a script that ties workerd to this process: workerd then ends
 * even when this process is killed. Only Linux can do this.
 */
function tieRuntime(): void {
  if (process.platform !== 'linux' || process.env['MINIFLARE_WORKERD_PATH'] !== undefined) return
  process.env['LATCHKEY_WORKERD'] = workerdPath()
  process.env['MINIFLARE_WORKERD_PATH'] = join(import.meta.dirname, 'workerd.sh')
}

/** Returns the workerd that Miniflare brings. */
function workerdPath(): string {
  const ofMiniflare = createRequire(import.meta.resolve('miniflare'))
  const { default: path }: { default: string } = ofMiniflare('workerd')
  return path
}

/** Miniflare logs this error and rejects `ready` with it, which is where it is handled. */
const RUNTIME_LOST = 'ERR_RUNTIME_FAILURE'
const NO_RUNTIME =
  "The Workers runtime (workerd) can't start on this machine: docs/troubleshooting.md lists the reasons."

class FaultLog extends tools.Log {
  override error(error: Error): void {
    if (codeOf(error) !== RUNTIME_LOST) super.error(error)
  }
}

/** Miniflare can't end a runtime that starts, which takes seconds: a stop does not wait for it. */
async function failAtStop({ signal }: Stop): Promise<never> {
  await once(signal, 'abort')
  throw signal.reason
}

/**
 * Runs a Worker on the local data, without inspector, Explorer, trigger handlers and registry of
 * Workers. workerd listens on free ports of 127.0.0.1, to which any local user can connect.
 *
 * After a crash of workerd, Miniflare starts it again once, on the same port. `ready` waits for
 * that and rejects from then on when it fails.
 */
async function startMiniflare(
  worker: V4MiniflareOptions,
  isLogging: boolean,
  stop?: Stop,
): Promise<Miniflare> {
  stop?.signal.throwIfAborted()
  tieRuntime()
  const miniflare = new tools.Miniflare(
    tools.convertV4MiniflareOptions({
      ...worker,
      host: '127.0.0.1',
      port: 0,
      // `false` stands for a request from the United States.
      cf: {},
      unsafeLocalExplorer: false,
      unsafeObservability: false,
      unsafeTriggerHandlers: false,
      log: new FaultLog(tools.LogLevel.ERROR),
      unsafeHandleRuntimeRestart: () =>
        console.error('The Workers runtime crashed, and was started again.'),
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error') console.error(message)
        else if (isLogging) console.log(message)
      },
      resourcePersistencePath: resolve(STATE_FOLDER),
    }),
  )
  stop?.takeOver()
  const ready = miniflare.ready.catch(async (error: unknown) => {
    // Its open handles would keep this process alive.
    await miniflare.dispose().catch(() => undefined)
    throw codeOf(error) === RUNTIME_LOST ? new CommandError(NO_RUNTIME) : error
  })
  await (stop === undefined ? ready : Promise.race([ready, failAtStop(stop)]))
  return miniflare
}
