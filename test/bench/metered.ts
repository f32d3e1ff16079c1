import worker from '../../src/worker.ts'

export { PasswordHasher } from '../../src/core/crypto/password-hasher.ts'

/** What one request asked of the platform; sent back in `X-Cost`. */
export interface Cost {
  d1Trips: number
  rowsRead: number
  rowsWritten: number
  kvReads: number
  kvWrites: number
  objectCalls: number
}

/** How bad the way to D1 is. */
interface MeteredEnv extends Env {
  D1_DELAY_MILLISECONDS?: number
  /** Of a hundred calls, how many fail, before or after they have happened. */
  D1_ERROR_PERCENT?: number
  /** Of a hundred calls, how many take 2 s longer. */
  D1_STALL_PERCENT?: number
}

const STALL_MILLISECONDS = 2000

/**
 * The built Worker in a world that counts, is far away and fails: for figures, and for the soak.
 * Only what is bound is another; the service is the one that is deployed.
 */
export default {
  async fetch(request, env, context) {
    const cost = {
      d1Trips: 0,
      rowsRead: 0,
      rowsWritten: 0,
      kvReads: 0,
      kvWrites: 0,
      objectCalls: 0,
    }
    const answer = await worker.fetch(request, meteredEnv(env, cost), context)
    const metered = new Response(answer.body, answer)
    metered.headers.set('X-Cost', JSON.stringify(cost))
    return metered
  },
} satisfies ExportedHandler<MeteredEnv>

function meteredEnv(env: MeteredEnv, cost: Cost): MeteredEnv {
  return {
    ...env,
    DB: meteredDatabase(env.DB, env, cost),
    SETTINGS: counted(env.SETTINGS, (name) => {
      if (name.startsWith('get')) cost.kvReads += 1
      if (name === 'put' || name === 'delete') cost.kvWrites += 1
    }),
    PASSWORD_HASHER: counted(env.PASSWORD_HASHER, (name) => {
      if (name === 'getByName' || name === 'get') cost.objectCalls += 1
    }),
  }
}

/** D1, or a session of it: every trip is delayed, may fail or stall, and is counted. */
function meteredDatabase<Target extends D1Database | D1DatabaseSession>(
  d1: Target,
  env: MeteredEnv,
  cost: Cost,
): Target {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const trip = async (run: () => Promise<unknown>) => {
    cost.d1Trips += 1
    await pause(env.D1_DELAY_MILLISECONDS ?? 0)
    if (chance(env.D1_STALL_PERCENT)) await pause(STALL_MILLISECONDS)
    if (chance((env.D1_ERROR_PERCENT ?? 0) / 2)) throw new Error('D1_ERROR: injected before')
    const result = await run()
    if (chance((env.D1_ERROR_PERCENT ?? 0) / 2)) throw new Error('D1_ERROR: injected after')
    for (const { meta } of [result].flat().filter(hasMeta)) {
      cost.rowsRead += meta.rows_read
      cost.rowsWritten += meta.rows_written
    }
    return result
  }
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => wrap(target.bind(...values))
        if (name === 'run' || name === 'all') return () => trip(() => target[name]())
        // Its rows come without figures, so the same is asked in the way that has them.
        if (name === 'raw') return () => trip(() => target.all()).then(rowsOf)
        return bound(target, name)
      },
    })
    originals.set(wrapped, statement)
    return wrapped
  }
  return new Proxy(d1, {
    get(target, name) {
      if (name === 'prepare') return (query: string) => wrap(target.prepare(query))
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) =>
          trip(() =>
            target.batch(statements.map((statement) => originals.get(statement) ?? statement)),
          )
      }
      if (name === 'withSession' && 'withSession' in target) {
        return (start?: string) => meteredDatabase(target.withSession(start), env, cost)
      }
      return bound(target, name)
    },
  })
}

function counted<Target extends object>(target: Target, count: (name: string) => void): Target {
  return new Proxy(target, {
    get(object, name) {
      count(String(name))
      return bound(object, name)
    },
  })
}

/** The platform's objects know themselves only under their own name. */
function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}

function rowsOf(result: unknown): unknown[][] {
  const isResult = typeof result === 'object' && result !== null && 'results' in result
  const rows = isResult && Array.isArray(result.results) ? result.results : []
  return rows.map((row: object) => Object.values(row))
}

function hasMeta(result: unknown): result is { meta: { rows_read: number; rows_written: number } } {
  return typeof result === 'object' && result !== null && 'meta' in result
}

function chance(percent = 0): boolean {
  return percent > 0 && Math.random() * 100 < percent
}

function pause(milliseconds: number): Promise<void> | undefined {
  if (milliseconds <= 0) return undefined
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
