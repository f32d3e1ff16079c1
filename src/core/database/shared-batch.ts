import type { Answers, Parts } from './statements.ts'

/** Statements of several works; each name begins with the number of its work. */
export type SharedParts = Record<`${number} ${string}`, Parts[string]>

/** Statements of several rooms that run in one transaction and one round trip. */
export interface SharedBatch {
  /**
   * Adds statements, which run after those that were added before.
   *
   * @returns Their answers, once the batch has run; it rejects when the batch failed.
   */
  add: <Named extends Parts>(parts: Named) => Promise<Answers<Named>>
}

/** A batch that its owner runs once everything is added. */
class WaitingBatch implements SharedBatch {
  readonly parts: SharedParts = {}
  readonly ran = Promise.withResolvers<Record<string, unknown>>()
  isComplete = false
  #added = 0

  add<Named extends Parts>(parts: Named): Promise<Answers<Named>>
  async add(parts: Parts): Promise<Record<string, unknown>> {
    if (this.isComplete) throw new TypeError('this batch has run: add before waiting for anything')
    const work = this.#added++
    for (const [name, part] of Object.entries(parts)) this.parts[`${work} ${name}`] = part
    const answers = await this.ran.promise
    return Object.fromEntries(Object.keys(parts).map((name) => [name, answers[`${work} ${name}`]]))
  }
}

/** The results of a batch of several works. */
interface Ended<Ran, Works extends readonly unknown[]> {
  ran: Ran
  /** The results of the works. */
  works: { -readonly [Work in keyof Works]: Awaited<Works[Work]> }
}

/**
 * Does several works whose statements run in one round trip. One that fails keeps no other one from
 * its end.
 *
 * @param runParts Runs the statements, perhaps with its own, and returns every answer under its
 *   name. What it throws, every work gets that waits for answers.
 * @param start Starts the works. Each adds its statements before it waits for anything.
 * @returns What `runParts` and the works return, once all have ended; it rejects with what the
 *   first of them threw.
 */
export async function inBatchOf<
  Ran extends Record<string, unknown>,
  Works extends readonly unknown[],
>(
  runParts: (parts: SharedParts) => Promise<Ran>,
  start: (batch: SharedBatch) => readonly [...Works],
): Promise<Ended<Ran, Works>> {
  const batch = new WaitingBatch()
  const works = start(batch)
  const all = Promise.all(works)
  const ended = Promise.allSettled([batch.ran.promise, all, ...works])
  batch.isComplete = true
  const ran = runParts(batch.parts)
  await ran.then(batch.ran.resolve, batch.ran.reject)
  await ended
  return { ran: await ran, works: await all }
}

/** Works like {@link inBatchOf}, where only what the works return is of use. */
export async function inOneBatch<Works extends readonly unknown[]>(
  ...batch: Parameters<typeof inBatchOf<Record<string, unknown>, Works>>
): Promise<Ended<unknown, Works>['works']> {
  const { works } = await inBatchOf(...batch)
  return works
}
