import { Hono } from 'hono'
import * as v from 'valibot'
import { listSiteEvents } from '../../activity/operator-events.ts'
import { EVENT_KINDS, type EventFilter } from '../../audit/events.ts'
import type { App, AppContext } from '../../http/context.ts'
import { pageQuery, query } from '../../http/input.ts'
import { maxCharacters, possiblyEmptyText } from '../../base/text.ts'
import { findUser } from '../../users/manage-users.ts'
import { actorOf } from '../../http/guard.ts'
import { showPage } from '../view.ts'
import { EventsPage } from './events.tsx'
import { adminView } from './view.ts'
import { REASONS } from '../../base/reasons.ts'

const EVENTS_PER_PAGE = 25
const MAX_NAME_CHARACTERS = 255

const eventsQuery = v.object({
  page: pageQuery.entries.page,
  user: v.pipe(v.optional(possiblyEmptyText(), ''), maxCharacters(MAX_NAME_CHARACTERS)),
  kind: v.optional(v.picklist(['', ...EVENT_KINDS], REASONS.eventKind), ''),
})

/** The page of all events of the site, under `/account/admin/events`. */
export const eventPages = new Hono<App>().get('/', query(eventsQuery), async (c) => {
  const view = await adminView(c)
  const { user, kind, page: requestedPage } = c.req.valid('query')
  const page = Math.max(requestedPage, 1)
  const filter = await filterOf(c, user, kind)
  const { events, more } =
    filter === undefined ? { events: [], more: false } : await readEvents(c, filter, page)
  const problem =
    filter === undefined ? { field: 'user', message: view.t.adminEvents.noUser } : undefined
  const props = { view, events, page, more, filter: { user, kind }, problem }
  return showPage(c, <EventsPage {...props} />)
})

/** @returns `undefined` when no user has this name. */
async function filterOf(
  c: AppContext,
  name: string,
  kind: '' | (typeof EVENT_KINDS)[number],
): Promise<EventFilter | undefined> {
  const ofKind = kind === '' ? {} : { kind }
  if (name.trim() === '') return ofKind
  const user = await findUser(c.get('deps'), actorOf(c), name.trim())
  return user && { userId: user.id, ...ofKind }
}

function readEvents(c: AppContext, filter: EventFilter, page: number) {
  const range = { limit: EVENTS_PER_PAGE, offset: (page - 1) * EVENTS_PER_PAGE }
  return listSiteEvents(c.get('deps'), actorOf(c), filter, range)
}
