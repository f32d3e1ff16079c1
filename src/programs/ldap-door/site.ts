import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import type { AccountList } from './directory.ts'

/** The site does not answer, or not as it should. */
export class SiteAway extends Error {
  override readonly name = 'SiteAway'
}
/** The site or this door has too much to do. */
export class SiteBusy extends Error {
  override readonly name = 'SiteBusy'
}
/** The site refuses the service token. */
export class TokenRefused extends SiteAway {}

const LIST_MILLISECONDS = 5000
const BIND_MILLISECONDS = 10_000
const QUEUE_MILLISECONDS = 5000
const RETRY_MILLISECONDS = 1000
const MAX_CHECKS = 16
/**
 * A refusal is given this long after its question, or at the next multiple of it when the site took
 * longer. It covers a hash of the site on a small machine.
 */
const REFUSAL_MILLISECONDS = 1000
/** How long a slow refusal makes those after it as slow. */
const SLOW_MILLISECONDS = 600_000
/** Refusals have places of their own: a guesser pushes no right password out. */
const MAX_RIGHT = 8000
const MAX_WRONG = 2000

const listSchema = v.object({
  groups: v.array(v.string()),
  accounts: v.array(
    v.object({ id: v.number(), username: v.string(), groups: v.array(v.string()) }),
  ),
})
const bindSchema = v.object({ ok: v.boolean() })

/** A question that has no answer yet. */
interface Check {
  /** When it was asked (milliseconds). */
  at: number
  answer: Promise<boolean>
}

export interface SiteOptions {
  site: URL
  token: string
  scope: string
  cacheSeconds: number
  awaySeconds: number
  showAdmins: boolean
  /** Told once when the site is lost, and once when it is back. */
  onState: (isAway: boolean) => void
  /** Waits. */
  pause?: (milliseconds: number) => Promise<unknown>
}

/** The site as a door asks it, with what the door remembers of its answers. */
export class Site {
  readonly #options: SiteOptions
  readonly #key = randomBytes(32)
  /** When right passwords were asked about, by HMAC of name and password. */
  readonly #right = new Map<string, number>()
  /** When refusals were given. */
  readonly #wrong = new Map<string, number>()
  /** How often `REFUSAL_MILLISECONDS` passed until the site's slowest refusal of late. */
  #slowest = { steps: 1, at: -Infinity }
  readonly #checks = new Map<string, Check>()
  readonly #waiting: (() => void)[] = []
  #running = 0
  #list: { list: AccountList; etag: string; at: number } | undefined
  #asked: Promise<AccountList> | undefined
  #failedAt = -Infinity
  #isAway = false

  constructor(options: SiteOptions) {
    this.#options = options
  }

