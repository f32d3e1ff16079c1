import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { readView, showPage } from '../../../web/kit/view.ts'
import { readWelcome } from '../welcome.ts'
import { WelcomePage } from './pages.tsx'

/** The first page of a user who has just joined, under `/account/welcome`. */
export const welcomePages = new Hono<App>().get('/', async (c) => {
  const { account, ...done } = await readWelcome(c.get('deps'), sessionOf(c))
  // Another user of this browser may be on the way through the check.
  const view = { ...(await readView(c, account)), isChecking: false }
  return showPage(c, <WelcomePage view={view} {...done} />)
})
