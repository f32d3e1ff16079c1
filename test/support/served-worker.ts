import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type Request as MiniflareRequest,
  Response as MiniflareResponse,
} from 'miniflare'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import { createFirstAccounts } from '../../src/programs/site/first-accounts.ts'
import { randomBytes } from '../../src/core/deps.ts'
import { moduleOptions, readModules } from '../../src/programs/site/worker-modules.ts'
import { cheapHash } from './cheap-hash.ts'
import { Client } from './client.ts'
import { compatibilityFlags } from './compatibility-flags.ts'
import { migrate } from './migrate.ts'
import { SECRET_KEYS } from './secrets.ts'

export interface ServedOptions {
  /** Where D1 lives between two servers; otherwise it is gone with the first. */
  stateFolder?: string
  /** The id of the database, under which D1 lives in that folder. */
  databaseId?: string
  secretKeys?: string
  /** Binds `EMAIL`. Miniflare logs each e-mail, and writes its text into a file. */
  email?: boolean
  /** The limit of the gate for a network; by default more than any test takes. */
  signInsAMinute?: number
  /** Answers what the Worker asks of other servers, in place of the network. */
  outside?: (url: string, init: RequestInit) => Promise<Response>
}

/** Keeps what Miniflare says of the e-mails that were sent. */
class MailLog extends Log {
  readonly #log: string[]

  constructor(log: string[]) {
    super(LogLevel.INFO)
    this.#log = log
  }

  override log(message: string): void {
    this.#log.push(message)
  }
}

/** The built Worker in Miniflare, spoken to as any client would. */
export class ServedWorker {
  readonly #miniflare: Miniflare
  readonly url: URL
  /** The log of the Worker. */
  readonly log: string[]

  private constructor(miniflare: Miniflare, url: URL, log: string[]) {
    this.log = log
    this.#miniflare = miniflare
    this.url = url
  }

  /** @param workerFolder Where `build-worker.ts` put the modules. */
  static async start(
    workerFolder: string,
    {
      stateFolder,
      databaseId = 'latchkey',
      secretKeys = SECRET_KEYS,
      signInsAMinute = 1000,
      email = false,
      outside,
    }: ServedOptions = {},
  ) {
    const log: string[] = []
    const options = convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      handleStructuredLogs: ({ message }) => log.push(message),
      ...moduleOptions(readModules(workerFolder, 'worker.js')),
      compatibilityDate: '2026-08-01',
      compatibilityFlags: compatibilityFlags(),
      d1Databases: { DB: databaseId },
      kvNamespaces: ['SETTINGS'],
      durableObjects: { PASSWORD_HASHER: { className: 'PasswordHasher', useSQLite: true } },
      bindings: {
        SECRET_KEYS: secretKeys,
        TOKEN_HOURS: '48',
        ALLOW_HTTP: 'true',
        FRESH_MINUTES: '10',
      },
      ratelimits: {
        SIGN_IN_LIMITER: { namespace_id: '1001', simple: { limit: signInsAMinute, period: 60 } },
      },
      ...(email && { email: { send_email: [{ name: 'EMAIL' }] }, log: new MailLog(log) }),
      ...(outside !== undefined && {
        outboundService: async (asked: MiniflareRequest) => {
          const { url, method, headers } = asked
          const body = method === 'GET' ? null : await asked.text()
          const answer = await outside(url, { method, headers: [...headers], body })
          return new MiniflareResponse(await answer.text(), { status: answer.status })
        },
      }),
      ...(stateFolder !== undefined && { resourcePersistencePath: stateFolder }),
    })
    const miniflare = new Miniflare(options)
    return new ServedWorker(miniflare, await miniflare.ready, log)
  }

  /** Migrates the database and makes the first accounts, for the bundle of `build-worker.ts`. */
  async setUp(adminPassword: string): Promise<void> {
    const d1 = await this.database()
    await migrate(d1)
    await createFirstAccounts(
      { db: openDatabase(d1, createMeter()), hashPassword: cheapHash, randomBytes },
      adminPassword,
    )
  }

  /** Deletes everything in KV. @returns The number of entries that there were. */
  async emptySettings(): Promise<number> {
    const kv = await this.#miniflare.getKVNamespace('SETTINGS')
    const { keys } = await kv.list()
    for (const { name } of keys) await kv.delete(name)
    return keys.length
  }

  /** Runs the nightly run. */
  async runScheduled(): Promise<void> {
    const worker = await this.#miniflare.getWorker()
    await worker.scheduled({})
  }

  database(): Promise<D1Database> {
    return this.#miniflare.getD1Database('DB')
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(new URL(path, this.url), { redirect: 'manual', ...init })
  }

  call(...request: Parameters<Client['call']>) {
    return new Client(this.url.href).call(...request)
  }

  stop(): Promise<void> {
    return this.#miniflare.dispose()
  }
}
