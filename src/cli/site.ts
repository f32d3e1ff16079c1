import { createMeter, openDatabase } from '../database/database.ts'
import { type Deps, randomBytes, wait } from '../deps.ts'
import { deriveScrypt } from '../crypto/scrypt.ts'
import { createKeyRing } from '../crypto/key-ring.ts'
import { explain, findResources } from './deploy/cloudflare.ts'
import { readProductionSecretKeys, readSecretKeys } from './dev-vars.ts'
import { readSiteConfig, remoteConfig, withConfigFile } from './deploy/site-config.ts'
import { QUIET, runWrangler } from './wrangler.ts'

/** What a command works with: the parts of `Deps` that need no request. */
export type Site = Pick<
  Deps,
  | 'db'
  | 'kv'
  | 'settingsMemory'
  | 'keyRing'
  | 'hashPassword'
  | 'now'
  | 'wait'
  | 'freshSeconds'
  | 'randomBytes'
  | 'defer'
>

/** A command may write for longer than a request. */
const DEADLINE_MILLISECONDS = 60_000

/** Which site a command works on. */
export interface SiteOptions {
  /** The one that is deployed; otherwise the local one, which `npm start` serves. */
  remote?: boolean
}

/**
 * Opens a site; the local one may be open in a server at the same time.
 *
 * @throws {CommandError} When the deployed one can't be reached, with what to do.
 */
export function withSite<Result>(
  { remote = false }: SiteOptions,
  use: (site: Site) => Promise<Result>,
): Promise<Result> {
  Object.assign(process.env, QUIET)
  if (!remote) return withPlatform(openLocal, readSecretKeys, use)
  return withRemoteConfig((configPath) =>
    withPlatform(() => openRemote(configPath), readProductionSecretKeys, use),
  )
}

async function withRemoteConfig<Result>(use: (path: string) => Promise<Result>): Promise<Result> {
  const config = await readSiteConfig()
  const resources = await findResources(runWrangler, config).catch((error: unknown) => {
    throw explain(error)
  })
  return withConfigFile(remoteConfig(config, resources), use)
}

/** The database and the namespace of a site, wherever they are. */
interface Platform {
  env: Pick<Env, 'DB' | 'SETTINGS'>
  dispose: () => Promise<void>
}

async function withPlatform<Result>(
  open: () => Promise<Platform>,
  secretKeys: () => string | undefined,
  use: (site: Site) => Promise<Result>,
): Promise<Result> {
  const platform = await open()
  const deferred: Promise<unknown>[] = []
  try {
    const result = await use({
      db: openDatabase(platform.env.DB, createMeter(), DEADLINE_MILLISECONDS),
      kv: platform.env.SETTINGS,
      settingsMemory: {},
      keyRing: async () => createKeyRing(secretKeys()),
      hashPassword: deriveScrypt,
      now: Date.now,
      wait,
      // There is no session that could be stale.
      freshSeconds: () => 0,
      randomBytes,
      defer: (work) => deferred.push(work),
    })
    await Promise.all(deferred)
    return result
  } finally {
    await platform.dispose()
  }
}

/** Late imports, because they take a second: what fails before needs none of it. */
async function openLocal(): Promise<Platform> {
  const { openLocalData } = await import('./local-site.ts')
  const miniflare = await openLocalData()
  return { env: await miniflare.getBindings<Platform['env']>(), dispose: () => miniflare.dispose() }
}

async function openRemote(configPath: string): Promise<Platform> {
  const { getPlatformProxy } = await import('wrangler')
  return quietly(async () => {
    const options = { configPath, persist: false }
    const platform = await getPlatformProxy<Env>(options).catch((error: unknown) => {
      throw explain(error)
    })
    try {
      // The proxy connects when it is first used; what keeps it from that is told once, here.
      await platform.env.DB.prepare('select 1').run()
      return platform
    } catch (error) {
      await platform.dispose()
      throw explain(error)
    }
  })
}

/** The platform proxy warns that Durable Objects don't run in it; the command line calls none. */
async function quietly<Result>(start: () => Promise<Result>): Promise<Result> {
  const { error } = console
  console.error = () => undefined
  try {
    return await start()
  } finally {
    console.error = error
  }
}
