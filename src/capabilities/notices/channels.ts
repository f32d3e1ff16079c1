import * as v from 'valibot'
import { parseEmail } from '../../core/base/email.ts'
import { isPublicHttps } from '../../core/base/public-address.ts'
import { reason, type ReasonCode } from '../../core/base/reasons.ts'
import {
  maxCharacters,
  nameText,
  noControlCharacters,
  possiblyEmptyText,
} from '../../core/base/text.ts'
import { OWN_TOPICS, TOPICS } from '../../core/audit/topics.ts'

/** The kinds of channels of operators. */
export const CHANNEL_KINDS = [
  'webhook',
  'ntfy',
  'slack',
  'discord',
  'telegram',
  'bark',
  'email',
] as const

export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** The kinds that users may choose for themselves. */
export const OWN_CHANNEL_KINDS = [
  'email',
  'ntfy',
  'webhook',
] as const satisfies readonly ChannelKind[]

export const NOTICE_LANGUAGES = ['en', 'zh'] as const

export type NoticeLanguage = (typeof NOTICE_LANGUAGES)[number]

const MAX_NAME_CHARACTERS = 64
const MAX_ADDRESS_CHARACTERS = 1024

/** Where Telegram answers bots, unless the operator runs a Bot API server. */
const TELEGRAM = 'https://api.telegram.org'

const line = v.pipe(
  possiblyEmptyText(),
  maxCharacters(MAX_ADDRESS_CHARACTERS),
  noControlCharacters(),
)
const optionalLine = v.optional(line, '')
const topics = <const Names extends readonly string[]>(names: Names) =>
  v.pipe(
    v.array(v.picklist(names, `must be one of ${names.join(', ')}`)),
    v.minLength(1, reason('topics')),
  )

/** The request for a new channel of the operators. */
export const newChannelSchema = v.object({
  kind: v.picklist(CHANNEL_KINDS, `must be one of ${CHANNEL_KINDS.join(', ')}`),
  name: nameText(MAX_NAME_CHARACTERS),
  /** A URL; for e-mail the recipient. */
  address: optionalLine,
  /** The access token of ntfy, or the token of a Telegram bot. */
  token: optionalLine,
  /** The chat of Telegram: a number, or `@name`. */
  chat: optionalLine,
  /** The sender of e-mails. */
  sender: optionalLine,
  topics: topics(TOPICS),
  language: v.optional(v.picklist(NOTICE_LANGUAGES, 'must be one of en, zh'), 'en'),
})

export type NewChannel = v.InferOutput<typeof newChannelSchema>

/** The topics that operators choose. */
export const topicsSchema = v.object({ topics: topics(TOPICS) })

export const channelTopicsSchema = v.object({ id: v.number(), ...topicsSchema.entries })

/** The topics that a user chooses. */
export const ownTopicsSchema = v.object({ topics: topics(OWN_TOPICS) })

/** The request for the channel of a user. */
export const ownChannelSchema = v.object({
  kind: v.picklist(OWN_CHANNEL_KINDS, `must be one of ${OWN_CHANNEL_KINDS.join(', ')}`),
  /** Empty for e-mail, which goes to the confirmed address of the account. */
  address: optionalLine,
  ...ownTopicsSchema.entries,
  language: v.optional(v.picklist(NOTICE_LANGUAGES, 'must be one of en, zh'), 'en'),
})

/** Where a channel sends, with its credentials. It is sealed at rest. */
export const configSchema = v.object({
  address: v.string(),
  token: v.optional(v.string(), ''),
  chat: v.optional(v.string(), ''),
  sender: v.optional(v.string(), ''),
  /** It signs each notice. Only webhooks have it. */
  secret: v.optional(v.string(), ''),
})

export type ChannelConfig = v.InferOutput<typeof configSchema>

/** The wrong field of a request for a channel. */
interface Wrong {
  field: 'address' | 'token' | 'chat' | 'sender'
  reason: ReasonCode
}

type Destination = Pick<NewChannel, 'kind' | 'address' | 'token' | 'chat' | 'sender'>

/**
 * Checks where a channel is to send.
 *
 * @param isOwn The channel of a user, who may not reach private addresses. Of e-mail it has no
 *   address: each notice goes to the address that the account has confirmed by then.
 * @returns What is sealed and what is shown, or what is wrong.
 */
export function readDestination(
  destination: Destination,
  isOwn: boolean,
): { config: Omit<ChannelConfig, 'secret'>; target: string } | Wrong {
  const { kind, address, token, chat, sender } = destination
  if (kind === 'email' && isOwn) {
    if (address !== '') return { field: 'address', reason: 'confirmedAddress' }
    return { config: { address: '', token: '', chat: '', sender: '' }, target: '' }
  }
  if (kind === 'email') {
    const [to, from] = [parseEmail(address), parseEmail(sender)]
    if (to === undefined) return { field: 'address', reason: 'email' }
    if (from === undefined) return { field: 'sender', reason: 'email' }
    return { config: { address: to, token: '', chat: '', sender: from }, target: to }
  }
  const isTelegram = kind === 'telegram'
  if (isTelegram && !/^\d+:[\w-]+$/.test(token)) return { field: 'token', reason: 'telegramToken' }
  if (isTelegram && !/^(?:-?\d+|@\w+)$/.test(chat)) return { field: 'chat', reason: 'telegramChat' }
  if (!isTelegram && token !== '' && !/^[!-~]+$/.test(token))
    return { field: 'token', reason: 'noControlCharacters' }
  const where = isTelegram && address === '' ? TELEGRAM : address
  if (isOwn ? !isPublicHttps(where) : !isHttp(where))
    return { field: 'address', reason: isOwn ? 'publicAddress' : 'httpAddress' }
  const needsPath = kind === 'ntfy' || kind === 'bark'
  const url = new URL(where)
  if (needsPath && !/^\/(?:.*\/)?[\w-]+\/?$/.test(url.pathname))
    return { field: 'address', reason: 'addressPath' }
  return { config: { address: where, token, chat, sender: '' }, target: url.host }
}

function isHttp(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
