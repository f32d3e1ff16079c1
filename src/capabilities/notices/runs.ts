import type { Deps, RunPart } from '../../core/deps.ts'
import { forgetChannels } from './memory.ts'
import { sendAfterAnswer } from './send-after-answer.ts'
import { sendNotices } from './send.ts'
import { watchParts } from './watch.ts'

export const frequent: RunPart = ({ deps, now, batch }) =>
  sendNotices(deps, (parts) => batch.add({ ...watchParts(deps.db, now), ...parts }))

/** The command may have written an event, or left a test for a channel. */
export function afterCommand(deps: Deps): Promise<void> {
  forgetChannels(deps)
  return sendAfterAnswer(deps)
}
