import { createMiddleware } from 'hono/factory'
import { clientOf } from '../../../web/http/client.ts'
import { type App, hasDeadAppPassword } from '../../../web/http/context.ts'

/** Counts the requests whose app password is wrong or has ended. */
export const countDeadAppPasswords = createMiddleware<App>(
  async function countDeadAppPasswords(c, next) {
    await next()
    if (!hasDeadAppPassword(c)) return
    const { countWrongAppPassword } = await import('../../../core/throttle/wrong-app-passwords.ts')
    countWrongAppPassword(c.get('deps'), clientOf(c))
  },
)
