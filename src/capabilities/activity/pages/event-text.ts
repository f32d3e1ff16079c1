import type { Change, ChangedField } from '../../../core/audit/changes.ts'
import { isEventKind } from '../../../core/audit/kinds.ts'
import { readSignInDetail } from '../../../core/audit/sign-in-detail.ts'
import { firstOf, lastOf } from '../../../core/base/chinese.ts'
import { COMMAND_LINE } from '../../../core/base/network.ts'
import { own } from '../../../core/base/own.ts'
import { visible } from '../../../core/base/text.ts'
import { isShownRefusal, phraseOf } from './event-phrase.ts'
import { providerName } from '../../../web/kit/provider-names.ts'
import type { Texts } from '../../../web/kit/texts.ts'

/** An event as its sentence needs it; the lists of operators name the user too. */
interface EventRecord {
  kind: string
  userId: number | null
  detail: string
  network: string
  actorId: number | null
  actorName: string | null
  /** The name that a deleted actor had, if it is known. */
  deletedActorName: string | null
  changes: Change[]
  username?: string | null
  deletedName?: string | null
  times?: number
}

/** An event of a list or a file. */
export interface ListedEvent extends EventRecord {
  /** Unix time, milliseconds. */
  at: number
  userAgent: string
}

/** The owner of the account reads “you”; operators read names. */
export type Reader = 'owner' | 'operator'

/** A user in a sentence. A deleted user has no page. */
interface Person {
  userId: number
  name: string
  isDeleted: boolean
}

/** Words of a sentence, or a user. */
type Part = string | Person

/** Tells in a sentence who did what to whom, and what changed from which value to which. */
export function eventSentence(t: Texts, event: EventRecord, reader: Reader): Part[] {
  const { kind, detail } = event
  const isOwn = isByUser(event)
  const facts = { detail, isOwn, hasUser: event.userId !== null, times: event.times ?? 1 }
  // A kind that this version does not know is shown by its name.
  const unknown = reader === 'owner' ? kind : `${kind}: {whom}`
  const template = isEventKind(kind) ? t.events[phraseOf({ kind, ...facts })] : unknown
  const isReflexive = isOwn && template.includes('{who}')
  const words: Record<string, Part[]> = {
    who: actorOf(t, event, reader),
    whose: subjectOf(t, event, reader, isReflexive, 'whose'),
    whom: subjectOf(t, event, reader, isReflexive, 'whom'),
    what: [detailText(t, kind, detail)],
    provider: providerOf(t, detail),
    reason: [isShownRefusal(detail) ? t.refusedSignIns[detail] : ''],
    times: [String(facts.times)],
  }
  // The texts between the captured names are at even places.
  const sentence = template
    .split(/\{(who|whose|whom|what|provider|reason|times)\}/)
    .flatMap((text, place) => (place % 2 === 0 ? [text] : (own(words, text) ?? [])))
  // What a new account may do stands on the overview of its user.
  const changes = reader === 'owner' && kind === 'user_made' ? [] : changesText(t, event)
  return [...(isEventKind(kind) ? capitalised(sentence) : sentence), ...changes]
}

/** A sentence may begin with “your”; names stay as they are. */
function capitalised(parts: Part[]): Part[] {
  const first = parts.findIndex((part) => part !== '')
  return parts.map((part, place) =>
    place === first && typeof part === 'string'
      ? part.charAt(0).toUpperCase() + part.slice(1)
      : part,
  )
}

/** The sentence as one text. */
export function sentenceText(parts: Part[]): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('')
    .trim()
}

/** Returns the actor; `undefined` when the user acted, the command line did, or nobody is known. */
export function otherActorOf(t: Texts, event: EventRecord): Person | undefined {
  const { actorId, actorName, deletedActorName } = event
  if (actorId === null || isByUser(event) || isByCommandLine(event)) return undefined
  return personOf(t, actorId, actorName, deletedActorName)
}

/** Returns the user of the account; `undefined` when the event concerns none. */
export function subjectPerson(t: Texts, event: EventRecord): Person | undefined {
  const { kind, userId, username = null, deletedName = null } = event
  if (userId === null) return undefined
  const person = personOf(t, userId, username, deletedName)
  // The sentence says already that the user was deleted.
  if (kind !== 'user_deleted' || deletedName === null) return person
  return { ...person, name: visible(deletedName) }
}

function isByCommandLine({ network }: EventRecord): boolean {
  return network === COMMAND_LINE.network
}

function isByUser(event: EventRecord): boolean {
  return !isByCommandLine(event) && (event.actorId === null || event.actorId === event.userId)
}

function personOf(
  { activity: t }: Texts,
  userId: number,
  name: string | null,
  deletedName: string | null,
): Person {
  if (name !== null) return { userId, name: visible(name), isDeleted: false }
  const gone = deletedName === null ? t.deletedUser(userId) : t.deletedName(visible(deletedName))
  return { userId, name: gone, isDeleted: true }
}

function actorOf(t: Texts, event: EventRecord, reader: Reader): Part[] {
  const words = t.activity
  if (isByCommandLine(event)) return [words.commandLine]
  const isOwn = isByUser(event)
  if (isOwn && reader === 'owner') return [words.you]
  const person = isOwn ? subjectPerson(t, event) : otherActorOf(t, event)
  return person === undefined ? [words.someone] : [person, words.gap(lastOf(person.name))]
}

function providerOf(t: Texts, detail: string): Part[] {
  const name = providerName(t, readSignInDetail(detail).provider ?? '')
  return [t.activity.gap(firstOf(name)), name, t.activity.gap(lastOf(name))]
}

/** @param isReflexive The user is also the actor, whom the sentence has named already. */
function subjectOf(
  t: Texts,
  event: EventRecord,
  reader: Reader,
  isReflexive: boolean,
  form: 'whose' | 'whom',
): Part[] {
  const words = t.activity
  if (reader === 'owner') return [form === 'whose' ? words.your : words.toYou]
  if (isReflexive) return [form === 'whose' ? words.their : words.theirs]
  const person = subjectPerson(t, event)
  if (person === undefined) return [words.someone]
  const possessive = form === 'whose' ? words.possessive : ''
  return [words.gap(firstOf(person.name)), person, words.gap(lastOf(person.name)), possessive]
}

/** Names settings as their page does; other details are texts. */
function detailText(t: Texts, kind: string, detail: string): string {
  if (kind !== 'settings_changed') return visible(detail)
  const names = detail.split(', ').map((key) => own(t.settings.labels, key) ?? visible(key))
  return names.join(t.listSeparator)
}

function changesText(t: Texts, { changes, kind }: EventRecord): string[] {
  const texts = changes.map((change) => changeText(t, change, kind)).filter((text) => text !== '')
  return texts.length === 0 ? [] : [t.activity.changes(texts.join(t.activity.betweenChanges))]
}

/** Describes one changed field; empty when the kind says it already, or the value is empty. */
function changeText(t: Texts, { field, from, to }: Change, kind: string): string {
  const name = isField(t, field) ? t.activity.fields[field] : visible(field)
  if (field === 'permission') {
    const bits = bitsText(t, Number(from), Number(to))
    return bits && t.activity.stated(name, bits)
  }
  if (typeof (to ?? from) === 'boolean') return from === null && to === true ? name : ''
  // A record that was created or deleted has one value only. The sentence has the name.
  if (from === null || to === null) {
    const only = field === 'username' ? '' : (from ?? to)
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
  return signs.join(t.listSeparator)
}
