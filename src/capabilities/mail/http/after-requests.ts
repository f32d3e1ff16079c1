import { createMiddleware } from 'hono/factory'
import type { Deps } from '../../../core/deps.ts'
import { logError } from '../../../core/database/log.ts'
import type { App } from '../../../web/http/context.ts'
import { loadAll } from '../../../web/kit/capability.ts'

/** The longest that mails wait after the answer, milliseconds. */
const MAX_DELAY_MILLISECONDS = 2000

/**
 * Sends the mails of a request after its answer, and after a random time. Nobody waits for it, and
 * nobody can tell by the time of this answer or of the next one whether a mail was sent: on one
 * machine, sending slows the request beside it down. What it leaves undone, the cron does.
 */
export const mailsAfterRequests = createMiddleware<App>(async function mailsAfterRequests(c, next) {
  await next()
  const deps = c.get('deps')
  if (!deps.meter.toSend.has('mails')) return
  const about = { id: c.get('requestId'), during: 'mails' }
  const background = { ...deps, db: deps.backgroundDb }
  const send = async () => {
    await deps.wait(randomDelay(deps))
    const [{ sendMails }, makers] = await Promise.all([
      import('../send.ts'),
      loadAll(c.get('capabilities').flatMap(({ makeMails = [] }) => makeMails)),
    ])
    await sendMails(background, makers)
  }
  deps.defer(send().catch((error: unknown) => logError(error, about)))
})

function randomDelay({ randomBytes }: Pick<Deps, 'randomBytes'>): number {
  const [byte = 0] = randomBytes(1)
  return (byte / 256) * MAX_DELAY_MILLISECONDS
}
