import { accessSync, constants } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Miniflare } from 'miniflare'
import { createMeter } from '../../core/database/database.ts'
import { openDatabase } from '../../core/database/open-database.ts'
import { type Database, randomBytes as randomArray } from '../../core/deps.ts'
import { type FileServer, parseFileServer } from '../../core/base/file-server.ts'
import { siteAddressOf } from '../../core/base/site-address.ts'
import { FREQUENT_CRON } from '../../core/base/crons.ts'
import { logError } from '../../core/database/log.ts'
import { DIRECT_ENTRY } from '../../web/http/front.ts'
import { deriveScrypt } from '../../core/crypto/scrypt.ts'
import { CommandError, runCommand } from '../kit/command-error.ts'
import { enterData } from '../kit/data-folder.ts'
import { installed } from '../kit/places.ts'
import { announceAdmin, announceIgnoredPassword, announceOpenAddress, bannerOf } from './banner.ts'
import { runDaily } from './daily-run.ts'
import { isAssetTarget, listAssetPaths } from './asset-paths.ts'
import { checkData, explainOpening } from './damage.ts'
import { callWorker, serveData } from './data-server.ts'
import {
  DEV_VARS_FILE,
  ensureDevVars,
  readLocalVars,
  readSecretKeys,
  workerVars,
} from '../site/dev-vars.ts'
import { createFirstAccounts } from '../site/first-accounts.ts'
import { lockFolder } from './folder-lock.ts'
import { localAddress } from '../site/local-address.ts'
import { createFront } from './front.ts'
import { isLoopback } from './front-request.ts'
import { checkPortIsFree, close, listenOnAll } from './listen.ts'
import { findAdmins, rememberNames } from './names.ts'
import { narrowPrivateFiles } from '../site/private-files.ts'
import { readSiteConfig, readVars, textIn } from '../site/site-config.ts'
import { askSite, localSiteBindings, makeFrontSecret, type Send } from '../site/running-site.ts'
import { LOCALHOST, readStartOptions, type StartOptions } from './options.ts'
import { requestLog } from './request-lines.ts'
import { openSmtp } from './smtp.ts'
import { aborted, stopSignal } from './stop-signal.ts'

const SETUP_DEADLINE_MILLISECONDS = 60_000
const LOOK_MILLISECONDS = 1000
const STOPPED = 'Stopped.'
/** As often as a minute, because a run costs nothing here. */
const FREQUENT_MILLISECONDS = 60_000

/** Runs `npm start`: prepares the local site when needed, and serves it. */
export function runStart(argv: readonly string[]): Promise<void> {
  return runCommand(async () => {
    const options = readStartOptions(argv, process.env, () => {
      // First, because it says what to do in a folder of somebody else.
      enterData()
      checkFolderIsWritable()
      return readLocalVars()
    })
    if (options === undefined) return
    // First, so that nobody else can put a link in the place of the lock.
    narrowPrivateFiles()
    const unlock = lockFolder()
    try {
      await checkPortIsFree(options)
      ensureDevVars()
      checkData()
      const fileServer = await findFileServerAtStart(options)
      console.log('Preparing the local database …')
      await serve(options, fileServer)
    } finally {
      unlock()
    }
    if (options.log === 'lines') console.log(STOPPED)
  })
}

/** Serves until SIGINT or SIGTERM. */
async function serve(options: StartOptions, fileServer: FileServer | undefined): Promise<void> {
  const stop = stopSignal()
  const secret = makeFrontSecret()
  const bindings = bindingsFor(options, secret)
  const { SMTP_URL: smtpUrl } = readLocalVars()
  const smtp = smtpUrl ? await openSmtp(smtpUrl, secret) : undefined
  // Late, because it loads Miniflare: --help and a refusal need nothing of it.
  const { openLocalSite } = await import('../site/local-site.ts')
  const miniflare = await openLocalSite(bindings, options.log === 'json', stop, smtp).catch(
    (error: unknown) => {
      if (stop.signal.aborted) return undefined
      throw explainOpening(error)
    },
  )
  if (miniflare === undefined) return endPreparation(options)
  const stopLogging = logStrayErrors()
  try {
    if (!stop.signal.aborted)
      await serveSite(miniflare, { options, fileServer }, secret, stop.signal)
  } finally {
    stopLogging()
    await miniflare.dispose()
  }
}

/**
 * Ends the process before the site serves. The runtime and temporary files end with it by what
 * Miniflare does at an exit, and so does the lock of the folder.
 */
function endPreparation({ log }: StartOptions): never {
  if (log === 'lines') console.log(STOPPED)
  process.exit()
}

/**
 * Finds the file server that the site gets.
 *
 * @throws {CommandError} When the command line names one that the settings don't suffice for.
 */
async function findFileServerAtStart({ files }: StartOptions): Promise<FileServer | undefined> {
  const vars = await readVars(false)
  const texts = Object.fromEntries(Object.keys(vars).map((name) => [name, textIn(vars[name])]))
  const found = parseFileServer({ ...texts, ...(files !== undefined && { FILES_ORIGIN: files }) })
  if (files === undefined || found?.problem === undefined) return found
  throw new CommandError(
    `--files needs more: ${found.problem}. Set it in ${DEV_VARS_FILE} (docs/files.md), then start again.`,
  )
}

