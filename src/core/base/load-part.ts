import { Refusal } from './refusals.ts'

/**
 * Loads a part of the Worker: an `import()`. A fresh isolate reads only what its first answers
 * need. It is called whenever the part is asked for, and loads it once.
 */
export type Load<Part> = () => Promise<Part>

/**
 * Loads a part for a request. The next request that needs it tries again.
 *
 * @throws {Refusal} `unavailable` when it can't be loaded; the detail says why.
 */
export async function loadPart<Part>(load: Load<Part>): Promise<Part> {
  try {
    return await load()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Refusal('unavailable', {
      detail: `a part of the Worker can't be loaded: ${reason}`,
      retryAfterSeconds: 1,
    })
  }
}
