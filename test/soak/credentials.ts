import { phoneCode } from '../support/authenticator.ts'
import { type Certainty, Violation } from './model.ts'

const STEP_MILLISECONDS = 30_000

/** Which password one user has; after an outage of a change it may be either of two. */
export class Passwords {
  /** Those that may hold, the newest first. */
  #candidates: string[]
  #newest: string
  #ended: string | undefined
  #isInDoubt = false

  constructor(first: string) {
    this.#candidates = [first]
    this.#newest = first
  }

  /** What to sign in with. */
  get likeliest(): string {
    return this.#candidates[0] ?? this.#newest
  }

  get isInDoubt(): boolean {
    return this.#isInDoubt
  }

  /** The last one that must not work, if there is one. */
  get ended(): string | undefined {
    return this.#ended
  }

  /** The password was to be changed. */
  changed(next: string, code: number): void {
    if (code !== 200 && code !== 503) throw new Violation(`changing the password: ${code}`)
    const old = this.likeliest
    this.#newest = next
    this.#isInDoubt = code === 503
    this.#candidates = code === 200 ? [next] : [next, old]
    if (code === 200) this.#ended = old
  }

  /**
   * A password was tried; only a right one is ever asked for a code.
   *
   * @returns Whether the change that was in doubt has happened, once that is clear.
   */
  tried(password: string, code: number): boolean | undefined {
    const mayBe = this.#candidates.includes(password)
    if (code === 401) {
      if (mayBe && this.#candidates.length === 1) throw new Violation('the password is refused')
      if (mayBe) this.#end(password)
    }
    if (code !== 200 && code !== 402) return undefined
    if (!mayBe) throw new Violation('a password works that has ended')
    for (const other of this.#candidates) if (other !== password) this.#end(other)
    if (!this.#isInDoubt) return undefined
    this.#isInDoubt = false
    return password === this.#newest
  }

  #end(password: string): void {
    this.#ended = password
    this.#candidates = this.#candidates.filter((candidate) => candidate !== password)
  }
}

/** What one user's phone and sheet of recovery codes are good for. */
export class SecondFactor {
  #isOn: Certainty = 'no'
  /** What it was to become, while it is in doubt. */
  #aim = false
  /** Base32. */
  #secret = ''
  /** The last time step whose code was sent, accepted or not. */
  #step = 0
  #recoveryCodes: string[] = []
  #spent: string | undefined

  get isOn(): Certainty {
    return this.#isOn
  }

  /** A right code of a seed that the service has just given was sent. */
  enrolled(secret: string, code: number): void {
    this.#switch(true, code)
    this.#secret = secret
    this.#step = 0
    this.#forgetCodes()
  }

  /** A code that must work was sent to switch it off. */
  switchedOff(code: number): void {
    this.#switch(false, code)
    if (code === 200) this.#forgetCodes()
  }

  /**
   * The service says whether it is on.
   *
   * @returns Whether the change that was in doubt has happened; nothing where none was.
   */
  shown(isOn: boolean): boolean | undefined {
    if (this.#isOn === 'yes' && !isOn) throw new Violation('two-step verification is off')
    if (this.#isOn === 'no' && isOn) throw new Violation('two-step verification is on')
    if (this.#isOn !== 'unknown') return undefined
    this.#isOn = isOn ? 'yes' : 'no'
    return isOn === this.#aim
  }

  /**
   * A code that must work; it is not given again, whatever comes of it.
   *
   * @param now Unix time, milliseconds.
   * @returns None when those of this half minute are used up.
   */
  take(now: number): string | undefined {
    const step = Math.max(this.#step + 1, Math.floor(now / STEP_MILLISECONDS))
    // One step of drift is allowed.
    if (step > now / STEP_MILLISECONDS + 1) return this.#recoveryCodes.pop()
    this.#step = step
    return this.#codeAt(step)
  }

  /** A code was accepted, and must never be again. */
  accepted(code: string): void {
    this.#spent = code
  }

  /** New recovery codes were asked for; after an outage (`undefined`) nobody knows which hold. */
  renewed(codes: string[] | undefined): void {
    if (codes !== undefined) this.#spent = this.#recoveryCodes.at(-1) ?? this.#spent
    this.#recoveryCodes = codes ?? []
  }

  /**
   * A code that must not work, if there is one.
   *
   * @param now Unix time, milliseconds.
   */
  spentCode(now: number): string | undefined {
    const current = Math.floor(now / STEP_MILLISECONDS)
    const steps = [-1, 0, 1, 2].map((drift) => current + drift).filter((step) => step > this.#step)
    // Of a million codes one is that of a later step as well.
    const isFresh = steps.some((step) => this.#codeAt(step) === this.#spent)
    return isFresh ? undefined : this.#spent
  }

  #switch(aim: boolean, code: number): void {
    if (code !== 200 && code !== 503)
      throw new Violation(`switching two-step verification ${aim ? 'on' : 'off'}: ${code}`)
    this.#aim = aim
    const done = aim ? 'yes' : 'no'
    this.#isOn = code === 200 ? done : 'unknown'
  }

  #forgetCodes(): void {
    this.#recoveryCodes = []
    this.#spent = undefined
  }

  #codeAt(step: number): string {
    return phoneCode(this.#secret, step * STEP_MILLISECONDS)
  }
}
