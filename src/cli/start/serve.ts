import { randomBytes } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import type { Server } from 'node:http'
import { createServer, isIPv6 } from 'node:net'
import type { Miniflare } from 'miniflare'
import { createMeter, openDatabase } from '../../database/database.ts'
import { randomBytes as randomArray } from '../../deps.ts'
import { logError } from '../../http/log.ts'
import { deriveScrypt } from '../../crypto/scrypt.ts'
import { codeOf, CommandError, runCommand, UsageError } from '../command-error.ts'
import { runDaily } from './daily-run.ts'
import { ensureDevVars, readSecretKeys } from '../dev-vars.ts'
import { createFirstAccounts } from '../operator/first-accounts.ts'
import { createFront } from './front.ts'
import { isLoopback } from './front-request.ts'
import { openLocalSite } from '../local-site.ts'
import { narrowPrivateFiles } from '../private-files.ts'
import { readStartOptions, type StartOptions } from './options.ts'

const SECRET_BYTES = 32
/** Milliseconds that running requests get to finish when the server stops. */
const STOP_MILLISECONDS = 3000
const SETUP_DEADLINE_MILLISECONDS = 60_000
const LOOK_MILLISECONDS = 1000

/** Runs `npm start`: prepares the local site when needed, and serves it. */
export function runStart(argv: readonly string[]): Promise<void> {
  return runCommand(async () => {
    const options = readStartOptions(argv, process.env)
    if (options === undefined) return
    checkFolderIsWritable()
    await checkPortIsFree(options)
    ensureDevVars()
    narrowPrivateFiles()
    console.log('Preparing the local database …')
    await serve(options)
  })
}

/** Serves until SIGINT or SIGTERM. */
async function serve(options: StartOptions): Promise<void> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const miniflare = await openLocalSite(bindingsFor(options, secret))
  const stopped = untilSignal()
  try {
    const password = await makeFirstAccounts(miniflare, options.password)
    if (password !== undefined) announceAdmin(password, options.password !== undefined)
    else if (options.password !== undefined) announceIgnoredPassword()
    const front = createFront({ worker: () => miniflare.ready, secret, proxy: options.proxy })
    await listen(front, options)
    announce(options)
    const stopDailyRuns = runDaily(
      () => runScheduled(miniflare),
      (error) => logError(error, { during: 'nightly run' }),
    )
    const watch = watchRuntime(miniflare)
    try {
      await Promise.race([stopped, watch.lost])
    } finally {
      watch.stop()
      stopDailyRuns()
      await close(front)
    }
  } finally {
    await miniflare.dispose()
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
function bindingsFor({ proxy }: StartOptions, secret: string): Record<string, string> {
  return {
    SECRET_KEYS: readSecretKeys() ?? '',
    FRONT_SECRET: secret,
    ...(proxy === undefined && { ALLOW_HTTP: 'true' }),
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

/** Checks the port before the preparation, because the preparation takes seconds. */
async function checkPortIsFree(options: StartOptions): Promise<void> {
  const server = createServer()
  await listen(server, options)
  await new Promise((resolve) => server.close(resolve))
}

async function listen(
  server: ReturnType<typeof createServer>,
  { host, port }: StartOptions,
): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve)
    })
  } catch (error) {
    if (codeOf(error) === 'EADDRNOTAVAIL')
      throw new UsageError(`This machine has no address ${host}.`)
    throw new CommandError(
      `Port ${port} is in use or not allowed: choose another port, for example PORT=8788 npm start.`,
    )
  }
}

async function makeFirstAccounts(
  miniflare: Miniflare,
  chosen: string | undefined,
): Promise<string | undefined> {
  const d1 = await miniflare.getD1Database('DB')
  const db = openDatabase(d1, createMeter(), SETUP_DEADLINE_MILLISECONDS)
  return createFirstAccounts({ db, hashPassword: deriveScrypt, randomBytes: randomArray }, chosen)
}

function announceAdmin(password: string, isChosen: boolean): void {
  if (isChosen) console.log('Created the user admin with the password from ADMIN_PASSWORD.')
  else
    console.log(
      `\n  user      admin\n  password  ${password}\n\nThe password is shown only once.\n`,
    )
}

function announceIgnoredPassword(): void {
  console.log(
    'ADMIN_PASSWORD is ignored, because there is an admin already. To change the password: npm run latchkey -- user password admin',
  )
}

function announce({ host, port, proxy }: StartOptions): void {
  const where = `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
  const whom = proxy === undefined ? '' : `, for the proxy that sets ${proxy.header}`
  console.log(`Latchkey serves on ${where}${whom} (Ctrl-C stops it)`)
  if (isLoopback(host)) return
  console.log(
    proxy === undefined
      ? 'This address is open to the network and not encrypted: others on the network can read and change passwords, codes and sessions. Put a proxy with https in front (docs/self-hosting.md).'
      : 'This address is open to the network: only requests from the proxy are accepted, but the connection from the proxy is not encrypted.',
  )
}

async function runScheduled(miniflare: Miniflare): Promise<void> {
  const worker = await miniflare.getWorker()
  const { outcome } = await worker.scheduled({})
  if (outcome !== 'ok') throw new Error(`the nightly run ended with ${outcome}`)
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      // Miniflare's handlers would end the process at once, while requests are running.
      process.removeAllListeners(signal)
      process.on(signal, () => resolve())
    }
  })
}

/** Closes the server. Running requests get `STOP_MILLISECONDS` to finish. */
async function close(front: Server): Promise<void> {
  const closed = new Promise((resolve) => front.close(resolve))
  setTimeout(() => front.closeAllConnections(), STOP_MILLISECONDS).unref()
  await closed
}
