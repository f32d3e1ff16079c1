import type { Answers, Parts } from './statements.ts'

/** Statements of several rooms that run in one transaction and one round trip. */
export interface SharedBatch {
  /**
   * Adds statements, which run after those that were added before.
   *
   * @returns Their answers, once the batch has run; it rejects when the batch failed.
   */
  add: <Named extends Parts>(parts: Named) => Promise<Answers<Named>>
}

/** A batch that waits until its owner runs it. Whoever adds to it does so before. */
export class WaitingBatch implements SharedBatch {
  readonly #parts: Parts = {}
  readonly #ran = Promise.withResolvers<Record<string, unknown>>()
  #added = 0

  constructor() {
    // A batch to which nobody added waits for no one.
    this.#ran.promise.catch(() => undefined)
  }

  add<Named extends Parts>(parts: Named): Promise<Answers<Named>>
  async add(parts: Parts): Promise<Record<string, unknown>> {
    const prefix = `${this.#added++} `
    for (const [name, part] of Object.entries(parts)) this.#parts[prefix + name] = part
    const answers = await this.#ran.promise
    return Object.fromEntries(Object.keys(parts).map((name) => [name, answers[prefix + name]]))
  }

  /**
   * Runs the statements; who added them continues.
   *
   * @param runParts Runs them in one round trip. What it throws, those get.
   */
  async run(runParts: (parts: Parts) => Promise<Record<string, unknown>>): Promise<void> {
    await runParts(this.#parts).then(this.#ran.resolve, this.#ran.reject)
  }
}
