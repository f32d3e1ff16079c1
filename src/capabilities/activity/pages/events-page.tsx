import type { PropsWithChildren } from 'hono/jsx'
import { AccountPage } from '../../../web/kit/layout.tsx'
import { Pager } from '../../../web/kit/pager.tsx'
import { Heading } from '../../../web/kit/parts.tsx'
import { filterAddress, isFiltered } from './event-address.ts'
import { EventChips, EventFilterForm, type FilterProps } from './event-filter.tsx'
import { EventList } from './event-list.tsx'
import type { ListedEvent, Reader } from './event-text.ts'

interface EventsPageProps extends FilterProps {
  title: string
  lead: string
  events: ListedEvent[]
  reader: Reader
  page: number
  pages: number
  /** Names a page of the list. */
  pageWords: (page: number, pages: number) => string
}

/**
 * A page of events: what chooses them, the list, its other pages, and its file. The children are
 * further fields of the form that chooses.
 */
export function EventsPage({ children, ...props }: PropsWithChildren<EventsPageProps>) {
  const { view, title, lead, path, fields, events, reader, page, pages, pageWords } = props
  const t = view.t.activity
  return (
    <AccountPage view={view} title={title}>
      <header class="bar">
        <Heading title={title} lead={lead} />
        <a
          role="button"
          class="secondary"
          href={filterAddress(`${path}/events.csv`, fields)}
          download
        >
          {t.download}
        </a>
      </header>
      <EventChips {...props} />
      <EventFilterForm {...props}>{children}</EventFilterForm>
      <EventList
        view={view}
        events={events}
        reader={reader}
        path={path}
        isFiltered={isFiltered(fields)}
      />
      <Pager
        view={view}
        page={page}
        pages={pages}
        address={(to) => filterAddress(path, fields, to)}
        words={{ ...view.t.pager, page: pageWords }}
      />
    </AccountPage>
  )
}
