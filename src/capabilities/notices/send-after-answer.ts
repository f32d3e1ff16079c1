import { logError } from '../../core/database/log.ts'
import { type Deps, loadWithDatabase } from '../../core/deps.ts'
import { haveChannels } from './memory.ts'
import type { SendDeps } from './send.ts'

/** Sends notices if any channel exists. A failure is logged. */
export async function sendAfterAnswer(deps: SendDeps & Pick<Deps, 'isolateMemory'>): Promise<void> {
  try {
    if (!(await haveChannels(deps))) return
    const { sendNotices } = await loadWithDatabase(() => import('./send.ts'))
    await sendNotices(deps)
  } catch (error) {
    logError(error, { during: 'notices' })
  }
}
