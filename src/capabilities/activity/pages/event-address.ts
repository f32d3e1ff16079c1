import type { EventKind } from '../../../core/audit/kinds.ts'

/** The texts of the form's fields; an empty one matches every event. */
export interface EventFields {
  user?: string
  kind: '' | EventKind
  network: string
  from: string
  to: string
  zone: string
}

/** Returns the address of a list with this filter. */
export function filterAddress(path: string, fields: EventFields, page?: number): string {
  const { user = '', kind, network, from, to, zone } = fields
  const isDated = from !== '' || to !== ''
  const given = Object.entries({ user, kind, network, from, to, zone: isDated ? zone : '' })
  const query = new URLSearchParams(given.filter(([, value]) => value !== ''))
  if (page !== undefined) query.set('page', String(page))
  return query.size === 0 ? path : `${path}?${String(query)}`
}

/** Returns the address of the events from a network. */
export function networkAddress(path: string, network: string): string {
  return filterAddress(path, { kind: '', network, from: '', to: '', zone: '' })
}

/** Tells whether a filter leaves events out. */
export function isFiltered({ user = '', kind, network, from, to }: EventFields): boolean {
  return [user, kind, network, from, to].some((value) => value !== '')
}
