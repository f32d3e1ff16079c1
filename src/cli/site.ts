import { openDatabase } from '../database.ts'
import { type Deps, randomBytes, wait } from '../deps.ts'
import { deriveScrypt } from '../login/scrypt.ts'
import { createKeyRing } from '../tokens/key-ring.ts'
import { CommandError } from './command-error.ts'
import { readSecretKeys } from './dev-vars.ts'
import { QUIET } from './wrangler.ts'

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
  | 'randomBytes'
  | 'defer'
>

/** A command may write for longer than a request. */
const DEADLINE_MILLISECONDS = 60_000

/** Opens the local site, the one `npm start` serves; both may be open at once. */
export async function withSite<Result>(
  use: (site: Site) => Promise<Result>,
  { remote } = { remote: false },
): Promise<Result> {
  if (remote) throw new CommandError('--remote is not built yet: leave it out for the local site.')
  Object.assign(process.env, QUIET)
  // Late, because it takes a second: what fails before needs no wrangler.
  const { getPlatformProxy } = await import('wrangler')
  const platform = await quietly(() => getPlatformProxy<Env>({ remoteBindings: false }))
  const deferred: Promise<unknown>[] = []
  try {
    const result = await use({
      db: openDatabase(platform.env.DB, { roundTrips: 0 }, DEADLINE_MILLISECONDS),
      kv: platform.env.SETTINGS,
      settingsMemory: {},
      keyRing: async () => createKeyRing(readSecretKeys()),
      hashPassword: deriveScrypt,
      now: Date.now,
      wait,
      randomBytes,
      defer: (work) => deferred.push(work),
    })
    await Promise.all(deferred)
    return result
  } finally {
    await platform.dispose()
  }
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
