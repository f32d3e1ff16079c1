import { visible } from '../../core/base/text.ts'
import { isoTime } from '../../core/base/time.ts'
import type { ChannelConfig, ChannelKind } from './channels.ts'
import { type Message, type Notice, userOf, whatOf } from './message.ts'
import { signatureHeaders } from './signature.ts'

/** A request that delivers a notice. */
interface Delivery {
  url: string
  body: string
  headers: Record<string, string>
}

/** The kinds of channels that take a request. */
type HttpChannelKind = Exclude<ChannelKind, 'email'>

type Format = (
  config: ChannelConfig,
  notice: Notice,
  message: Message,
  now: number,
) => Delivery | Promise<Delivery>

/** The form of a notice for each kind of channel, with names escaped for its markup. */
const FORMATS: Record<HttpChannelKind, Format> = { webhook, ntfy, slack, discord, telegram, bark }

/** @param now Unix time, milliseconds. */
export async function deliveryTo(
  kind: HttpChannelKind,
  config: ChannelConfig,
  notice: Notice,
  message: Message,
  now: number,
): Promise<Delivery> {
  return FORMATS[kind](config, notice, message, now)
}

/** @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
async function webhook(
  { address, secret }: ChannelConfig,
  notice: Notice,
  message: Message,
  now: number,
): Promise<Delivery> {
  const body = JSON.stringify({
    type: notice.topic,
    timestamp: isoTime(notice.event?.at ?? notice.madeAt),
    data: {
      event: notice.event && eventData(notice.event),
      more: notice.more,
      title: message.title,
      text: plainText({ ...message, link: undefined }),
      link: message.link ?? null,
    },
  })
  const signed = await signatureHeaders(secret, notice.id, Math.floor(now / 1000), body)
  return { url: address, body, headers: { ...JSON_TYPE, ...signed } }
}

function eventData(event: NonNullable<Notice['event']>) {
  const { id, kind, userId, actorId, network, country } = event
  const actorName = event.actorName === null ? null : visible(event.actorName)
  return {
    id,
    kind,
    user: userId === null ? null : { id: userId, username: userOf(event) },
    actor: actorId === null ? null : { id: actorId, username: actorName },
    what: whatOf(event),
    count: kind === 'many_refusals' ? Number(event.detail) : null,
    network,
    country,
  }
}

/** @see https://docs.ntfy.sh/publish/#publish-as-json */
function ntfy({ address, token }: ChannelConfig, notice: Notice, message: Message): Delivery {
  const { url, folder, last: topic } = splitPath(address)
  url.pathname = folder
  const { title, lines, link } = message
  const body = { topic, title, message: lines.join('\n'), tags: ['key'], click: link }
  const authorization = token === '' ? {} : { Authorization: `Bearer ${token}` }
  // A repeat with the same id replaces the notification (ntfy 2.16 and later).
  const headers = { ...JSON_TYPE, ...authorization, 'X-Sequence-ID': notice.id }
  return { url: url.href, body: JSON.stringify(body), headers }
}

/**
 * Slack has three control characters; `<` would begin a link or a mention.
 *
 * @see https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
function slack({ address }: ChannelConfig, _: Notice, message: Message): Delivery {
  const { title, lines, link } = message
  const text = [title, ...lines].map(escapedForSlack).join('\n')
  const body = {
    text: link === undefined ? text : `${text}\n<${link}>`,
    mrkdwn: false,
    // Slack would fetch the addresses in the text, those in names included.
    unfurl_links: false,
    unfurl_media: false,
  }
  return { url: address, body: JSON.stringify(body), headers: JSON_TYPE }
}

/** @see https://discord.com/developers/docs/resources/webhook#execute-webhook */
function discord({ address }: ChannelConfig, _: Notice, message: Message): Delivery {
  const url = new URL(address)
  // Otherwise Discord answers before it stores the message, and does not tell of a failure.
  url.searchParams.set('wait', 'true')
  const { title, lines, link } = message
  const text = [`**${escapedForDiscord(title)}**`, ...lines.map(escapedForDiscord)].join('\n')
  const body = {
    content: link === undefined ? text : `${text}\n<${link}>`,
    allowed_mentions: { parse: [] },
  }
  return { url: url.href, body: JSON.stringify(body), headers: JSON_TYPE }
}

function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapedForDiscord(text: string): string {
  return text.replaceAll(/[\\*_~`|<>#[\]()@:+.-]/g, String.raw`\$&`)
}

/**
 * Without `parse_mode`, Telegram takes the text as it is.
 *
 * @see https://core.telegram.org/bots/api#sendmessage
 */
function telegram({ address, token, chat }: ChannelConfig, _: Notice, message: Message): Delivery {
  const body = {
    chat_id: chat,
    text: plainText(message),
    link_preview_options: { is_disabled: true },
  }
  const url = `${address.replace(/\/$/, '')}/bot${token}/sendMessage`
  return { url, body: JSON.stringify(body), headers: JSON_TYPE }
}

/**
 * Bark replaces a message of the same id.
 *
 * @see https://github.com/Finb/bark-server/blob/master/docs/API_V2.md
 */
function bark({ address }: ChannelConfig, notice: Notice, message: Message): Delivery {
  const { url, folder, last: key } = splitPath(address)
  url.pathname = `${folder}push`
  const { title, lines, link } = message
  const body = {
    device_key: key,
    title,
    body: lines.join('\n'),
    group: 'Latchkey',
    id: notice.id,
    url: link,
  }
  return { url: url.href, body: JSON.stringify(body), headers: JSON_TYPE }
}

/** Takes the last segment, a topic or a key, off the path of an address (`channels.ts`). */
function splitPath(address: string): { url: URL; folder: string; last: string } {
  const url = new URL(address)
  const [, folder = '/', last = ''] = /^(.*\/)([^/]+)\/?$/.exec(url.pathname) ?? []
  return { url, folder, last }
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }

/** Returns a message as plain text. */
export function plainText({ title, lines, link }: Message): string {
  return [title, ...lines, ...(link === undefined ? [] : [link])].join('\n')
}
