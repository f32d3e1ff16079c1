import { Hono } from 'hono'
import * as v from 'valibot'
import { listSiteEvents } from '../../operator-events.ts'
import type { EventFilter } from '../../../../core/audit/event-lists.ts'
import type { PageWindow } from '../../../../core/base/paging.ts'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { query } from '../../../../web/http/input.ts'
import { findUserOfEvents } from '../../../users/find-users.ts'
import { MAX_EVENTS_IN_FILE, sendEvents } from '../event-csv.ts'
import type { EventFields } from '../event-address.ts'
import { eventQuery, filterText, parseFilter } from '../event-filter.tsx'
import type { Problem } from '../../../../web/kit/form.ts'
import type { Texts } from '../../../../web/kit/texts.ts'
import { showPage } from '../../../../web/kit/view.ts'
import { SiteEventsPage } from './events.tsx'
import { adminView } from '../../../../web/kit/admin/view.ts'

const EVENTS_PER_PAGE = 25
const NO_EVENTS = { events: [], more: false, keptDays: undefined }

const siteEventQuery = v.object({ ...eventQuery.entries, user: filterText })

/** The page of all events of the site, and their file, under `/account/admin/events`. */
export const eventPages = new Hono<App>()
  .get('/', query(siteEventQuery), async (c) => {
    const view = await adminView(c)
    const { page: requestedPage, ...fields } = c.req.valid('query')
    const page = Math.max(requestedPage, 1)
    const { filter, problem } = await parseSiteFilter(c, view.t, fields)
    const window = { limit: EVENTS_PER_PAGE, offset: (page - 1) * EVENTS_PER_PAGE }
    const listed = problem === undefined ? await list(c, filter, window) : NO_EVENTS
    const props = { view, ...listed, page, fields, problem }
    return showPage(c, <SiteEventsPage {...props} />)
  })
  .get('/events.csv', query(siteEventQuery), async (c) => {
    const { t } = await adminView(c)
    const { filter, problem } = await parseSiteFilter(c, t, c.req.valid('query'))
    const window = { limit: MAX_EVENTS_IN_FILE, offset: 0 }
    const { events } = problem === undefined ? await list(c, filter, window) : NO_EVENTS
    return sendEvents(c, t, events, 'operator')
  })

/** Like `parseFilter`; a name that no user has or had is a problem too. */
async function parseSiteFilter(
  c: AppContext,
  t: Texts,
  { user: typed, ...fields }: EventFields & { user: string },
): Promise<{ filter: EventFilter; problem: Problem | undefined }> {
  const parsed = parseFilter(t, fields)
  const name = typed.trim()
  if (name === '') return parsed
  const userId = await findUserOfEvents(c.get('deps'), actorOf(c), name)
  if (userId !== undefined) return { ...parsed, filter: { ...parsed.filter, userId } }
  return { ...parsed, problem: { field: 'user', message: t.adminEvents.noUser } }
}

function list(c: AppContext, filter: EventFilter, window: PageWindow) {
  return listSiteEvents(c.get('deps'), actorOf(c), filter, window)
}
