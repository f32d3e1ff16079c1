import { isByOperator } from '../../core/audit/event-lists.ts'
import { type EventKind, rowOfKind } from '../../core/audit/kinds.ts'
import { COMMAND_LINE } from '../../core/base/network.ts'
import { isoTime } from '../../core/base/time.ts'
import { visible } from '../../core/base/text.ts'
import type { NoticeLanguage } from './channels.ts'
import { NOTICE_TEXTS } from './texts.ts'
import type { NoticeTopic } from '../../core/audit/topics.ts'

/** The event of a notice. None of it is secret (`AuditEvent.detail`). */
interface NoticeEvent {
  id: number
  /** Unix time, milliseconds. */
  at: number
  kind: EventKind
  userId: number | null
  username: string | null
  actorId: number | null
  actorName: string | null
  detail: string
  network: string
  country: string
}

/** A notice that is due. */
export interface Notice {
  id: string
  topic: NoticeTopic
  /** Null for a test. */
  event: NoticeEvent | null
  /** Where this site answers, such as `https://accounts.example.org`; empty for no links. */
  origin: string
  /** Whether the receiver is the user of the account, not an operator. */
  isOwn: boolean
  language: NoticeLanguage
  /** The number of earlier events that it tells together with `event`. */
  more: number
  /** When the notice was made. Unix time, milliseconds. */
  madeAt: number
}

/** The text of a notice, not escaped for any markup. */
export interface Message {
  title: string
  lines: string[]
  /** The page that undoes it; `undefined` when no origin is known. */
  link: string | undefined
}

/** Writes the text of a notice in the language of its channel. */
export function writeNotice(notice: Notice): Message {
  const { event, topic, language } = notice
  const t = NOTICE_TEXTS[language]
  if (event === null) {
    return { title: t.titles.test(NAMES_NOTHING), lines: [t.testHint], link: linkOf(notice) }
  }
  const named = {
    user: shortened(userOf(event)),
    what: shortened(whatOf(event)),
    network: event.network,
    count: event.detail,
  }
  const title = t.titles[event.kind] ?? t.titles[topic] ?? t.otherTitle
  const actor = actorOf(event, t.commandLine)
  const facts: [string, string][] = [
    [t.account, event.userId === null ? '' : named.user],
    [t.by, actor],
    [t.network, event.network === COMMAND_LINE.network ? '' : event.network],
    [t.country, event.country],
    [t.time, `${isoTime(event.at).slice(0, 16).replace('T', ' ')} UTC`],
  ]
  const lines = facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
  const { more } = notice
  const titleText = more === 0 ? title(named) : t.withMore(title(named), more)
  return { title: titleText, lines, link: linkOf(notice) }
}

/**
 * Names have up to 255 characters. A few of those together, escaped, would pass the limits of
 * receivers, which then refuse the notice: 1 KB for a title of ntfy, 2,000 characters for Discord.
 */
const MAX_NAME_CHARACTERS = 60

function shortened(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= MAX_NAME_CHARACTERS) return name
  return `${characters.slice(0, MAX_NAME_CHARACTERS).join('')}…`
}

const NAMES_NOTHING = { user: '', what: '', network: '', count: '' }

/** Returns a name that cannot act on a terminal or turn the direction of the text. */
export function userOf({ username, userId }: NoticeEvent): string {
  if (username !== null) return visible(username)
  return userId === null ? '' : `#${userId}`
}

export function whatOf({ kind, detail }: NoticeEvent): string {
  return rowOfKind(kind).namesThing === true ? visible(detail) : ''
}

function actorOf(
  { actorId, actorName, userId, network }: NoticeEvent,
  commandLine: string,
): string {
  if (network === COMMAND_LINE.network) return commandLine
  if (!isByOperator({ actorId, userId })) return ''
  return actorName === null ? `#${actorId}` : shortened(visible(actorName))
}

/** Returns the address of the page that undoes the event of a notice. */
function linkOf({ event, origin, isOwn }: Notice): string | undefined {
  if (origin === '') return undefined
  if (event === null) return `${origin}/account${isOwn ? '/notices' : '/admin/notices'}`
  const { page, operatorPage } = rowOfKind(event.kind)
  if (isOwn) return `${origin}/account/${page ?? 'activity'}`
  const isOfUser = operatorPage === undefined && event.userId !== null && event.username !== null
  const shown = isOfUser ? `users/${event.userId}` : (operatorPage ?? 'events')
  return `${origin}/account/admin/${shown}`
}
