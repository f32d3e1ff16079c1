import type { listSiteEvents } from '../../activity/operator-events.ts'
import { EVENT_KINDS, type EventKind } from '../../audit/kinds.ts'
import { DownloadHint, EventList, EventsHeader } from '../account/activity.tsx'
import {
  EventChips,
  type EventFields,
  EventFilterForm,
  filterAddress,
  isFiltered,
} from '../event-filter.tsx'
import { Field } from '../fields.tsx'
import type { Problem } from '../form.ts'
import { AccountPage } from '../layout.tsx'
import { Pager } from '../pager.tsx'
import type { View } from '../view.ts'

export const EVENTS_PATH = '/account/admin/events'
/** The kinds that have a chip above the list. */
const CHIPS: readonly EventKind[] = [
  'sign_in_refused',
  'sign_in',
  'user_changed',
  'settings_changed',
]

interface EventsProps {
  view: View
  events: Awaited<ReturnType<typeof listSiteEvents>>['events']
  page: number
  more: boolean
  /** The filter of the request; an empty field matches every event. */
  fields: EventFields & { user: string }
  problem: Problem | undefined
}

export function EventsPage({ view, events, page, more, fields, problem }: EventsProps) {
  const t = view.t.adminEvents
  return (
    <AccountPage view={view} title={t.title}>
      <EventsHeader view={view} title={t.title} lead={t.lead} path={EVENTS_PATH} fields={fields} />
      <EventChips view={view} path={EVENTS_PATH} fields={fields} chips={CHIPS} />
      <EventFilterForm
        view={view}
        path={EVENTS_PATH}
        fields={fields}
        kinds={EVENT_KINDS}
        chips={CHIPS}
        problem={problem}
      >
        <Field name="user" label={t.user} value={fields.user} problem={problem} optional />
      </EventFilterForm>
      <EventList
        view={view}
        events={events}
        reader="operator"
        path={EVENTS_PATH}
        isFiltered={isFiltered(fields)}
      />
      <Pager
        view={view}
        page={page}
        pages={more ? page + 1 : page}
        address={(to) => filterAddress(EVENTS_PATH, fields, to)}
        words={{ ...view.t.activity, page: t.page }}
      />
      <DownloadHint view={view} />
    </AccountPage>
  )
}
