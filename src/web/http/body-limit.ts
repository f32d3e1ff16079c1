import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { Refusal } from '../../core/base/refusals.ts'
import type { App } from './context.ts'

/** The size of the largest body that any route reads. */
export const MAX_BODY_BYTES = 64 * 1024

const limit = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new Refusal('bodyTooLarge')
  },
})

/**
 * Refuses bodies that are too large. That of a GET or HEAD means nothing (RFC 9110 section 9.3.1)
 * and is not read: Hono would make another request of it, which the platform refuses.
 */
export const limitBody = createMiddleware<App>(async function limitBody(c, next) {
  const isUnread = c.req.method === 'GET' || c.req.method === 'HEAD'
  // The bodies of requests to the file server pass as they come.
  return isUnread || c.get('fileTarget') !== undefined ? next() : limit(c, next)
})
