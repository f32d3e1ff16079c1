import { drizzle } from 'drizzle-orm/d1'
import type { Database } from '../deps.ts'
import { QUIET } from './wrangler.ts'

/** Opens the local database, the one `npm start` serves from; both may be open at once. */
export async function withDatabase<Result>(
  use: (db: Database) => Promise<Result>,
): Promise<Result> {
  Object.assign(process.env, QUIET)
  // Late, because it takes a second: what fails before needs no wrangler.
  const { getPlatformProxy } = await import('wrangler')
  const platform = await quietly(() => getPlatformProxy<Env>({ remoteBindings: false }))
  try {
    return await use(drizzle(platform.env.DB))
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
