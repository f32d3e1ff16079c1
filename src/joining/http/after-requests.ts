import { createMiddleware } from 'hono/factory'
import type { App } from '../../http/context.ts'
import { runMails } from '../mail-run.ts'

/** Sends mails after each answer to a request that has queued one. The cron sends the others. */
export const mailsAfterRequests = createMiddleware<App>(async function mailsAfterRequests(c, next) {
  await next()
  const deps = c.get('deps')
  if (deps.outbox.hasMails) deps.defer(runMails({ ...deps, db: deps.backgroundDb }))
})
