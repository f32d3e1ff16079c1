import type { listEvents } from '../../audit/all-events.ts'
import { EVENT_KINDS } from '../../audit/events.ts'
import { EventRow } from '../account/activity.tsx'
import type { Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Empty, Field, Pager } from '../parts.tsx'
import type { View } from '../view.ts'

type Event = Awaited<ReturnType<typeof listEvents>>['events'][number]

interface EventsProps {
  view: View
  events: Event[]
  page: number
  more: boolean
  /** As it was asked for; empty for everything. */
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
              <span>
                <Subject view={view} event={event} />
              </span>
              <By view={view} detail={event.detail} />
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

/** Whom it happened to. */
function Subject({ view, event: { userId, username, times } }: { view: View; event: Event }) {
  const t = view.t.adminEvents
  if (userId === null) return <>{times === 1 ? t.unknown : t.unknownTimes(times)}</>
  if (username === null) return <>{t.deleted(userId)}</>
  return <a href={`/account/admin/users/${userId}`}>{username}</a>
}

/** Who did it, where that is not whom it happened to; see `byOperator`. */
function By({ view, detail }: { view: View; detail: string }) {
  const t = view.t.adminEvents
  const [, who] = /(?:^|, )by (\d+|command line)$/.exec(detail) ?? []
  if (who === undefined) return <></>
  if (who === 'command line') return <span>{t.byCommandLine}</span>
  return (
    <span>
      <a href={`/account/admin/users/${who}`}>{t.by(Number(who))}</a>
    </span>
  )
}
