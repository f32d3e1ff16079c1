import type { listSiteEvents } from '../../operator-events.ts'
import { EVENT_KINDS, type EventKind } from '../../../../core/audit/kinds.ts'
import type { EventFields } from '../event-address.ts'
import { EventsPage } from '../events-page.tsx'
import { Field } from '../../../../web/kit/fields.tsx'
import type { Problem } from '../../../../web/kit/form.ts'
import type { View } from '../../../../web/kit/view.ts'

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
  /** For how many days events are kept; `undefined` when none were read. */
  keptDays: number | undefined
  /** The filter of the request; an empty field matches every event. */
  fields: EventFields & { user: string }
  problem: Problem | undefined
}

export function SiteEventsPage({ view, more, keptDays, ...props }: EventsProps) {
  const t = view.t.adminEvents
  const { page, fields, problem } = props
  return (
    <EventsPage
      {...props}
      view={view}
      title={t.title}
      lead={t.lead(keptDays)}
      path={EVENTS_PATH}
      kinds={EVENT_KINDS}
      chips={CHIPS}
      reader="operator"
      pages={more ? page + 1 : page}
      pageWords={t.page}
    >
      <Field name="user" label={t.user} value={fields.user} problem={problem} optional />
    </EventsPage>
  )
}
