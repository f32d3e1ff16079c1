import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { users } from '../../schema/tables.ts'
import { createApp } from '../../src/app/app.ts'
import { createMeter } from '../../src/core/database/database.ts'
import {
  createDeps,
  type Deps,
  loadDatabase,
  type OptionalBindings,
  randomBytes,
} from '../../src/core/deps.ts'
import { hashPassword, staticDigest } from '../../src/core/passwords/passwords.ts'
import { deriveScrypt } from '../../src/core/crypto/scrypt.ts'
import { folderColumns } from '../../src/core/accounts/folders.ts'
import { usernameKey } from '../../src/core/accounts/username.ts'
import { phoneCode } from './authenticator.ts'
import { noteDeferred } from './clean-state.ts'
import type { Envelope } from './envelope.ts'
import { rememberSecret } from './log.ts'

await loadDatabase()

export interface Call {
  token?: string
  /** Sent as JSON, or as it is when it is a text. */
  body?: unknown
  headers?: Record<string, string>
  /** The country that the platform tells. */
  country?: string
}

/** A row of `users`, with the password itself. */
type NewUser = { password?: string } & Partial<typeof users.$inferInsert>

export const NOW = Date.UTC(2026, 10, 21, 9, 15, 6, 565)
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

/** Make the dependencies of a request, by the bindings of the site. */
const depsOf = new WeakMap<Env, (request: Request) => Deps>()

/** Shared by all sites, because building the routers takes longer than most requests. */
const app = createApp((bindings, _defer, request) => {
  const deps = depsOf.get(bindings)?.(request)
  if (deps === undefined) throw new Error('the bindings are those of no site')
  return deps
})

/** Copied once, because each binding is looked up in `env` anew. */
const realBindings: Env = { ...env }

/** One service with a clock of its own on the real database, KV and hasher. */
export class Site {
  now = NOW
  readonly db = drizzle(env.DB)
  /** The dependencies of requests; each has a meter of its own. */
  readonly deps: Deps
  /** The cost of the latest request. */
  meter = createMeter()
  /** Work that goes on after the answers. */
  readonly deferred: Promise<unknown>[] = []
  readonly #bindings: Env & OptionalBindings

  /** @param faults Parts of the world that are to behave differently. */
  constructor(faults: Partial<Deps> = {}, bindings: Partial<Env & OptionalBindings> = {}) {
    const isolateMemory = {}
    const defer = (work: Promise<unknown>) => {
      this.deferred.push(work)
      noteDeferred(work)
    }
    const world: Env & OptionalBindings = { ...realBindings, ...bindings }
    this.#bindings = world
    const real = createDeps(world, defer)
    this.deps = {
      ...real,
      isolateMemory,
      now: () => this.now,
      wait: async (milliseconds) => {
        this.now += milliseconds
      },
      limitSignIns: async () => true,
      ...faults,
    }
    depsOf.set(world, (request) => {
      const { db, nearbyDb, seenBookmark, meter, count } = createDeps(world, defer, request)
      this.meter = meter
      // A database that a test has put there is the only one.
      if (this.deps.db !== real.db)
        return { ...this.deps, seenBookmark, meter, nearbyDb: async () => undefined }
      return { ...this.deps, db, nearbyDb, seenBookmark, meter, count }
    })
  }

  async fetch(
    method: string,
    path: string,
    { token, body, headers = {}, country }: Call = {},
  ): Promise<Response> {
    const init: RequestInit = {
      method,
      headers: {
        'CF-Connecting-IP': '192.0.2.1',
        ...(token !== undefined && { Authorization: token }),
        ...headers,
      },
      ...(country !== undefined && { cf: { country } }),
    }
    if (body !== undefined) {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array
      init.body = isRaw ? body : JSON.stringify(body)
    }
    return this.request(path, init)
  }

  readonly request = async (path: string, init: RequestInit): Promise<Response> =>
    app.fetch(
      new Request(URL.canParse(path) ? path : `http://localhost${path}`, init),
      this.#bindings,
      createExecutionContext(),
    )

