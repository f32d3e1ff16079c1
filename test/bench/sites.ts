import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { randomBytes } from '../../src/core/deps.ts'
import { hashPassword, staticDigest } from '../../src/core/passwords/passwords.ts'
import { deriveScrypt } from '../../src/core/crypto/scrypt.ts'
import { moduleOptions, readModules } from '../../src/programs/site/worker-modules.ts'
import { compatibilityFlags } from '../support/compatibility-flags.ts'
import { migrate } from '../support/migrate.ts'
import { SECRET_KEYS } from '../support/secrets.ts'
import { temporaryFolder } from './bundles.ts'
import { populate } from './population.ts'

export const PASSWORD = 'bench-Passw0rd'

/** The least that a Worker can be. */
export const BARE = `export default { fetch: () => new Response('pong') }`

/** One Worker with a database and a KV of its own. */
export interface Side {
  name: string
  /** The bundle, or the main one of its modules. */
  script: string
  /** Where the migrations of its version lie. */
  migrations?: string
  bindings?: Record<string, string | number>
  users?: number
  /** Compatibility flags; those of today by default. */
  flags?: string[]
}

/** Some Workers in one workerd, each behind a socket of its own: no proxy stands in between. */
export class Sites {
  readonly #miniflare: Miniflare
  readonly #urls: Map<string, URL>
  /** The process id of workerd; none where there is no /proc. */
  readonly pid: number | undefined

  private constructor(miniflare: Miniflare, urls: Map<string, URL>, pid: number | undefined) {
    this.#miniflare = miniflare
    this.#urls = urls
    this.pid = pid
  }

  /**
   * @param inspectable Whether `inspector` leads anywhere; V8 then keeps what is logged for it.
   * @param derive What the scripts hash passwords with.
   */
  static async start(
    sides: Side[],
    { inspectable = false, derive = deriveScrypt } = {},
  ): Promise<Sites> {
    const { miniflare, pid } = await startMiniflare({
      ...(inspectable && { inspectorPort: 0 }),
      workers: sides.map(workerOf),
    })
    const urls = new Map<string, URL>()
    for (const { name } of sides) urls.set(name, await miniflare.unsafeGetDirectURL(name))
    const passwordHash = await hashPassword(
      { hashPassword: derive, randomBytes },
      await staticDigest(PASSWORD),
    )
    for (const { name, migrations, users = 100 } of sides) {
      const d1 = await miniflare.getD1Database('DB', name)
      await migrate(d1, migrations)
      await populate(d1, users, passwordHash)
    }
    return new Sites(miniflare, urls, pid)
  }

  url(name: string): URL {
    const url = this.#urls.get(name)
    if (url === undefined) throw new Error(`no side is called ${name}`)
    return url
  }

  /** Where the Chrome DevTools protocol is spoken, to every isolate of this workerd. */
  inspector(): Promise<URL> {
    return this.#miniflare.getInspectorURL()
  }

  database(name: string) {
    return this.#miniflare.getD1Database('DB', name)
  }

  settings(name: string) {
    return this.#miniflare.getKVNamespace('SETTINGS', name)
  }

  stop(): Promise<void> {
    return this.#miniflare.dispose()
  }
}

/** Miniflare's options for a side. */
export function workerOf({ name, script, bindings, flags = compatibilityFlags() }: Side) {
  return {
    name,
    ...moduleOptions(readModules(dirname(script), basename(script))),
    compatibilityDate: '2026-08-01',
    compatibilityFlags: flags,
    d1Databases: { DB: name },
    kvNamespaces: { SETTINGS: name },
    durableObjects: { PASSWORD_HASHER: { className: 'PasswordHasher', useSQLite: true } },
    bindings: {
      SECRET_KEYS,
      TOKEN_HOURS: '48',
      ALLOW_HTTP: 'true',
      FRESH_MINUTES: '10',
      ...bindings,
    },
    ratelimits: {
      SIGN_IN_LIMITER: {
        namespace_id: name,
        simple: { limit: 1_000_000_000, period: 60 as const },
      },
    },
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  }
}

/** @returns Miniflare, and the process id of its workerd; none where there is no /proc. */
export async function startMiniflare(options: Parameters<typeof convertV4MiniflareOptions>[0]) {
  const before = new Set(workerdProcesses())
  const shared = { host: '127.0.0.1', port: 0, cf: false } as const
  process.env[WORKERD_PATH] = quietWorkerd()
  try {
    const miniflare = new Miniflare(convertV4MiniflareOptions({ ...shared, ...options }))
    await miniflare.ready
    return { miniflare, pid: workerdProcesses().find((started) => !before.has(started)) }
  } finally {
    // Others in this process read the log of theirs.
    delete process.env[WORKERD_PATH]
  }
}

/** Where Miniflare finds workerd, if it is not in its own package. */
const WORKERD_PATH = 'MINIFLARE_WORKERD_PATH'

/**
 * Workerd whose log goes nowhere: Miniflare would parse every line of it, on the cores that the
 * load is made on.
 */
function quietWorkerd(): string {
  const miniflare = createRequire(import.meta.url).resolve('miniflare')
  const workerd = createRequire(miniflare).resolve('workerd/bin/workerd')
  const file = join(temporaryFolder(), 'workerd')
  writeFileSync(file, `#!/bin/sh\nexec '${workerd}' "$@" >/dev/null 2>&1\n`, { mode: 0o755 })
  return file
}

/** The workerd processes that this process has started. */
function workerdProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => isOurWorkerd(pid))
      .map(Number)
  } catch {
    return []
  }
}

function isOurWorkerd(pid: string): boolean {
  try {
    const [, name = '', rest = ''] =
      /\((.*)\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return name === 'workerd' && Number(rest) === process.pid
  } catch {
    // It has ended meanwhile.
    return false
  }
}