/**
 * Logs errors that nobody waits for, and goes on. Any user of this machine can send a request to
 * Miniflare's own port whose path is no address (`//`), and Miniflare does not catch that.
 */
function logStrayErrors(): () => void {
  process.on('unhandledRejection', logStrayError)
  return () => process.off('unhandledRejection', logStrayError)
}

function logStrayError(error: unknown): void {
  logError(error, { during: 'something nobody waits for' })
}

async function serveSite(
  miniflare: Miniflare,
  { options, fileServer }: { options: StartOptions; fileServer: FileServer | undefined },
  secret: string,
  signal: AbortSignal,
): Promise<void> {
  const { assets } = await readSiteConfig()
  const assetPaths = listAssetPaths(installed(assets.directory))
  const worker = {
    async worker(target = '/') {
      await miniflare.ready
      const isFile = isAssetTarget(target, assetPaths)
      return miniflare.unsafeGetDirectURL(undefined, isFile ? 'default' : DIRECT_ENTRY)
    },
    secret,
  }
  // Miniflare's own bindings start a thread, which takes a fifth of a start.
  const send = async (call: string) => text(await callWorker(call, worker))
  const { DB } = localSiteBindings(send)
  const db = openDatabase(DB, createMeter(), SETUP_DEADLINE_MILLISECONDS)
  const password = await makeFirstAccounts(db, options.password)
  if (password !== undefined) announceAdmin(password, options.password !== undefined)
  else if (options.password !== undefined) announceIgnoredPassword()
  const vars = await readVars(false)
  const hasFiles = fileServer !== undefined
  const onAnswer = requestLog(options.log, rememberNames(db))
  const servers = [
    ...(await listenOnAll(options, () =>
      createFront({ ...worker, proxy: options.proxy, hasFiles, onAnswer }),
    )),
    await serveData(worker),
  ]
  const place = siteAddressOf({
    SITE_ADDRESS: textIn(vars['SITE_ADDRESS']),
    ISSUER: textIn(vars['ISSUER']),
  })
  const address = 'address' in place ? place.address : undefined
  console.log(bannerOf(options, await findAdmins(db, Date.now()), { address, fileServer }))
  if (!isLoopback(options.hosts[0])) announceOpenAddress(options)
  const stopDailyRuns = runDaily(
    () => runScheduled(send),
    (error) => logError(error, { during: 'nightly run' }),
  )
  const frequentRuns = setInterval(() => {
    runScheduled(send, FREQUENT_CRON).catch((error: unknown) =>
      logError(error, { during: 'run for notices' }),
    )
  }, FREQUENT_MILLISECONDS)
  const watch = watchRuntime(miniflare)
  try {
    await Promise.race([aborted(signal), watch.lost])
  } finally {
    watch.stop()
    stopDailyRuns()
    clearInterval(frequentRuns)
    await Promise.all(servers.map(close))
  }
}

/**
 * Checks regularly whether the Worker still runs. A service without a Worker must end, so that its
 * supervisor can restart it.
 *
 * @returns A promise that rejects with a {@link CommandError} when the Worker is lost, and a
 *   function that stops the checks.
 */
function watchRuntime(miniflare: Miniflare): { lost: Promise<never>; stop: () => void } {
  const { promise, reject } = Promise.withResolvers<never>()
  const lose = () =>
    reject(
      new CommandError('The Workers runtime crashed, and could not be started again: start anew.'),
    )
  const timer = setInterval(() => void miniflare.ready.catch(lose), LOOK_MILLISECONDS)
  return { lost: promise, stop: () => clearInterval(timer) }
}

/**
 * Returns the bindings for the Worker. Behind a proxy the Worker sees the client's scheme, and
 * refuses http like a deployed Worker.
 */
function bindingsFor(
  { proxy, files, hosts, port }: StartOptions,
  secret: string,
): Record<string, string> {
  return {
    SECRET_KEYS: readSecretKeys() ?? '',
    FRONT_SECRET: secret,
    ...(proxy === undefined && { ALLOW_HTTP: 'true' }),
    // Everybody who can reach the site is on this computer.
    ...(proxy === undefined && hosts === LOCALHOST && { LOCAL_ADDRESS: localAddress(port) }),
    ...workerVars(),
    ...(files !== undefined && { FILES_ORIGIN: files }),
  }
}

function checkFolderIsWritable(): void {
  try {
    accessSync('.', constants.W_OK)
  } catch {
    throw new CommandError(
      `Can't write to ${process.cwd()}: change its owner to yourself, or clone into another folder.`,
    )
  }
}

function makeFirstAccounts(db: Database, chosen: string | undefined): Promise<string | undefined> {
  return createFirstAccounts({ db, hashPassword: deriveScrypt, randomBytes: randomArray }, chosen)
}

/** @param cron The trigger; without it, that of the nightly run. */
async function runScheduled(send: Send, cron = ''): Promise<void> {
  await askSite({ cron }, send)
}
