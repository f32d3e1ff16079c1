import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import type { Request } from '../bench/load.ts'
import { PASSWORD } from '../bench/sites.ts'
import { phoneCode } from '../support/authenticator.ts'
import type { Caller } from './caller.ts'
import { Passwords, SecondFactor } from './credentials.ts'
import { type Model, Violation } from './model.ts'

const tokenSchema = v.strictObject({ token: v.string() })
const secretSchema = v.object({ secret: v.string() })
const recoverySchema = v.strictObject({ recovery_codes: v.array(v.string()) })

const THROTTLE_MILLISECONDS = 5 * 60 * 1000
/** What was answered with 503 may still happen: D1 stalls for 2 s, a trip is given up after 5 s. */
const SETTLING_MILLISECONDS = 7000

/** Who talks to the service for one user. */
export interface Callers {
  own: Caller
  /** Who has what has ended, and tries it from elsewhere: a block they earn is not the user's. */
  thief: Caller
}

/** How one user gets in: a password, and a second factor at times. */
export class Account {
  readonly username: string
  readonly #callers: Callers
  readonly #model: Model
  readonly #passwords = new Passwords(PASSWORD)
  readonly #factor = new SecondFactor()
  /** After an outage of a sign-in its charge may stand for five minutes. */
  #outages: number[] = []
  /** Unix time, milliseconds. */
  #settledAt = 0
  #changes = 0

  constructor(username: string, callers: Callers, model: Model) {
    this.username = username
    this.#callers = callers
    this.#model = model
  }

  /** A change was answered with 503 just now, so that it may be about to happen. */
  get isSettling(): boolean {
    return Date.now() < this.#settledAt
  }

  /** Nobody knows whether two-step verification is on; the user's record tells. */
  get isInDoubt(): boolean {
    return this.#factor.isOn === 'unknown'
  }

  /** What the user's record says of two-step verification. */
  shown(isOn: boolean): void {
    this.#settle(this.#factor.shown(isOn))
  }

  /** @returns The token, if there is one. Nothing is asked when no code is left to send. */
  async signIn(): Promise<{ token?: string } | undefined> {
    // While the password is in doubt, a code would be wasted on the wrong one.
    const isBare = this.#factor.isOn !== 'yes' || this.#passwords.isInDoubt
    const code = isBare ? '' : this.#factor.take(Date.now())
    return code === undefined ? undefined : this.#signInWith(code)
  }

  /** Under a name that nobody has, or without the code that it takes. */
  async signInWrongly(): Promise<void> {
    if (this.#factor.isOn === 'yes' && Math.random() < 0.5) {
      await this.#signInWith('')
      return
    }
    const body = { username: `${this.username}-unknown`, password: 'wrong-Passw0rd' }
    const { code } = await this.#callers.thief.ask('wrong sign-in', signInOf(body))
    if (![401, 429, 503].includes(code)) throw new Violation(`a wrong password: ${code}`)
  }

  /** Every session ends with the old password. */
  async changePassword(token: string): Promise<void> {
    const password = `soak-Passw0rd-${(this.#changes += 1)}`
    const body = { username: this.username, password, old_password: this.#passwords.likeliest }
    const code = await this.#act('password change', token, '/api/me/update', body)
    this.#passwords.changed(password, code)
    this.#model.allEnded(code)
    if (code === 503) return this.#waitToSettle()
    await this.#stealPassword()
    await this.signIn()
  }

  /** Switches two-step verification on; once it is, off again, or asks for new recovery codes. */
  async turnTwoStep(token: string): Promise<void> {
    if (this.#factor.isOn === 'no') return this.#enrol(token)
    const code = this.#factor.take(Date.now())
    if (code === undefined) return
    return Math.random() < 0.5 ? this.#switchOff(token, code) : this.#renewCodes(token, code)
  }

  async #enrol(token: string): Promise<void> {
    const request: Request = { method: 'POST', path: '/api/auth/2fa/generate', token }
    const shown = await this.#callers.own.ask('2fa generate', request)
    this.#model.honoured(token, shown.code)
    if (shown.code === 503) return
    if (shown.code !== 200) throw new Violation(`a seed is refused: ${shown.code}`)
    const { secret } = v.parse(secretSchema, shown.data)
    const proof = { secret, code: phoneCode(secret) }
    const code = await this.#act('2fa verify', token, '/api/auth/2fa/verify', proof)
    this.#factor.enrolled(secret, code)
    this.#model.allEnded(code, token)
    if (code === 503) return this.#waitToSettle()
    await this.#signInWith('')
  }

  async #switchOff(token: string, otp: string): Promise<void> {
    const proof = { otp_code: otp }
    const code = await this.#act('2fa disable', token, '/api/auth/2fa/disable', proof)
    this.#factor.switchedOff(code)
    this.#model.allEnded(code, token)
    if (code === 503) this.#waitToSettle()
  }

