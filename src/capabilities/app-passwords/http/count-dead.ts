import { createMiddleware } from 'hono/factory'
import { clientOf } from '../../../web/http/client.ts'
import { type App, hasDeadAppPassword } from '../../../web/http/context.ts'
import { countWrongAppPassword } from '../../../core/throttle/wrong-app-passwords.ts'

/** Counts the requests whose app password is wrong or has ended. */
export const countDeadAppPasswords = createMiddleware<App>(
  async function countDeadAppPasswords(c, next) {
    await next()
    if (hasDeadAppPassword(c)) countWrongAppPassword(c.get('deps'), clientOf(c))
  },
)
