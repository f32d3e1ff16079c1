import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { readView, showPage } from '../../../web/kit/view.ts'
import { readOverview } from '../overview.ts'
import { OverviewPage } from './overview.tsx'

/** The overview of a user's account, under `/account`. */
export const overviewPages = new Hono<App>().get('/', async (c) => {
  const overview = await readOverview(c.get('deps'), sessionOf(c))
  return showPage(c, <OverviewPage view={await readView(c, overview.account)} {...overview} />)
})
