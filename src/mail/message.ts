import * as v from 'valibot'
import { visible } from '../base/text.ts'
import { LIFETIME_TEXTS, MAIL_TEXTS, type MailKind, type MailLanguage } from './texts.ts'

/** A mail to one recipient. */
export const messageSchema = v.object({
  to: v.string(),
  subject: v.string(),
  text: v.string(),
  html: v.string(),
})

export type Message = v.InferOutput<typeof messageSchema>

/** What stands in a mail. */
export interface MailContent {
  to: string
  kind: MailKind
  language: MailLanguage
  /** The title of the site. */
  site: string
  /** Left out for an address that is not verified: a stranger's text would make us a relay of spam. */
  user?: string
  link?: { address: string; milliseconds: number }
}

/** A longer name is cut, in the mail only. */
const MAX_NAME_CHARACTERS = 60

/**
 * Writes a mail, as text and as HTML. The link stands once in each, in the text on a line of its
 * own. Nothing is loaded from anywhere.
 */
export function composeMail({ to, kind, language, site, user, link }: MailContent): Message {
  const text = MAIL_TEXTS[language][kind]
  const named = {
    site: shortened(site),
    user: shortened(user ?? ''),
    lifetime: link === undefined ? '' : LIFETIME_TEXTS[language](link.milliseconds),
  }
  const before = text.before(named)
  const after = text.after(named)
  const ofLink = link === undefined ? [] : [link.address]
  const paragraphs = before.map(paragraph)
  const button =
    link === undefined
      ? []
      : [`<p><a href="${escaped(link.address)}">${escaped(text.link ?? link.address)}</a></p>`]
  const body = [...paragraphs, ...button, ...after.map(paragraph)].join('\n')
  const lang = language === 'zh' ? 'zh-Hans' : 'en'
  return {
    to,
    subject: text.subject(named),
    text: `${[...before, ...ofLink, ...after].join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="${lang}">\n<meta charset="utf-8">\n<body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">\n${body}\n</body>\n</html>\n`,
  }
}

function paragraph(text: string): string {
  return `<p>${escaped(text)}</p>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** One line without control characters, and without what mail programs make a link of. */
function shortened(name: string): string {
  const characters = Array.from(visible(name))
  return characters.length <= MAX_NAME_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…`
}
