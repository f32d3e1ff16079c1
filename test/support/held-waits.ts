/** Holds waits of a site until all of those who are expected wait. */
export class HeldWaits {
  readonly #expected: number
  readonly #all = Promise.withResolvers<void>()
  readonly #held = Promise.withResolvers<void>()
  /** How often somebody has waited. */
  count = 0

  constructor(expected: number) {
    this.#expected = expected
  }

  /** `Deps.wait`. */
  readonly wait = (): Promise<void> => {
    this.count += 1
    if (this.count === this.#expected) this.#all.resolve()
    return this.#held.promise
  }

  /** Resolves when all wait. */
  get all(): Promise<void> {
    return this.#all.promise
  }

  release(): void {
    this.#held.resolve()
  }
}
