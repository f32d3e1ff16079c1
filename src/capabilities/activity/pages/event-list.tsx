import { COMMAND_LINE } from '../../../core/base/network.ts'
import { DAY_MILLISECONDS } from '../../../core/base/time.ts'
import { browserOf } from '../../sessions/pages/device.ts'
import { Avatar } from '../../../web/kit/avatar.tsx'
import { networkAddress } from './event-address.ts'
import { lookOf } from './event-look.ts'
import { eventSentence, type ListedEvent, type Reader } from './event-text.ts'
import { LANGUAGE_TAGS } from '../../../web/kit/language.ts'
import { Empty, Row } from '../../../web/kit/rows.tsx'
import { Time } from '../../../web/kit/time.tsx'
import type { View } from '../../../web/kit/view.ts'

const MINUTE_MILLISECONDS = 60 * 1000

interface ListProps {
  view: View
  events: ListedEvent[]
  reader: Reader
  path: string
  /** Whether a filter may be why there are no events. */
  isFiltered?: boolean
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
              <EventRow view={view} run={run} reader={reader} path={path} />
            ))}
          </>
        ))}
      </ol>
    )
  if (props.isFiltered !== true) return <Empty icon="activity" title={t.none} />
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

function isSame(a: ListedEvent, b: ListedEvent): boolean {
  return textWithoutTime(a) === textWithoutTime(b)
}

function textWithoutTime(event: ListedEvent): string {
  return JSON.stringify({ ...event, id: 0, at: 0 })
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
  /** Of the list, for the events of a network. */
  path: string
}

/** The sentence of an event, then how often and when it happened, network and browser. */
function EventRow({ view, run, reader, path }: EventRowProps) {
  const [event] = run
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
        </>
      }
    >
      <p class="facts">
        <span>
          <Times view={view} run={run} />
        </span>
        {event.network !== COMMAND_LINE.network && event.network !== '' && (
          <span>
            <a href={networkAddress(path, event.network)}>{event.network}</a>
          </span>
        )}
        {event.userAgent !== '' && (
          <span class={reader === 'owner' ? undefined : 'minor'}>
            {browserOf(view, event.userAgent)}
          </span>
        )}
      </p>
    </Row>
  )
}

/** When an event happened; of equal ones, how often and between which times. */
function Times({ view, run }: { view: View; run: Run }) {
  const [event] = run
  const first = run.at(-1) ?? event
  const last = <Time view={view} at={event.at} isClock />
  if (run.length === 1) return last
  const t = view.t.activity
  if (minuteOf(first.at) === minuteOf(event.at)) {
    const [before, after] = t.repeated(run.length)
    return (
      <>
        {before}
        {last}
        {after}
      </>
    )
  }
  const [before, between, after] = t.repeatedBetween(run.length)
  return (
    <>
      {before}
      <Time view={view} at={first.at} isClock />
      {between}
      {last}
      {after}
    </>
  )
}
