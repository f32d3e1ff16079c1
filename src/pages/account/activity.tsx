import { Hono } from 'hono'
import { listLatestOwnEvents, listOwnEvents } from '../../activity/own-events.ts'
import { EVENT_KINDS, type EventKind } from '../../audit/kinds.ts'
import { COMMAND_LINE } from '../../base/network.ts'
import { DAY_MILLISECONDS } from '../../base/time.ts'
import type { App } from '../../http/context.ts'
import { actorOf } from '../../http/guard.ts'
import { query } from '../../http/input.ts'
import { Avatar } from '../avatar.tsx'
import { MAX_EVENTS_IN_FILE, sendEvents } from '../event-csv.ts'
import {
  EventChips,
  type EventFields,
  EventFilterForm,
  eventQuery,
  filterAddress,
  isFiltered,
  parseFilter,
} from '../event-filter.tsx'
import { lookOf } from '../event-look.ts'
import { type EventRecord, eventSentence, type Reader } from '../event-text.ts'
import type { Problem } from '../form.ts'
import { LANGUAGE_TAGS, languageOf, TEXTS } from '../language.ts'
import { AccountPage } from '../layout.tsx'
import { Pager } from '../pager.tsx'
import { Heading } from '../parts.tsx'
import { Empty, Row } from '../rows.tsx'
import { Time } from '../time.tsx'
import { readView, showPage, type View } from '../view.ts'
import { browserOf } from './sessions.tsx'

type AccountEvent = Awaited<ReturnType<typeof listOwnEvents>>['events'][number]

const PATH = '/account/activity'
const EVENTS_PER_PAGE = 25
const MINUTE_MILLISECONDS = 60 * 1000
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
      <EventChips view={view} path={PATH} fields={fields} chips={CHIPS} />
      <EventFilterForm
        view={view}
        path={PATH}
        fields={fields}
        kinds={OWN_KINDS}
        chips={CHIPS}
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

export type ListedEvent = EventRecord & Pick<AccountEvent, 'at' | 'network' | 'userAgent'>

interface ListProps {
  view: View
  events: ListedEvent[]
  reader: Reader
  path: string
  isFiltered: boolean
}

/** The events by day, latest first; equal events in a row are one. */
export function EventList({ view, events, reader, path, ...props }: ListProps) {
  const t = view.t.activity
  if (events.length > 0)
    return (
      <ol class="rows events" data-days>
        {foldedByDay(view, events).map(({ day, runs }) => (
          <>
            <li class="day">
              <h2>{day}</h2>
            </li>
            {runs.map((run) => (
              <EventRow view={view} run={run} reader={reader} />
            ))}
          </>
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

/** Equal events, latest first. */
type Run = [latest: ListedEvent, ...earlier: ListedEvent[]]

/** Puts equal neighbours of a day into one run. The days are those of UTC; the script has others. */
function foldedByDay(view: View, events: readonly ListedEvent[]) {
  const days: { day: string; runs: Run[] }[] = []
  for (const event of events) {
    const day = dayName(view, event.at)
    const current = days.at(-1)
    const last = current?.runs.at(-1)
    if (current === undefined || current.day !== day) days.push({ day, runs: [[event]] })
    else if (last !== undefined && isSame(last[0], event)) last.push(event)
    else current.runs.push([event])
  }
  return days
}

function isSame(one: ListedEvent, other: ListedEvent): boolean {
  const textOf = (event: ListedEvent) => JSON.stringify({ ...event, id: 0, at: 0 })
  return textOf(one) === textOf(other)
}

/** Names a day of UTC: the words for today and yesterday, else the date. */
function dayName({ language, now }: View, at: number): string {
  const tag = LANGUAGE_TAGS[language]
  const age = Math.floor(now / DAY_MILLISECONDS) - Math.floor(at / DAY_MILLISECONDS)
  if (age === 0 || age === 1) {
    const word = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(-age, 'day')
    return word.charAt(0).toUpperCase() + word.slice(1)
  }
  return new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeZone: 'UTC' }).format(at)
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MILLISECONDS)
}

interface EventRowProps {
  view: View
  run: Run
  reader: Reader
}

/** The sentence of an event, how often it happened, then time, network and browser. */
function EventRow({ view, run, reader }: EventRowProps) {
  const [event] = run
  const first = run.at(-1) ?? event
  const { icon, tone } = lookOf(event.kind)
  return (
    <Row
      icon={icon}
      tone={tone}
      level={3}
      title={
        <>
          {eventSentence(view.t, event, reader).map((part) =>
            typeof part === 'string' ? (
              part
            ) : part.isDeleted || reader === 'owner' ? (
              <b>{part.name}</b>
            ) : (
              <>
                <Avatar name={part.name} />
                <a href={`/account/admin/users/${part.userId}`}>{part.name}</a>
              </>
            ),
          )}
          {run.length > 1 && <span class="badge">{view.t.activity.repeated(run.length)}</span>}
        </>
      }
    >
      <p class="facts">
        <span>
          <Time view={view} at={event.at} isClock />
          {minuteOf(first.at) < minuteOf(event.at) && (
            <>
              {' ← '}
              <Time view={view} at={first.at} isClock />
            </>
          )}
        </span>
        {event.network !== COMMAND_LINE.network && <span>{event.network}</span>}
        {event.userAgent !== '' && <span>{browserOf(view, event.userAgent)}</span>}
      </p>
    </Row>
  )
}
