import { Hono } from 'hono'
import { listLatestOwnEvents, listOwnEvents } from '../../activity/own-events.ts'
import { EVENT_KINDS, type EventKind } from '../../audit/events.ts'
import { COMMAND_LINE } from '../../base/network.ts'
import type { App } from '../../http/context.ts'
import { actorOf } from '../../http/guard.ts'
import { query } from '../../http/input.ts'
import { MAX_EVENTS_IN_FILE, sendEvents } from '../event-csv.ts'
import {
  type EventFields,
  EventFilterForm,
  eventQuery,
  filterAddress,
  isFiltered,
  parseFilter,
} from '../event-filter.tsx'
import { type EventRecord, eventSentence, type Reader } from '../event-text.ts'
import type { Problem } from '../form.ts'
import { languageOf, TEXTS } from '../language.ts'
import { AccountPage } from '../layout.tsx'
import { Empty, Heading, Pager, Time } from '../parts.tsx'
import { readView, showPage, type View } from '../view.ts'
import { browserOf } from './sessions.tsx'

type AccountEvent = Awaited<ReturnType<typeof listOwnEvents>>['events'][number]

const PATH = '/account/activity'
const EVENTS_PER_PAGE = 25

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
    const { filter, problem } = parseFilter(TEXTS[languageOf(c)], fields)
    const read = [c.get('deps'), actorOf(c), page, EVENTS_PER_PAGE, filter] as const
    const { account, events, total } = await listOwnEvents(...read)
    const pages = Math.max(1, Math.ceil(total / EVENTS_PER_PAGE))
    const view = await readView(c, account)
    const props = {
      view,
      events: problem === undefined ? events : [],
      page,
      pages,
      fields,
      problem,
    }
    return showPage(c, <ActivityPage {...props} />)
  })
  .get('/events.csv', query(eventQuery), async (c) => {
    const t = TEXTS[languageOf(c)]
    const { filter } = parseFilter(t, c.req.valid('query'))
    const events = await listLatestOwnEvents(c.get('deps'), actorOf(c), filter, MAX_EVENTS_IN_FILE)
    return sendEvents(c, t, events, 'owner')
  })

interface ActivityProps {
  view: View
  events: AccountEvent[]
  page: number
  pages: number
  fields: EventFields
  problem: Problem | undefined
}

function ActivityPage({ view, events, page, pages, fields, problem }: ActivityProps) {
  const t = view.t.activity
  return (
    <AccountPage view={view} title={t.title}>
      <EventsHeader view={view} title={t.title} lead={t.lead} path={PATH} fields={fields} />
      <EventFilterForm
        view={view}
        path={PATH}
        fields={fields}
        kinds={OWN_KINDS}
        problem={problem}
      />
      <EventList
        view={view}
        events={events}
        reader="owner"
        path={PATH}
        isFiltered={isFiltered(fields)}
      />
      <Pager
        view={view}
        page={page}
        pages={pages}
        address={(to) => filterAddress(PATH, fields, to)}
      />
      <DownloadHint view={view} />
    </AccountPage>
  )
}

interface HeaderProps {
  view: View
  title: string
  lead: string
  path: string
  fields: EventFields
}

/** The heading of a list of events, with the link to its file. */
export function EventsHeader({ view, title, lead, path, fields }: HeaderProps) {
  return (
    <header class="bar">
      <Heading title={title} lead={lead} />
      <a
        role="button"
        class="secondary"
        href={filterAddress(`${path}/events.csv`, fields)}
        download
      >
        {view.t.activity.download}
      </a>
    </header>
  )
}

/** Says what the file lacks. */
export function DownloadHint({ view }: { view: View }) {
  return <p class="aside">{view.t.activity.downloadHint(MAX_EVENTS_IN_FILE)}</p>
}

type ListedEvent = EventRecord & Pick<AccountEvent, 'at' | 'network' | 'userAgent'>

interface ListProps {
  view: View
  events: ListedEvent[]
  reader: Reader
  path: string
  isFiltered: boolean
}

/** A row for each event: the sentence, then time, network and browser. */
export function EventList({ view, events, reader, path, ...props }: ListProps) {
  const t = view.t.activity
  if (events.length > 0)
    return (
      <ol class="rows compact">
        {events.map((event) => (
          <EventRow view={view} event={event} reader={reader} />
        ))}
      </ol>
    )
  if (!props.isFiltered) return <Empty icon="activity" title={t.none} />
  return (
    <>
      <Empty icon="activity" title={t.noneFound} hint={t.noneFoundHint} />
      <p class="aside">
        <a href={path}>{t.showAll}</a>
      </p>
    </>
  )
}

function EventRow({ view, event, reader }: { view: View; event: ListedEvent; reader: Reader }) {
  return (
    <li>
      <h2>
        {eventSentence(view.t, event, reader).map((part) =>
          typeof part === 'string' ? (
            part
          ) : part.isDeleted || reader === 'owner' ? (
            <b>{part.name}</b>
          ) : (
            <a href={`/account/admin/users/${part.userId}`}>{part.name}</a>
          ),
        )}
      </h2>
      <p class="facts">
        <span>
          <Time view={view} at={event.at} exact />
        </span>
        {event.network !== COMMAND_LINE.network && <span>{event.network}</span>}
        {event.userAgent !== '' && <span>{browserOf(view, event.userAgent)}</span>}
      </p>
    </li>
  )
}
