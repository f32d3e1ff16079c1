import type { Language } from '../../core/base/language.ts'
import { visible } from '../../core/base/text.ts'
import { isoTime } from '../../core/base/time.ts'
import type { EmailText } from '../../core/deps.ts'
import type { MailSite } from './mail-site.ts'
import { MAIL_TEXTS, type MailKind } from './texts.ts'

/** A mail that is due. */
interface Mail {
  kind: MailKind
  /** The recipient. */
  address: string
  language: Language
  /** The name of the account. Kinds for addresses that are not verified never show it. */
  username: string
  /** Who has made the invitation; empty for the command line. */
  inviter?: string
  /** The secret of the link; empty for none. */
  secret: string
  /** When the link ends, or the account. Unix time, milliseconds. */
  expiresAt: number
  /** When happened what it tells; null for a mail that tells of no event. Unix time, milliseconds. */
  at: number | null
  /** Where it happened; empty where that is not told. */
  network: string
}

/** Names have up to 255 characters, and a subject is one line. */
const MAX_NAME_CHARACTERS = 60
/** It stands beside the name of the site. */
const MAX_INVITER_CHARACTERS = 32

/** The values of `lang`. */
const TAGS: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }
/** In which dates are written. */
const LOCALES: Record<Language, string> = { en: 'en-GB', zh: 'zh-CN' }

/**
 * Writes a mail in its language, as text and as HTML with the same content. Nothing in it is
 * remote. The link stands in the text on a line of its own, and in HTML as a button, with its
 * address below for people who want to see it, or whose program shows no buttons.
 *
 * @param title The name of the site; empty for none.
 */
export function writeMail(
  { kind, address: to, language, username, inviter = '', secret, expiresAt, at, network }: Mail,
  site: MailSite,
  title: string,
): Omit<EmailText, 'headers'> {
  const t = MAIL_TEXTS[language]
  const { subject, before, link: words, page, after } = t.mails[kind]
  const { host } = new URL(site.address)
  const named = {
    site: shortened(title) || host,
    host,
    user: shortened(username),
    inviter: shortened(inviter, MAX_INVITER_CHARACTERS),
    until: timeIn(language, expiresAt),
  }
  const address = page === undefined ? linkAddress(site.address, secret) : site.address + page
  const link = words === '' ? undefined : address
  const [first = '', ...others] = before(named)
  const happened = at === null ? [] : [t.happened(timeIn(language, at), network)]
  const parts = {
    before: [first, ...happened, ...others],
    after: after(named),
    footer: t.footer(named),
  }
  const lines = [...parts.before, ...(link === undefined ? [] : [link]), ...parts.after]
  return {
    to,
    from: site.from,
    subject: subject(named),
    text: [...lines, `-- \n${parts.footer}`].join('\n\n'),
    html: htmlOf({
      ...parts,
      site: named.site,
      link,
      words,
      address: t.address,
      subject: subject(named),
      language,
    }),
  }
}

/** Writes a time as people do, such as “5 December 2026, 20:24 UTC”. */
function timeIn(language: Language, time: number): string {
  const format = { dateStyle: 'long', timeZone: 'UTC' } as const
  const day = new Intl.DateTimeFormat(LOCALES[language], format).format(time)
  return MAIL_TEXTS[language].time(day, isoTime(time).slice(11, 16))
}

/** Returns the address of a link. @param secret 43 characters, base64url. */
export function linkAddress(site: string, secret: string): string {
  return `${site}/account/link/${secret}`
}

/** Shortens a name, and makes it harmless in a line of text. */
function shortened(name: string, maxCharacters = MAX_NAME_CHARACTERS): string {
  const characters = Array.from(visible(name))
  if (characters.length <= maxCharacters) return characters.join('')
  return `${characters.slice(0, maxCharacters).join('')}…`
}

interface HtmlParts {
  /** The name of the site, over the text as on its pages. */
  site: string
  subject: string
  before: string[]
  link: string | undefined
  words: string
  /** What stands before the address of the link. */
  address: string
  after: string[]
  footer: string
  language: Language
}

/** Colours for both schemes: many programs show a mail in a dark one. */
const FONT = 'font:16px/1.6 system-ui,-apple-system,sans-serif'
const HEAD =
  'margin:0 0 28px;padding:0 0 14px;border-bottom:3px solid #c9a24b;font-size:20px;font-weight:700'
const BUTTON =
  'display:inline-block;padding:12px 24px;border-radius:8px;background:#1f5fbf;color:#ffffff;text-decoration:none;font-weight:600'
const SMALL = 'margin:0 0 24px;font-size:13px;opacity:.75'
const FOOT =
  'margin:36px 0 0;padding:14px 0 0;border-top:1px solid rgba(128,128,128,.35);font-size:13px;opacity:.75'

function htmlOf({ site, subject, before, link, words, after, footer, ...props }: HtmlParts) {
  const { address, language } = props
  const button =
    link === undefined
      ? ''
      : `<p style="margin:24px 0"><a href="${escaped(link)}" style="${BUTTON}">${escaped(words)}</a></p>\n<p style="${SMALL}">${escaped(address)}<br><span style="overflow-wrap:anywhere">${escaped(link)}</span></p>\n`
  return `<!doctype html>
<html lang="${TAGS[language]}">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width">
<title>${escaped(subject)}</title>
</head>
<body style="margin:0;padding:28px 20px;${FONT}">
<div style="max-width:34em;margin:0 auto">
<p style="${HEAD}">${escaped(site)}</p>
${paragraphs(before)}${button}${paragraphs(after)}<p style="${FOOT}">${escaped(footer)}</p>
</div>
</body>
</html>
`
}

function paragraphs(lines: readonly string[]): string {
  return lines.map((line) => `<p>${escaped(line)}</p>\n`).join('')
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
