import { createMiddleware } from 'hono/factory'
import type { Deps } from '../deps.ts'
import type { App } from '../http/context.ts'
import { logError } from '../http/log.ts'
import { haveChannels } from './memory.ts'
import { sendNotices, type SendDeps } from './send.ts'

/**
 * Sends notices after each answer to a request that has written something, because it may have
 * written an event. Nobody waits for it. What it leaves undone, the cron does.
 */
export const noticesAfterRequests = createMiddleware<App>(
  async function noticesAfterRequests(c, next) {
    await next()
    const deps = c.get('deps')
    if (deps.meter.rowsWritten > 0) deps.defer(sendAfterAnswer({ ...deps, db: deps.backgroundDb }))
  },
)

/** Sends notices if any channel exists. A failure is logged. */
export async function sendAfterAnswer(
  deps: SendDeps & Pick<Deps, 'settingsMemory'>,
): Promise<void> {
  try {
    if (await haveChannels(deps)) await sendNotices(deps, {})
  } catch (error) {
    logError(error, { during: 'notices' })
  }
}
