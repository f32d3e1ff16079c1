import { isByOperator } from '../audit/event-lists.ts'
import type { EventKind } from '../audit/kinds.ts'
import { COMMAND_LINE } from '../base/network.ts'
import { isoTime } from '../base/time.ts'
import { visible } from '../base/text.ts'
import type { NoticeLanguage } from './channels.ts'
import { NOTICE_TEXTS } from './texts.ts'
import type { NoticeTopic } from './topics.ts'

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

/** The kinds whose detail names what was added. The detail of others is for programs. */
const NAMES_WHAT: readonly EventKind[] = [
  'key_added',
  'passkey_added',
  'token_created',
  'service_token_made',
  'token_used_elsewhere',
  'access_replayed',
  'client_added',
  'client_secret_made',
  'end_near',
]

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
  return NAMES_WHAT.includes(kind) ? visible(detail) : ''
}

function actorOf(
  { actorId, actorName, userId, network }: NoticeEvent,
  commandLine: string,
): string {
  if (network === COMMAND_LINE.network) return commandLine
  if (!isByOperator({ actorId, userId })) return ''
  return actorName === null ? `#${actorId}` : shortened(visible(actorName))
}

/** The page where the user of an account undoes an event of this kind. */
const OWN_PAGES: Partial<Record<EventKind, string>> = {
  sign_in: 'sessions',
  service_sign_in: 'app-passwords',
  token_used_elsewhere: 'app-passwords',
  token_created: 'app-passwords',
  key_added: 'keys',
  passkey_added: 'security',
  identity_linked: 'security',
  passkey_cloned: 'security',
  access_replayed: 'programs',
  two_factor_off: 'security',
  two_factor_cancelled: 'security',
  password_changed: 'security',
  password_reset: 'security',
}

/** Returns the address of the page that undoes the event of a notice. */
function linkOf({ event, origin, isOwn }: Notice): string | undefined {
  if (origin === '') return undefined
  if (event === null) return `${origin}/account${isOwn ? '/notices' : '/admin/notices'}`
  if (isOwn) return `${origin}/account/${OWN_PAGES[event.kind] ?? 'activity'}`
  if (event.userId !== null && event.username !== null && event.kind !== 'service_token_made')
    return `${origin}/account/admin/users/${event.userId}`
  if (event.kind.startsWith('client_')) return `${origin}/account/admin/programs`
  return `${origin}/account/admin/events${event.kind.endsWith('made') ? '' : '?kind=sign_in_refused'}`
}
