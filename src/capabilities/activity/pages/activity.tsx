import { Hono } from 'hono'
import { listLatestOwnEvents, listOwnEvents } from '../own-events.ts'
import { EVENT_KINDS, type EventKind } from '../../../core/audit/kinds.ts'
import type { App } from '../../../web/http/context.ts'
import { actorOf } from '../../../web/http/guard.ts'
import { query } from '../../../web/http/input.ts'
import { MAX_EVENTS_IN_FILE, sendEvents } from './event-csv.ts'
import { eventQuery, parseFilter } from './event-filter.tsx'
import { EventsPage } from './events-page.tsx'
import { textsFor } from '../../../web/kit/language.ts'
import { readView, showPage } from '../../../web/kit/view.ts'

const PATH = '/account/activity'
const EVENTS_PER_PAGE = 25
/** The kinds that have a chip above the list. */
const CHIPS: readonly EventKind[] = ['sign_in', 'sign_in_refused', 'key_used']

/** Kinds that concern the whole site; no user finds them in the list of an account. */
const KINDS_OF_SITE: readonly EventKind[] = [
  'users_imported',
  'service_token_made',
  'service_token_ended',
  'names_reserved',
]
const OWN_KINDS = EVENT_KINDS.filter((kind) => !KINDS_OF_SITE.includes(kind))

/** The page of a user's own events, and its file, under `/account/activity`. */
export const activityPages = new Hono<App>()
  .get('/', query(eventQuery), async (c) => {
    const { page: requestedPage, ...fields } = c.req.valid('query')
    const page = Math.max(requestedPage, 1)
    const { filter, problem } = parseFilter(textsFor(c), fields)
    const read = [c.get('deps'), actorOf(c), page, EVENTS_PER_PAGE, filter] as const
    const { account, events, total, keptDays } = await listOwnEvents(...read)
    const pages = Math.max(1, Math.ceil(total / EVENTS_PER_PAGE))
    const view = await readView(c, account)
    const t = view.t.activity
    return showPage(
      c,
      <EventsPage
        {...{ view, title: t.title, lead: t.lead(keptDays), path: PATH, fields, problem }}
        kinds={OWN_KINDS}
        chips={CHIPS}
        events={problem === undefined ? events : []}
        reader="owner"
        page={page}
        pages={pages}
        pageWords={view.t.pager.page}
      />,
    )
  })
  .get('/events.csv', query(eventQuery), async (c) => {
    const t = textsFor(c)
    const { filter } = parseFilter(t, c.req.valid('query'))
    const events = await listLatestOwnEvents(c.get('deps'), actorOf(c), filter, MAX_EVENTS_IN_FILE)
    return sendEvents(c, t, events, 'owner')
  })
