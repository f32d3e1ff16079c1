import { createMeter, openDatabase } from '../../core/database/database.ts'
import { type Deps, randomBytes, wait } from '../../core/deps.ts'
import { deriveScrypt } from '../../core/crypto/scrypt.ts'
import { generateSigningKey } from '../../core/crypto/signing-key.ts'
import { createKeyRing } from '../../core/crypto/key-ring.ts'
import { explain, findResources } from './cloudflare.ts'
import { readProductionSecretKeys, readSecretKeys } from './dev-vars.ts'
import { readSiteConfig, remoteConfig, withConfigFile } from './site-config.ts'
import { loadWrangler } from './platform-tools.ts'
import { FREQUENT_CRON } from '../../core/base/crons.ts'
import { selectWaitingMails } from '../../capabilities/mail/outbox.ts'
import { sendLogouts } from '../../capabilities/openid/back-channel.ts'
import { CommandError, reasonIn } from '../kit/command-error.ts'
import type { SiteBindings } from './local-data.ts'
import { mayBeBehind } from '../../capabilities/files/store.ts'
import { writeFileUsersOf } from './file-users.ts'
import { askSite, isSiteRunning, localSiteBindings } from './running-site.ts'
import { QUIET, runWrangler } from './wrangler.ts'

/** The parts of `Deps` that commands use; they need no request. */
export type Site = Pick<
  Deps,
  | 'db'
  | 'kv'
  | 'isolateMemory'
  | 'keyRing'
  | 'hashPassword'
  | 'now'
  | 'wait'
  | 'freshSeconds'
  | 'randomBytes'
  | 'makeSigningKey'
  | 'defer'
  | 'sendOut'
  | 'nearbyDb'
  | 'meter'
>

/** Longer than the deadline of a request, because a command writes more. */
const DEADLINE_MILLISECONDS = 60_000

/** The site that a command works on. */
export interface SiteOptions {
  /** The deployed site; otherwise the local site, which `npm start` serves. */
  remote?: boolean
}

/**
 * Opens a site and calls a function with it. A server may have the local site open at the same
 * time.
 *
 * @throws {CommandError} When the deployed site can't be reached; the message says what to do.
 */
export function withSite<Result>(
  { remote = false }: SiteOptions,
  use: (site: Site) => Promise<Result>,
): Promise<Result> {
  Object.assign(process.env, QUIET)
  if (!remote) return withPlatform(openLocal, readSecretKeys, use, false)
  return withRemoteConfig((configPath) =>
    withPlatform(() => openRemote(configPath), readProductionSecretKeys, use, true),
  )
}

async function withRemoteConfig<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
  const config = await readSiteConfig()
  const resources = await findResources(runWrangler, config).catch((error: unknown) => {
    throw explain(error)
  })
  return withConfigFile(remoteConfig(config, resources), use)
}

/** The database and the namespace of a site, local or deployed. */
interface Platform {
  env: SiteBindings
  /** Makes the site send what waits; or what to say when that can't be done from here. */
  runSite: (() => Promise<unknown>) | string
  /** Says when the site writes to OpenList what a command could not. */
  nextRun: string
  dispose: () => Promise<void>
}

async function withPlatform<Result>(
  open: () => Promise<Platform>,
  secretKeys: () => string | undefined,
  use: (site: Site) => Promise<Result>,
  isRemote: boolean,
): Promise<Result> {
  const platform = await open()
  const meter = createMeter()
  const deferred: Promise<unknown>[] = []
  try {
    const site: Site = {
      db: openDatabase(platform.env.DB, meter, DEADLINE_MILLISECONDS),
      // What a command reads is what the primary has.
      nearbyDb: () => Promise.resolve(undefined),
      meter,
      kv: platform.env.SETTINGS,
      isolateMemory: {},
      keyRing: async () => createKeyRing(secretKeys()),
      hashPassword: deriveScrypt,
      now: Date.now,
      wait,
      // A command has no session that could be too old.
      freshSeconds: () => 'always',
      randomBytes,
      makeSigningKey: generateSigningKey,
      defer: (work) => deferred.push(work),
      sendOut: (url, init) => fetch(url, { ...init, redirect: 'manual' }),
    }
    const result = await use(site)
    await Promise.all(deferred)
    if (site.db.toSend.has('logouts')) await tellPrograms(site)
    if (site.db.toSend.has('mails')) await sendMailsOf(site, platform.runSite)
    if (mayBeBehind(meter)) await writeFileUsersOf(site, isRemote, platform.nextRun)
    return result
  } finally {
    await platform.dispose()
  }
}

/**
 * Tells programs of the sessions that a command has ended. What can't be sent from here, the site
 * sends with its next run.
 */
async function tellPrograms(site: Site): Promise<void> {
  try {
    await sendLogouts(site)
  } catch (error) {
    const why = error instanceof CommandError ? error.message : reasonIn(error)
    process.stderr.write(`The site, not this command, tells the programs of it: ${why}\n`)
  }
}

/** Makes the site send the mails of a command, because only the site knows the mail server. */
async function sendMailsOf({ db }: Site, runSite: Platform['runSite']): Promise<void> {
  if (typeof runSite === 'string') {
    process.stderr.write(`${runSite}\n`)
    return
  }
  try {
    await runSite()
    if ((await selectWaitingMails(db)).length === 0) return
    process.stderr.write(
      'The site has not sent the mail, and tries again. Look at SMTP_URL, and at what the site prints.\n',
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    process.stderr.write(`The site sends the mail with its next run: ${why}\n`)
  }
}

/** Makes the local site that is running do what it does every minute. */
function runOnce(): Promise<unknown> {
  return askSite({ cron: FREQUENT_CRON })
}

/**
 * Opens the local site: through the site that is running, else by a Workers runtime of its own,
 * which takes seconds.
 */
async function openLocal(): Promise<Platform> {
  if (await isSiteRunning()) {
    const nextRun = 'The site tries again every minute.'
    return { env: localSiteBindings(), runSite: runOnce, nextRun, dispose: async () => undefined }
  }
  const { openLocalData } = await import('./local-site.ts')
  const { send, dispose } = await openLocalData()
  const runSite = 'The site is not running. It sends the mail when it runs.'
  const nextRun = 'The site tries again a minute after npm start.'
  return { env: localSiteBindings(send), runSite, nextRun, dispose }
}

async function openRemote(configPath: string): Promise<Platform> {
  const { getPlatformProxy } = loadWrangler()
  return quietly(async () => {
    const options = { configPath, persist: false }
    const platform = await getPlatformProxy<Env>(options).catch((error: unknown) => {
      throw explain(error)
    })
    try {
      // The proxy connects on first use; a failure to connect is reported here, once.
      await platform.env.DB.prepare('select 1').run()
      const { env } = platform
      const runSite = 'The deployed site sends the mail within five minutes.'
      const nextRun = 'The deployed site tries again every five minutes.'
      return { env, runSite, nextRun, dispose: () => platform.dispose() }
    } catch (error) {
      await platform.dispose()
      throw explain(error)
    }
  })
}

/** Hides the proxy's warning that Durable Objects don't run in it; no command calls one. */
async function quietly<Result>(start: () => Promise<Result>): Promise<Result> {
  const { error } = console
  console.error = () => undefined
  try {
    return await start()
  } finally {
    console.error = error
  }
}
