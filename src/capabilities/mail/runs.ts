import type { MakeMails, RunPart } from '../../core/deps.ts'
import { dueMailParts, sendTaken } from './send.ts'

/** Returns the part of the five-minute run. */
export const frequentWith =
  (makers: readonly MakeMails[]): RunPart =>
  async ({ deps, now, batch }) => {
    const { expiredMails, dueMails } = await batch.add(dueMailParts(deps, now))
    await sendTaken(deps, expiredMails, dueMails, makers)
  }
