import { Hono } from 'hono'
import { own } from '../../../core/access/subject.ts'
import type { App } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { readView, showPage } from '../../../web/kit/view.ts'
import { readOverview } from '../../me/overview.ts'
import { readDetails } from '../details.ts'
import { WelcomePage } from './pages.tsx'

/** The first page of a user who has just joined, under `/account/welcome`. */
export const welcomePages = new Hono<App>().get('/', async (c) => {
  const [deps, actor] = [c.get('deps'), sessionOf(c)]
  const [{ account, counts }, { details }] = await Promise.all([
    readOverview(deps, actor),
    readDetails(deps, own(actor)),
  ])
  const props = { view: await readView(c, account), counts, hasAddress: details.emailVerified }
  return showPage(c, <WelcomePage {...props} />)
})
