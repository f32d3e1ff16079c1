import { createMiddleware } from 'hono/factory'
import { logError } from '../../database/log.ts'
import type { App } from '../../http/context.ts'
import { sendMails } from '../../mail/send.ts'
import { becomeMails } from '../forgotten.ts'

/**
 * Sends the mails of a request after its answer. Nobody waits for it, and nobody can tell by the
 * time of an answer whether a mail was queued. What it leaves undone, the cron does.
 */
export const mailsAfterRequests = createMiddleware<App>(async function mailsAfterRequests(c, next) {
  await next()
  const deps = c.get('deps')
  if (!deps.meter.toSend.has('mails')) return
  const about = { id: c.get('requestId'), during: 'mails' }
  const background = { ...deps, db: deps.backgroundDb }
  const work = sendMails(background, becomeMails(background))
  deps.defer(work.catch((error: unknown) => logError(error, about)))
})
