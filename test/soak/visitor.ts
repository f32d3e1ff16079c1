import * as v from 'valibot'
import { SETTING_KEYS } from '../../src/capabilities/settings/defaults.ts'
import type { Request } from '../bench/load.ts'
import { newKey } from '../support/new-key.ts'
import { Account } from './account.ts'
import { Caller, type Count } from './caller.ts'
import { Model, Violation } from './model.ts'

const userSchema = v.object({ username: v.string(), otp: v.boolean() })
const settingsSchema = v.record(v.string(), v.string())
const listSchema = v.strictObject({
  content: v.array(v.object({ id: v.number(), title: v.string(), fingerprint: v.string() })),
  total: v.number(),
})

const MAX_KEYS = 20
const MAX_SESSIONS = 5

/**
 * Of a hundred things done, how many are this. A password costs a hundred times what all else does,
 * so that there are few.
 */
export const DEEDS = [
  ['sign in', 2.5],
  ['sign in wrongly', 0.5],
  ['change password', 0.5],
  ['turn two-step', 1],
  ['end others', 1],
  ['log out', 2],
  ['add key', 11],
  ['list keys', 20],
  ['settings', 20],
  ['ping', 5],
  ['dead token', 10],
  ['me', 26.5],
] as const

type Deed = (typeof DEEDS)[number][0]

/** One user who does one thing after another, at random, and checks every answer. */
export class Visitor {
  readonly #account: Account
  readonly #caller: Caller
  readonly #model = new Model()
  #titles = 0

  constructor(url: URL, number: number, count: Count) {
    this.#caller = new Caller(url, () => `198.51.100.${number % 250}`, count)
    const callers = { own: this.#caller, thief: new Caller(url, anywhere, count) }
    this.#account = new Account(`user${number}`, callers, this.#model)
  }

  get username(): string {
    return this.#account.username
  }

  /** @throws {Violation} When an answer is wrong. */
  async act(deed: Deed = randomDeed()): Promise<void> {
    if (this.#account.isSettling) return this.#settings()
    const token = this.#model.liveToken
    if (token === undefined) return this.#signIn()
    if (this.#account.isInDoubt) return this.#me(token)
    return this.#do(deed, token)
  }

  #do(deed: Deed, token: string): Promise<void> {
    switch (deed) {
      case 'sign in':
        return this.#model.liveSessions < MAX_SESSIONS ? this.#signIn() : this.#me(token)
      case 'sign in wrongly':
        return this.#account.signInWrongly()
      case 'change password':
        return this.#changePassword(token)
      case 'turn two-step':
        return this.#turnTwoStep(token)
      case 'log out':
        return this.#logOut(token)
      case 'end others':
        return this.#endOthers(token)
      case 'add key':
        return this.#model.keys < MAX_KEYS * 50 ? this.#addKey(token) : this.#list(token)
      case 'list keys':
        return this.#list(token)
      case 'settings':
        return this.#settings()
      case 'ping':
        return this.#caller.ping()
      case 'dead token':
        return this.#me(this.#model.deadToken ?? token)
      default:
        return this.#me(token)
    }
  }

  async #signIn(): Promise<void> {
    const taken = await this.#account.signIn()
    if (taken?.token !== undefined) return this.#me(taken.token)
    if (taken === undefined) await this.#bideTime()
  }

  /** Until there is another code. */
  #bideTime(): Promise<void> {
    const dead = this.#model.deadToken
    return dead === undefined || Math.random() < 0.5 ? this.#settings() : this.#me(dead)
  }

  /** Ends every session; what they were is asked for again. */
  async #changePassword(token: string): Promise<void> {
    await this.#account.changePassword(token)
    if (!this.#account.isSettling) await this.#me(token)
  }

  async #turnTwoStep(token: string): Promise<void> {
    await this.#account.turnTwoStep(token)
    if (!this.#account.isSettling) await this.#me(token)
  }

  async #me(token: string): Promise<void> {
    const { code, data } = await this.#caller.ask('me', { method: 'GET', path: '/api/me', token })
    this.#model.honoured(token, code)
    if (code !== 200) return
    const { username, otp } = v.parse(userSchema, data)
    if (username !== this.username) throw new Violation("another user's record")
    this.#account.shown(otp)
  }

  async #logOut(token: string): Promise<void> {
    const request: Request = { method: 'GET', path: '/api/auth/logout', token }
    const { code } = await this.#caller.ask('logout', request)
    if (code !== 200 && code !== 503) throw new Violation(`a logout was answered ${code}`)
    this.#model.ended(token, code)
    await this.#me(token)
  }

  async #endOthers(token: string): Promise<void> {
    const request: Request = { method: 'POST', path: '/api/me/sessions/delete_others', token }
    const { code } = await this.#caller.ask('end others', request)
    this.#model.honoured(token, code)
    this.#model.allEnded(code, token)
  }

  async #addKey(token: string): Promise<void> {
    const { line, fingerprint } = newKey()
    const title = `key ${(this.#titles += 1)}`
    const body = { title, key: line }
    const request: Request = { method: 'POST', path: '/api/me/sshkey/add', token, body }
    const { code } = await this.#caller.ask('key add', request)
    this.#model.honoured(token, code)
    if (code !== 401) this.#model.keyAdded(title, fingerprint, code)
  }

  /** Lists, and deletes one key where there are many. */
  async #list(token: string): Promise<void> {
    const request: Request = { method: 'GET', path: '/api/me/sshkey/list', token }
    const { code, data } = await this.#caller.ask('key list', request)
    this.#model.honoured(token, code)
    if (code !== 200) return
    const { content, total } = v.parse(listSchema, data)
    if (total !== content.length) throw new Violation(`${content.length} keys of ${total}`)
    this.#model.listed(content)
    const doomed = content.find(({ title }) => title !== 'laptop')
    if (doomed === undefined || content.length < MAX_KEYS / 2) return
    const path = `/api/me/sshkey/delete?id=${doomed.id}`
    const deleted = await this.#caller.ask('key delete', { method: 'POST', path, token })
    this.#model.honoured(token, deleted.code)
    if (deleted.code !== 401) this.#model.keyDeleted(doomed.title, deleted.code)
  }

  async #settings(): Promise<void> {
    const request: Request = { method: 'GET', path: '/api/public/settings' }
    const { code, data } = await this.#caller.ask('settings', request)
    const isWhole =
      code === 200 && Object.keys(v.parse(settingsSchema, data)).length === SETTING_KEYS.length
    if (!isWhole && code !== 503) throw new Violation(`settings: ${code}`)
  }
}

/** A thief comes from ever another network, so that hardly any try is blocked unlooked at. */
function anywhere(): string {
  return `203.0.113.${Math.floor(Math.random() * 250)}`
}

function randomDeed(): Deed {
  let dice = Math.random() * 100
  for (const [deed, percent] of DEEDS) if ((dice -= percent) < 0) return deed
  return 'me'
}