  /** Calls an endpoint; whatever it answers, it does so with HTTP 200 and an envelope. */
  async call(method: string, path: string, call?: Call): Promise<Envelope> {
    const response = await this.fetch(method, path, call)
    if (response.status !== 200) throw new Error(`${method} ${path}: HTTP ${response.status}`)
    const envelope: Envelope = await response.json()
    for (const secret of [call?.token, ...secretsIn(call?.body), ...secretsIn(envelope.data)]) {
      rememberSecret(secret)
    }
    return envelope
  }

  /** Waits for what goes on after the answers. */
  async settle(): Promise<void> {
    await Promise.all(this.deferred)
  }

  get(path: string, call?: Call): Promise<Envelope> {
    return this.call('GET', path, call)
  }

  post(path: string, body?: unknown, call?: Call): Promise<Envelope> {
    return this.call('POST', path, { ...call, body })
  }

  login(username: string, password: string, code?: string): Promise<Envelope> {
    return this.post('/api/auth/login', {
      username,
      password,
      ...(code !== undefined && { otp_code: code }),
    })
  }

  /** Signs a user in who is known to get in. */
  async token(username: string, password: string, code?: string): Promise<string> {
    const { data, message } = await this.login(username, password, code)
    if (data === null) throw new Error(`${username} can't sign in: ${message}`)
    return data.token
  }

  /** The six digits that an authenticator shows now, or some steps from now. */
  code(secret: string, stepsAhead = 0): string {
    return phoneCode(secret, this.now, stepsAhead)
  }

  /** Switches two-step verification on, as a user would. */
  async enrol(token: string): Promise<string> {
    const { data } = await this.post('/api/auth/2fa/generate', undefined, { token })
    await this.post(
      '/api/auth/2fa/verify',
      { code: this.code(data.secret), secret: data.secret },
      { token },
    )
    return data.secret
  }

  /** Puts a user into the database. @returns The id. */
  async addUser(username: string, user: NewUser = {}): Promise<number> {
    const row = await this.#userRow(username, user)
    const [added] = await this.db.insert(users).values(row).returning({ id: users.id })
    if (added === undefined) throw new Error('not inserted')
    return added.id
  }

  /** Returns the `sub` of a user, which programs know. */
  async subOf(userId: number): Promise<string> {
    const [found] = await this.db.select({ sub: users.sub }).from(users).where(eq(users.id, userId))
    return found?.sub ?? ''
  }

  /** The accounts every site begins with: admin (id 1) and a guest (id 2). */
  async addFirstUsers({ guestDisabled = true } = {}): Promise<void> {
    const admin = await this.#userRow('admin', { password: ADMIN_PASSWORD, role: 2 })
    const guest = await this.#userRow('guest', { role: 1, disabled: guestDisabled })
    await this.db.insert(users).values([admin, guest])
  }

  async #userRow(username: string, { password, ...columns }: NewUser) {
    const passwordHash = password === undefined ? null : await this.hash(password)
    return {
      username,
      usernameKey: usernameKey(username),
      passwordHash,
      createdAt: this.now,
      ...columns,
      ...(columns.basePath !== undefined && folderColumns(columns.basePath)),
    }
  }

  protected async hash(password: string): Promise<string> {
    return hashPassword({ hashPassword: deriveScrypt, randomBytes }, await staticDigest(password))
  }

  /** Admin, guest, and a general user who is signed in. */
  async addSignedInUser(username = 'alice', password = 'alice-Passw0rd'): Promise<string> {
    await this.addFirstUsers()
    await this.addUser(username, { password })
    return this.token(username, password)
  }
}

export const ADMIN_PASSWORD = 'admin-Passw0rd'

/** The fields of a request or an answer that nobody else may ever read. */
function secretsIn(body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null) return []
  const names = [
    'password',
    'old_password',
    'otp_code',
    'code',
    'secret',
    'token',
    'recovery_codes',
    'session',
  ]
  return Object.entries(body).flatMap(([name, value]) => (names.includes(name) ? value : []))
}
