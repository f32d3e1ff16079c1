import * as v from 'valibot'
import { newKey } from '../support/new-key.ts'
import { headersOf, type Request } from '../bench/load.ts'
import { PASSWORD } from '../bench/sites.ts'
import { Model, Violation } from './model.ts'

const envelopeSchema = v.strictObject({ code: v.number(), message: v.string(), data: v.unknown() })
const tokenSchema = v.strictObject({ token: v.string() })
const userSchema = v.object({ username: v.string() })
const settingsSchema = v.record(v.string(), v.string())
const listSchema = v.strictObject({
  content: v.array(v.object({ id: v.number(), title: v.string(), fingerprint: v.string() })),
  total: v.number(),
})

type Envelope = v.InferOutput<typeof envelopeSchema>

const SETTINGS = 28
const MAX_KEYS = 20
const MAX_SESSIONS = 5
const THROTTLE_MILLISECONDS = 5 * 60 * 1000

/** One user who does one thing after another, at random, and checks every answer. */
export class Visitor {
  readonly #url: URL
  readonly #username: string
  readonly #network: string
  readonly #model = new Model()
  readonly #count: (what: string, code: number) => void
  /** After an outage of a sign-in its charge may stand for five minutes. */
  #outages: number[] = []
  #titles = 0

  constructor(url: URL, number: number, count: (what: string, code: number) => void) {
    this.#url = url
    this.#username = `user${number}`
    this.#network = `198.51.100.${number % 250}`
    this.#count = count
  }

  /** @throws {Violation} When an answer is wrong. */
  async act(): Promise<void> {
    const token = this.#model.liveToken
    if (token === undefined) return this.#signIn()
    const dice = Math.random() * 100
    if (dice < 4 && this.#model.liveSessions < MAX_SESSIONS) return this.#signIn()
    if (dice < 5) return this.#signInWrongly()
    if (dice < 8) return this.#logOut(token)
    if (dice < 9) return this.#endOthers(token)
    if (dice < 20 && this.#model.keys < MAX_KEYS * 50) return this.#addKey(token)
    if (dice < 40) return this.#list(token)
    if (dice < 60) return this.#settings()
    if (dice < 65) return this.#ping()
    const dead = this.#model.deadToken
    return this.#me(dice < 75 && dead !== undefined ? dead : token)
  }

  async #signIn(): Promise<void> {
    const body = { username: this.#username, password: PASSWORD }
    const { code, data } = await this.#ask('sign-in', {
      method: 'POST',
      path: '/api/auth/login',
      body,
    })
    if (code === 503) this.#outages.push(Date.now())
    this.#outages = this.#outages.filter((at) => at > Date.now() - THROTTLE_MILLISECONDS)
    // A block that nothing has earned is a wrong answer.
    const mayBlock = code === 429 && this.#outages.length > 0
    if (code !== 200 && code !== 503 && !mayBlock) throw new Violation(`sign-in: ${code}`)
    if (code !== 200) return pause(mayBlock ? 1000 : 0)
    const { token } = v.parse(tokenSchema, data)
    this.#model.signedIn(token)
    this.#model.forgetOldest()
    return this.#me(token)
  }

  async #signInWrongly(): Promise<void> {
    // An account of its own, so that the block it earns is not the user's.
    const body = { username: `${this.#username}-unknown`, password: 'wrong-Passw0rd' }
    const request: Request = { method: 'POST', path: '/api/auth/login', body }
    const { code } = await this.#ask('wrong sign-in', request, '203.0.113.1')
    if (![401, 429, 503].includes(code)) throw new Violation(`a wrong password: ${code}`)
  }

  async #me(token: string): Promise<void> {
    const { code, data } = await this.#ask('me', { method: 'GET', path: '/api/me', token })
    this.#model.honoured(token, code)
    if (code === 200 && v.parse(userSchema, data).username !== this.#username)
      throw new Violation("another user's record")
  }

  async #logOut(token: string): Promise<void> {
    const request: Request = { method: 'GET', path: '/api/auth/logout', token }
    const { code } = await this.#ask('logout', request)
    this.#model.ended(token, code)
    await this.#me(token)
  }

  async #endOthers(token: string): Promise<void> {
    const request: Request = { method: 'POST', path: '/api/me/sessions/delete_others', token }
    const { code } = await this.#ask('end others', request)
    this.#model.honoured(token, code)
    this.#model.othersEnded(token, code)
  }

  async #addKey(token: string): Promise<void> {
    const { line, fingerprint } = newKey()
    const title = `key ${(this.#titles += 1)}`
    const body = { title, key: line }
    const request: Request = { method: 'POST', path: '/api/me/sshkey/add', token, body }
    const { code } = await this.#ask('key add', request)
    this.#model.honoured(token, code)
    if (code !== 401) this.#model.keyAdded(title, fingerprint, code)
  }

  /** Lists, and deletes one key where there are many. */
  async #list(token: string): Promise<void> {
    const request: Request = { method: 'GET', path: '/api/me/sshkey/list', token }
    const { code, data } = await this.#ask('key list', request)
    this.#model.honoured(token, code)
    if (code !== 200) return
    const { content, total } = v.parse(listSchema, data)
    if (total !== content.length) throw new Violation(`${content.length} keys of ${total}`)
    this.#model.listed(content)
    const doomed = content.find(({ title }) => title !== 'laptop')
    if (doomed === undefined || content.length < MAX_KEYS / 2) return
    const path = `/api/me/sshkey/delete?id=${doomed.id}`
    const deleted = await this.#ask('key delete', { method: 'POST', path, token })
    this.#model.honoured(token, deleted.code)
    if (deleted.code !== 401) this.#model.keyDeleted(doomed.title, deleted.code)
  }

  async #settings(): Promise<void> {
    const request: Request = { method: 'GET', path: '/api/public/settings' }
    const { code, data } = await this.#ask('settings', request)
    const isWhole = code === 200 && Object.keys(v.parse(settingsSchema, data)).length === SETTINGS
    if (!isWhole && code !== 503) throw new Violation(`settings: ${code}`)
  }

  async #ping(): Promise<void> {
    const answer = await fetch(new URL('/ping', this.#url))
    this.#count('ping', answer.status)
    if ((await answer.text()) !== 'pong') throw new Violation('no pong')
  }

  async #ask(what: string, request: Request, network = this.#network): Promise<Envelope> {
    const answer = await fetch(new URL(request.path, this.#url), {
      method: request.method,
      headers: { ...headersOf(request), 'CF-Connecting-IP': network },
      ...(request.body && { body: JSON.stringify(request.body) }),
    })
    if (answer.status !== 200) throw new Violation(`${what}: HTTP ${answer.status}`)
    const parsed = v.safeParse(envelopeSchema, await answer.json())
    if (!parsed.success) throw new Violation(`${what}: no envelope`)
    const { code, data } = parsed.output
    this.#count(what, code)
    if (code === 500) throw new Violation(`${what}: 500`)
    if (code !== 200 && data !== null) throw new Violation(`${what}: ${code} with data`)
    return parsed.output
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