  async #renewCodes(token: string, otp: string): Promise<void> {
    const body = { otp_code: otp }
    const request: Request = { method: 'POST', path: '/api/auth/2fa/recovery_codes', token, body }
    const { code, data } = await this.#callers.own.ask('2fa recovery codes', request)
    this.#model.honoured(token, code)
    if (code !== 200 && code !== 503) throw new Violation(`recovery codes: ${code}`)
    this.#factor.renewed(code === 200 ? v.parse(recoverySchema, data).recovery_codes : undefined)
  }

  /** @param otp One that must work; or none, which must be enough where two-step is off only. */
  async #signInWith(otp: string): Promise<{ token?: string }> {
    const password = this.#passwords.likeliest
    const body = { username: this.username, password, otp_code: otp }
    const { code, data } = await this.#callers.own.ask('sign-in', signInOf(body))
    const happened = this.#passwords.tried(password, code)
    this.#settle(happened)
    if (happened !== undefined) await this.#stealPassword()
    if (code === 429) await this.#bearBlock()
    if (code === 503) this.#outages.push(Date.now())
    const isCodeAsked = this.#factor.isOn === 'yes' && otp === ''
    if (code === 402 && !isCodeAsked) throw new Violation('a good code is refused')
    if (code === 200 && isCodeAsked) throw new Violation('no code is asked for')
    if (![200, 401, 402, 429, 503].includes(code)) throw new Violation(`sign-in: ${code}`)
    if (code !== 200) return {}
    const { token } = v.parse(tokenSchema, data)
    this.#model.signedIn(token)
    this.#model.forgetOldest()
    if (otp !== '') {
      this.#factor.accepted(otp)
      if (Math.random() < 0.5) await this.#replayCode()
    }
    return { token }
  }

  /** @throws {Violation} For a block that nothing has earned. */
  async #bearBlock(): Promise<void> {
    this.#outages = this.#outages.filter((at) => at > Date.now() - THROTTLE_MILLISECONDS)
    if (this.#outages.length === 0) throw new Violation('sign-in: 429')
    await pause(1000)
  }

  async #replayCode(): Promise<void> {
    const otp = this.#factor.spentCode(Date.now())
    if (otp === undefined) return
    const body = { username: this.username, password: this.#passwords.likeliest, otp_code: otp }
    const { code } = await this.#callers.thief.ask('replayed code', signInOf(body))
    if (![402, 429, 503].includes(code)) throw new Violation(`a used code: ${code}`)
  }

  async #stealPassword(): Promise<void> {
    const { ended } = this.#passwords
    if (ended === undefined) return
    const body = { username: this.username, password: ended }
    const { code } = await this.#callers.thief.ask('ended password', signInOf(body))
    this.#passwords.tried(ended, code)
    if (![401, 429, 503].includes(code)) throw new Violation(`an ended password: ${code}`)
  }

  /** Sends what changes the user, for a session that must be live. @returns The code. */
  async #act(what: string, token: string, path: string, body: object): Promise<number> {
    const { code } = await this.#callers.own.ask(what, { method: 'POST', path, token, body })
    this.#model.honoured(token, code)
    return code
  }

  #settle(happened: boolean | undefined): void {
    if (happened !== undefined) this.#model.settled(happened)
  }

  #waitToSettle(): void {
    this.#settledAt = Date.now() + SETTLING_MILLISECONDS
  }
}

function signInOf(body: object): Request {
  return { method: 'POST', path: '/api/auth/login', body }
}
