import type { PropsWithChildren } from 'hono/jsx'
import type { listOwnEvents } from '../../activity/own-events.ts'
import { COMMAND_LINE } from '../../base/network.ts'
import { actorText, eventText } from '../event-text.ts'
import { AccountPage } from '../layout.tsx'
import { Empty, Pager, Time } from '../parts.tsx'
import type { View } from '../view.ts'
import { browserOf } from './sessions.tsx'

type AccountEvent = Awaited<ReturnType<typeof listOwnEvents>>['events'][number]

interface ActivityProps {
  view: View
  events: AccountEvent[]
  page: number
  pages: number
}

export function ActivityPage({ view, events, page, pages }: ActivityProps) {
  const t = view.t.activity
  return (
    <AccountPage view={view} title={t.title}>
      <hgroup>
        <h1>{t.title}</h1>
        <p>{t.lead}</p>
      </hgroup>
      {events.length === 0 ? (
        <Empty icon="activity" title={t.none} />
      ) : (
        <ol class="rows compact">
          {events.map((event) => (
            <EventRow view={view} event={event}>
              <By view={view} event={event} />
            </EventRow>
          ))}
        </ol>
      )}
      <Pager
        view={view}
        page={page}
        pages={pages}
        address={(to) => `/account/activity?page=${to}`}
      />
    </AccountPage>
  )
}

type EventRowProps = PropsWithChildren<{ view: View; event: Omit<AccountEvent, 'id'> }>

/** A row for an event; the children stand before time, network and browser. */
export function EventRow({ view, event, children }: EventRowProps) {
  return (
    <li>
      <h2>{eventText(view.t, event)}</h2>
      <p class="facts">
        {children}
        <span>
          <Time view={view} at={event.at} exact />
        </span>
        {event.network !== COMMAND_LINE.network && <span>{event.network}</span>}
        {event.userAgent !== '' && <span>{browserOf(view, event.userAgent)}</span>}
      </p>
    </li>
  )
}

/** Names the actor when it is not the user. */
function By({ view, event }: Pick<EventRowProps, 'view' | 'event'>) {
  const text = actorText(view.t, event)
  return text === '' ? <></> : <span>{text}</span>
}
