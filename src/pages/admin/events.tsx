import type { listSiteEvents } from '../../activity/operator-events.ts'
import { EVENT_KINDS } from '../../audit/events.ts'
import { EventRow } from '../account/activity.tsx'
import { actorText } from '../event-text.ts'
import type { Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Empty, Field, Pager } from '../parts.tsx'
import type { View } from '../view.ts'

type SiteEvent = Awaited<ReturnType<typeof listSiteEvents>>['events'][number]

interface EventsProps {
  view: View
  events: SiteEvent[]
  page: number
  more: boolean
  /** The filter of the request; an empty field matches every event. */
  filter: { user: string; kind: string }
  problem: Problem | undefined
}

export function EventsPage({ view, events, page, more, filter, problem }: EventsProps) {
  const t = view.t.adminEvents
  return (
    <AccountPage view={view} title={t.title}>
      <hgroup>
        <h1>{t.title}</h1>
        <p>{t.lead}</p>
      </hgroup>
      <form class="filter wide" action="/account/admin/events">
        <Field name="user" label={t.user} value={filter.user} problem={problem} optional />
        <Field
          name="kind"
          label={t.kind}
          value={filter.kind}
          options={[['', t.anyKind], ...EVENT_KINDS.map((kind) => [kind, t.kinds[kind]] as const)]}
          optional
        />
        <button class="secondary">{t.filter}</button>
      </form>
      {events.length === 0 ? (
        <Empty icon="events" title={t.none} {...(problem === undefined && { hint: t.noneHint })} />
      ) : (
        <ol class="rows compact">
          {events.map((event) => (
            <EventRow view={view} event={event}>
              <Subject view={view} event={event} />
              <By view={view} event={event} />
            </EventRow>
          ))}
        </ol>
      )}
      <Pager
        view={view}
        page={page}
        pages={more ? page + 1 : page}
        address={(to) => `/account/admin/events?${String(addressOf(filter, to))}`}
        words={{ ...view.t.activity, page: t.page }}
      />
    </AccountPage>
  )
}

function addressOf({ user, kind }: EventsProps['filter'], page: number): URLSearchParams {
  return new URLSearchParams({
    ...(user !== '' && { user }),
    ...(kind !== '' && { kind }),
    page: String(page),
  })
}

/** Links to the user whom the event is about. */
function Subject({
  view,
  event: { userId, username, nameHash, times },
}: {
  view: View
  event: SiteEvent
}) {
  const t = view.t.adminEvents
  // Without a user and a tried name, the event is about the site.
  if (userId === null && nameHash === null && times === 1) return <></>
  if (userId === null) return <span>{times === 1 ? t.unknown : t.unknownTimes(times)}</span>
  if (username === null) return <span>{t.deleted(userId)}</span>
  return (
    <span>
      <a href={`/account/admin/users/${userId}`}>{username}</a>
    </span>
  )
}

/** Names the actor when it is not the user. */
function By({ view, event }: { view: View; event: SiteEvent }) {
  const text = actorText(view.t, event)
  if (text === '') return <></>
  const actorExists = event.actorName !== null
  return (
    <span>{actorExists ? <a href={`/account/admin/users/${event.actorId}`}>{text}</a> : text}</span>
  )
}
