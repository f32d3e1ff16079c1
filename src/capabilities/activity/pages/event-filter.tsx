import type { PropsWithChildren } from 'hono/jsx'
import * as v from 'valibot'
import type { EventFilter } from '../../../core/audit/event-lists.ts'
import { EVENT_KINDS, type EventKind } from '../../../core/audit/kinds.ts'
import { endOf, isZone, parseDay, startOf } from '../../../core/base/calendar.ts'
import { reason } from '../../../core/base/reasons.ts'
import { maxCharacters, possiblyEmptyText } from '../../../core/base/text.ts'
import { pageQuery } from '../../../web/http/input.ts'
import { type EventFields, filterAddress } from './event-address.ts'
import { MAX_EVENTS_IN_FILE } from './event-csv.ts'
import { groupedKinds } from './event-look.ts'
import { Field } from '../../../web/kit/fields.tsx'
import type { Problem } from '../../../web/kit/form.ts'
import type { Texts } from '../../../web/kit/texts.ts'
import type { View } from '../../../web/kit/view.ts'

const MAX_CHARACTERS = 255

/** Text of a field of the filter; empty when it is missing. */
export const filterText = v.pipe(v.optional(possiblyEmptyText(), ''), maxCharacters(MAX_CHARACTERS))

/** The fields of the form that both lists of events have. */
export const eventQuery = v.object({
  page: pageQuery.entries.page,
  kind: v.optional(v.picklist(['', ...EVENT_KINDS], reason('eventKind')), ''),
  network: filterText,
  from: filterText,
  to: filterText,
  /** The visitor's time zone, which the script fills in. */
  zone: filterText,
})

/** Reads the conditions of a form, except the user's. A day that can't be read is a problem. */
export function parseFilter(
  t: Texts,
  { kind, network, from, to, zone }: EventFields,
): { filter: Omit<EventFilter, 'userId'>; problem: Problem | undefined } {
  const timeZone = isZone(zone) ? zone : 'UTC'
  const [first, last] = [parseDay(from), parseDay(to)]
  const filter = {
    ...(kind !== '' && { kind }),
    ...(network.trim() !== '' && { network: network.trim() }),
    ...(first !== undefined && { since: startOf(first, timeZone) }),
    ...(last !== undefined && { until: endOf(last, timeZone) }),
  }
  const wrong = from !== '' && first === undefined ? 'from' : 'to'
  const isWrong = wrong === 'from' || (to !== '' && last === undefined)
  return { filter, problem: isWrong ? { field: wrong, message: t.activity.badDay } : undefined }
}

export interface FilterProps {
  view: View
  path: string
  fields: EventFields
  kinds: readonly EventKind[]
  /** The kinds that have a chip. */
  chips: readonly EventKind[]
  problem: Problem | undefined
}

/** Tells whether a filter has more than a chip says. */
function isNarrowed(
  { user = '', kind, network, from, to }: EventFields,
  chips: readonly EventKind[],
): boolean {
  return (
    [user, network, from, to].some((value) => value !== '') ||
    (kind !== '' && !chips.includes(kind))
  )
}

/** Links that show one kind of events, or all. */
export function EventChips({ view, path, fields, chips }: Omit<FilterProps, 'problem' | 'kinds'>) {
  const names = view.t.adminEvents.kinds
  return (
    <div class="tabs" role="navigation" aria-label={view.t.activity.kind}>
      {(['', ...chips] as const).map((kind) => (
        <a
          href={filterAddress(path, { ...fields, kind })}
          aria-current={kind === fields.kind ? 'page' : undefined}
        >
          {kind === '' ? view.t.activity.anyKind : names[kind]}
        </a>
      ))}
    </div>
  )
}

/**
 * The form above a list of events, folded while it is not used; the children are further fields, in
 * front of the others.
 */
export function EventFilterForm(props: PropsWithChildren<FilterProps>) {
  const { view, path, fields, kinds, chips, problem, children } = props
  const t = view.t.activity
  const zone = isZone(fields.zone) ? fields.zone : 'UTC'
  const names = view.t.adminEvents.kinds
  return (
    <details class="older" open={isNarrowed(fields, chips)}>
      <summary>{t.moreFilters}</summary>
      <form class="filter wide" action={path}>
        {children}
        <Field
          name="kind"
          label={t.kind}
          value={fields.kind}
          options={[['', t.anyKind]]}
          groups={groupedKinds(kinds).map(([group, found]) => [
            t.groups[group],
            found.map((kind) => [kind, names[kind]] as const),
          ])}
          optional
        />
        <Field name="network" label={t.network} value={fields.network} optional />
        <Field
          name="from"
          label={t.from}
          type="date"
          value={fields.from}
          problem={problem}
          optional
        />
        <Field name="to" label={t.to} type="date" value={fields.to} problem={problem} optional />
        <input type="hidden" name="zone" value={fields.zone} data-zone="zone" />
        <button class="secondary">{t.filter}</button>
        <p class="hint">
          {t.zone} <span id="zone">{zone}</span>
          <br />
          {t.downloadHint(MAX_EVENTS_IN_FILE)}
        </p>
      </form>
    </details>
  )
}
