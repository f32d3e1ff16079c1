import type { Change, ChangedField } from '../audit/changes.ts'
import type { EventKind } from '../audit/events.ts'
import { COMMAND_LINE } from '../base/network.ts'
import { visible } from '../base/text.ts'
import type { Texts } from './texts/en.ts'

/** The parts of an event that its text needs. */
export interface EventRecord {
  kind: string
  userId: number | null
  detail: string
  network: string
  actorId: number | null
  actorName: string | null
  changes: Change[]
}

/** Describes an event; a kind that this version does not know is shown by its name. */
export function eventText(t: Texts, { kind, detail, changes }: EventRecord): string {
  const what = isKnown(t, kind) ? t.events[kind](detail) : kind
  const changeTexts = changes
    .map((change) => changeText(t, change, kind))
    .filter((text) => text !== '')
  return changeTexts.length === 0 ? what : t.activity.withChanges(what, changeTexts)
}

/** Names the actor; empty when the user acted on their own account, or nobody was signed in. */
export function actorText(t: Texts, { userId, network, actorId, actorName }: EventRecord): string {
  if (network === COMMAND_LINE.network) return t.activity.byCommandLine
  if (actorId === null || actorId === userId) return ''
  return actorName === null ? t.activity.byDeleted(actorId) : t.activity.by(visible(actorName))
}

function isKnown(t: Texts, kind: string): kind is EventKind {
  return Object.hasOwn(t.events, kind)
}

/** Describes one changed field; empty when the kind says it already, or the value is empty. */
function changeText(t: Texts, { field, from, to }: Change, kind: string): string {
  const name = isField(t, field) ? t.activity.fields[field] : visible(field)
  if (field === 'permission') {
    const bits = bitsText(t, Number(from), Number(to))
    return bits && t.activity.stated(name, bits)
  }
  if (typeof (to ?? from) === 'boolean') return from === null && to === true ? name : ''
  // A record that was created or deleted has one value only.
  if (from === null || to === null) {
    const only = from ?? to
    return only === '' || only === null ? '' : t.activity.stated(name, valueText(t, field, only))
  }
  const [before, after] = [valueText(t, field, from), valueText(t, field, to)]
  return kind === 'role_changed' ? `${before} → ${after}` : t.activity.changed(name, before, after)
}

function isField(t: Texts, field: string): field is ChangedField {
  return Object.hasOwn(t.activity.fields, field)
}

function valueText(t: Texts, field: string, value: NonNullable<Change['from']>): string {
  if (value === '') return t.activity.empty
  if (field === 'role' && typeof value === 'number') return t.overview.roles[value] ?? String(value)
  return visible(String(value))
}

/** Lists the permissions that were granted (+) and removed (−). */
function bitsText(t: Texts, from: number, to: number): string {
  const signs = t.permissions.flatMap((name, bit) => {
    const [had, has] = [(from >> bit) & 1, (to >> bit) & 1]
    return had === has ? [] : [`${has === 1 ? '+' : '−'}${name}`]
  })
  return signs.join(', ')
}
