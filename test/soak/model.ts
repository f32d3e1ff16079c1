/**
 * What a client knows for certain of something it made, once it has been told; else it may be
 * either.
 */
export type Certainty = 'yes' | 'no' | 'unknown'

/** What an answer must not have said. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/**
 * What one user was promised. Its own requests go one after the other, so that nothing but a fault
 * makes anything unknown; after a 503 the request may have happened or not.
 */
export class Model {
  /** By title, which is never used twice. */
  readonly #keys = new Map<string, { fingerprint: string; exists: Certainty }>()
  /** By token. */
  readonly #sessions = new Map<string, Certainty>()
  /** What was known of the sessions that a change may have ended, after an outage of it. */
  #inDoubt = new Map<string, Certainty>()

  /** A token that the service must honour, if there is one. */
  get liveToken(): string | undefined {
    return this.#find('yes').at(-1)
  }

  /** A token that must stay dead, if there is one. */
  get deadToken(): string | undefined {
    return this.#find('no').at(-1)
  }

  get liveSessions(): number {
    return this.#find('yes').length
  }

  get keys(): number {
    return this.#keys.size
  }

  signedIn(token: string): void {
    if (this.#sessions.has(token)) throw new Violation('one token was given twice')
    this.#sessions.set(token, 'yes')
  }

  /** A session ends at logout; after an outage, perhaps. */
  ended(token: string, code: number): void {
    this.#sessions.set(token, code === 200 ? 'no' : 'unknown')
  }

  /** A change ends all sessions, perhaps but one. */
  allEnded(code: number, kept?: string): void {
    this.#inDoubt = new Map()
    for (const [token, live] of this.#sessions) {
      if (token === kept || live === 'no') continue
      if (code === 503) this.#inDoubt.set(token, live)
      this.ended(token, code)
    }
  }

  /** It is clear now whether the change after which nothing was has happened: all of it, or none. */
  settled(happened: boolean): void {
    for (const [token, before] of this.#inDoubt) {
      const isGone = this.#sessions.get(token) === 'no'
      if (!happened && before === 'yes' && isGone)
        throw new Violation('a change that never happened has ended a session')
      this.#sessions.set(token, happened || isGone ? 'no' : before)
    }
    this.#inDoubt = new Map()
  }

  /** Compares whether a token was honoured with whether it may be. */
  honoured(token: string, code: number): void {
    const live = this.#sessions.get(token)
    if (code === 200 && live === 'no') throw new Violation('an ended session works')
    if (code === 401 && live === 'yes') throw new Violation('a live session is refused')
    // What was seen to have ended has; what still works may be about to end.
    if (code === 401) this.#sessions.set(token, 'no')
  }

  keyAdded(title: string, fingerprint: string, code: number): void {
    if (code !== 200 && code !== 503) throw new Violation(`adding a new key: ${code}`)
    this.#keys.set(title, { fingerprint, exists: code === 200 ? 'yes' : 'unknown' })
  }

  keyDeleted(title: string, code: number): void {
    const key = this.#keys.get(title)
    if (key === undefined) return
    if (code === 404 && key.exists === 'yes') throw new Violation(`the key ${title} is lost`)
    key.exists = code === 503 ? 'unknown' : 'no'
  }

  /** Compares a whole list with what must be and what may be in it. */
  listed(content: { title: string; fingerprint: string }[]): void {
    const seen = new Map(content.map(({ title, fingerprint }) => [title, fingerprint]))
    if (seen.size !== content.length) throw new Violation('a key is listed twice')
    for (const [title, { fingerprint, exists }] of this.#keys) {
      if (exists === 'yes' && !seen.has(title)) throw new Violation(`the key ${title} is lost`)
      if (exists === 'no' && seen.has(title))
        throw new Violation(`the deleted key ${title} is back`)
      if (seen.has(title) && seen.get(title) !== fingerprint)
        throw new Violation(`the key ${title} is another's`)
    }
    for (const title of seen.keys())
      if (!this.#keys.has(title) && title !== 'laptop')
        throw new Violation(`an alien key: ${title}`)
  }

  /** Ended sessions are many; the latest few stand for all. */
  forgetOldest(): void {
    const dead = this.#find('no')
    for (const token of dead.slice(0, -10)) this.#sessions.delete(token)
  }

  #find(certainty: Certainty): string[] {
    return Array.from(this.#sessions).flatMap(([token, live]) => (live === certainty ? token : []))
  }
}