  /** Returns the accounts that exist here. @throws {SiteAway} */
  async accounts(): Promise<AccountList> {
    const kept = this.#list
    const now = performance.now()
    if (kept !== undefined && now - kept.at < this.#cacheMilliseconds) return kept.list
    const isKept = kept !== undefined && now - kept.at < this.#options.awaySeconds * 1000
    if (this.#isAway && isKept) {
      void this.#askList().catch(() => undefined)
      return kept.list
    }
    try {
      return await this.#askList()
    } catch (error) {
      if (isKept) return kept.list
      throw error
    }
  }

  /**
   * Tells whether a password is right. That of a name that is not in the list is refused without
   * asking the site. Every refusal comes at a time of the clock, whatever was done for it, so that
   * it does not tell who exists; a remembered one, and trouble, come at once for every name.
   *
   * @throws {SiteAway}
   * @throws {SiteBusy}
   */
  async check(username: string, password: string): Promise<boolean> {
    const { accounts } = await this.accounts()
    const key = createHmac('sha256', this.#key).update(`${username}\0${password}`).digest('base64')
    if (!accounts.some((account) => account.username === username))
      return this.#refuseNobody(`nobody ${key}`)
    const rightAge = ageOf(this.#right.get(key))
    if (rightAge < this.#cacheMilliseconds) return true
    if (ageOf(this.#wrong.get(key)) < this.#cacheMilliseconds) return false
    const isKept = rightAge < this.#options.awaySeconds * 1000
    if (this.#isAway && isKept) {
      void this.#askList().catch(() => undefined)
      return true
    }
    try {
      return await this.#once(key, () => this.#askOrRefuse(username, password))
    } catch (error) {
      if (isKept && error instanceof SiteAway) return true
      throw error
    }
  }

  get #cacheMilliseconds(): number {
    return this.#options.cacheSeconds * 1000
  }

  /** @param key One that no user has: a user who is new is not refused for it. */
  async #refuseNobody(key: string): Promise<boolean> {
    if (ageOf(this.#wrong.get(key)) < this.#cacheMilliseconds) return false
    return this.#once(key, async () => {
      const start = performance.now()
      // As for a user, there is no refusal while the site is away.
      if (this.#isAway) await this.#askList()
      await this.#pauseUntil(start + this.#slowest.steps * REFUSAL_MILLISECONDS)
      return false
    })
  }

  async #askOrRefuse(username: string, password: string): Promise<boolean> {
    const start = performance.now()
    if (await this.#inTurn(() => this.#askBind(username, password))) return true
    const steps = Math.ceil((performance.now() - start) / REFUSAL_MILLISECONDS)
    if (steps >= this.#slowest.steps || ageOf(this.#slowest.at) > SLOW_MILLISECONDS)
      this.#slowest = { steps, at: performance.now() }
    await this.#pauseUntil(start + this.#slowest.steps * REFUSAL_MILLISECONDS)
    return false
  }

  async #pauseUntil(time: number): Promise<void> {
    await (this.#options.pause ?? pause)(Math.max(0, time - performance.now()))
  }

  /**
   * Answers questions together that are equal and near each other. The site may have decided as
   * soon as it was asked: a password that is not right any more opens nothing `cacheSeconds` later,
   * here too.
   */
  #once(key: string, ask: () => Promise<boolean>): Promise<boolean> {
    const running = this.#checks.get(key)
    if (running !== undefined && ageOf(running.at) < this.#cacheMilliseconds) return running.answer
    const at = performance.now()
    const answer = ask()
      .then((isRight) => {
        // The answer to a question that was asked later is the one to remember.
        if (this.#checks.get(key) === check) this.#remember(key, isRight, at)
        return isRight
      })
      .finally(() => {
        if (this.#checks.get(key) === check) this.#checks.delete(key)
      })
    const check: Check = { at, answer }
    this.#checks.set(key, check)
    return answer
  }

  /** @param askedAt Of a right password. A refusal counts from when it is given. */
  #remember(key: string, isRight: boolean, askedAt: number): void {
    this.#right.delete(key)
    this.#wrong.delete(key)
    const [kept, max] = isRight ? [this.#right, MAX_RIGHT] : [this.#wrong, MAX_WRONG]
    kept.set(key, isRight ? askedAt : performance.now())
    const [oldest] = kept.keys()
    if (kept.size > max && oldest !== undefined) kept.delete(oldest)
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= MAX_CHECKS) await this.#turn()
    else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  /** Waits for a place among the running checks. @throws {SiteBusy} */
  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(new SiteBusy())
      }, QUEUE_MILLISECONDS)
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#waiting.push(enter)
    })
  }

  async #askBind(username: string, password: string): Promise<boolean> {
    const body = JSON.stringify({ username, password, scope: this.#options.scope })
    const { json } = await this.#ask('/api/ldap/bind', BIND_MILLISECONDS, { method: 'POST', body })
    const answer = v.safeParse(bindSchema, json)
    if (!answer.success) throw this.#lost()
    return answer.output.ok
  }

  #askList(): Promise<AccountList> {
    this.#asked ??= this.#fetchList().finally(() => {
      this.#asked = undefined
    })
    return this.#asked
  }

  async #fetchList(): Promise<AccountList> {
    const kept = this.#list
    const headers: Record<string, string> = kept === undefined ? {} : { 'If-None-Match': kept.etag }
    const { status, etag, json } = await this.#ask('/api/ldap/entries', LIST_MILLISECONDS, {
      headers,
    })
    if (status === 304 && kept !== undefined) {
      this.#list = { ...kept, at: performance.now() }
      return kept.list
    }
    const answer = v.safeParse(listSchema, json)
    if (!answer.success) throw this.#lost()
    const list = this.#options.showAdmins
      ? answer.output
      : {
          groups: answer.output.groups,
          accounts: answer.output.accounts.filter(({ groups }) => !groups.includes('admins')),
        }
    this.#list = { list, etag, at: performance.now() }
    return list
  }

  async #ask(
    path: string,
    milliseconds: number,
    init: { method?: string; body?: string; headers?: Record<string, string> },
  ) {
    if (performance.now() - this.#failedAt < RETRY_MILLISECONDS) throw new SiteAway()
    const headers = { ...init.headers, Authorization: `Bearer ${this.#options.token}` }
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), milliseconds)
    try {
      const url = new URL(path, this.#options.site)
      const answer = await fetch(url, { ...init, headers, signal: late.signal, redirect: 'manual' })
      const { status } = answer
      if (status === 429) throw new SiteBusy()
      if (status === 401) throw new TokenRefused()
      if (status !== 200 && status !== 304) throw new SiteAway(`status ${status}`)
      const json: unknown = status === 304 ? undefined : await answer.json()
      this.#failedAt = -Infinity
      this.#setAway(false)
      return { status, etag: answer.headers.get('ETag') ?? '', json }
    } catch (error) {
      if (error instanceof SiteBusy) throw error
      throw this.#lost(error)
    } finally {
      clearTimeout(timer)
    }
  }

  #lost(cause?: unknown): SiteAway {
    this.#failedAt = performance.now()
    this.#setAway(true)
    return cause instanceof SiteAway ? cause : new SiteAway('', { cause })
  }

  #setAway(isAway: boolean): void {
    if (isAway !== this.#isAway) this.#options.onState(isAway)
    this.#isAway = isAway
  }
}

/** Milliseconds since a time; `Infinity` for none. */
function ageOf(at: number | undefined): number {
  return at === undefined ? Infinity : performance.now() - at
}
