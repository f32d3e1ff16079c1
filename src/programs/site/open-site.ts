import { createMeter } from '../../core/database/database.ts'
import { openDatabase } from '../../core/database/open-database.ts'
import { randomBytes, wait } from '../../core/deps.ts'
import { deriveScrypt } from '../../core/crypto/scrypt.ts'
import { generateSigningKey } from '../../core/crypto/signing-key.ts'
import { createKeyRing } from '../../core/crypto/key-ring.ts'
import { explain, findResources } from './cloudflare.ts'
import { CAPABILITIES } from './capabilities.ts'
import { readProductionSecretKeys, readSecretKeys } from './dev-vars.ts'
import { readSiteConfig, remoteConfig, withConfigFile } from './site-config.ts'
import { loadWrangler } from './platform-tools.ts'
import type { SiteBindings } from './local-data.ts'
import type { SitePlace } from './in-programs.ts'
import { isSiteRunning, localSiteBindings } from './running-site.ts'
import type { Site, SiteOptions } from './site.ts'
import { QUIET, runWrangler } from './wrangler.ts'

/** Longer than the deadline of a request, because a command writes more. */
const DEADLINE_MILLISECONDS = 60_000

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

/** The database and the namespace of a site, local or deployed. */
interface Platform {
  env: SiteBindings
  place: SitePlace
  dispose: () => Promise<void>
}

async function withPlatform<Result>(
  open: () => Promise<Platform>,
  secretKeys: () => string | undefined,
  use: (site: Site) => Promise<Result>,
): Promise<Result> {
  const platform = await open()
  const meter = createMeter()
  const deferred: Promise<unknown>[] = []
  try {
    const site: Site = {
      db: openDatabase(platform.env.DB, meter, DEADLINE_MILLISECONDS),
      // Commands read from the primary only.
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
    for (const { afterCommand } of CAPABILITIES) await afterCommand?.(site, platform.place)
    return result
  } finally {
    await platform.dispose()
  }
}

/**
 * Opens the local site: through the site that is running, else by a Workers runtime of its own,
 * which takes seconds.
 */
async function openLocal(): Promise<Platform> {
  if (await isSiteRunning()) {
    return { env: localSiteBindings(), place: 'running', dispose: async () => undefined }
  }
  const { openLocalData } = await import('./local-site.ts')
  const { send, dispose } = await openLocalData()
  return { env: localSiteBindings(send), place: 'stopped', dispose }
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
      return { env, place: 'deployed', dispose: () => platform.dispose() }
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
