import { Hono } from 'hono'
import { clientOf } from '../../../web/http/client.ts'
import type { App } from '../../../web/http/context.ts'
import { goTo } from '../../../web/kit/view.ts'
import { logout } from '../sign-out.ts'
import { sessionToken } from '../../../web/http/session-cookie.ts'
import { clearSessionToken } from './session-cookie.ts'

/** Signs the visitor out, under `/account/sign-out`. */
export const signOutPages = new Hono<App>().post('/', async (c) => {
  await logout(c.get('deps'), sessionToken(c), clientOf(c))
  await clearSessionToken(c)
  return goTo(c, '/account/sign-in', 'signed-out')
})
