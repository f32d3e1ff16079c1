import { createMiddleware } from 'hono/factory'
import type { Deps } from '../../../core/deps.ts'
import type { App, AppContext } from '../../../web/http/context.ts'

/**
 * Sends notices after each answer to a request that has written something, because it may have
 * written an event. Nobody waits for it. What it leaves undone, the cron does. The refused request
 * of a stranger starts nothing: a run costs more than such a request.
 */
export const noticesAfterRequests = createMiddleware<App>(
  async function noticesAfterRequests(c, next) {
    await next()
    const deps = c.get('deps')
    // A stolen code or token that is used twice is refused, and ends a session.
    const isWorthARun = deps.meter.toSend.has('logouts') || !isOfRefusedStranger(c)
    if (deps.meter.rowsWritten > 0 && isWorthARun)
      deps.defer(sendLater({ ...deps, db: deps.backgroundDb }))
  },
)

/** Tells whether nobody was signed in, and nobody is now. Pages refuse by their status alone. */
function isOfRefusedStranger(c: AppContext): boolean {
  const isStranger = c.get('caller') === undefined && c.get('actor') === undefined
  return isStranger && (c.get('outcome') ?? c.res.status) >= 400
}

async function sendLater(deps: Deps): Promise<void> {
  const { sendAfterAnswer } = await import('../send-after-answer.ts')
  await sendAfterAnswer(deps)
}
