import type { AppContext } from '../../http/context.ts'
import { bestLanguage } from '../../http/accepted-language.ts'
import { MAIL_LANGUAGES, type MailLanguage } from '../../mail/texts.ts'

/** Returns the language of a mail that a request causes. */
export function mailLanguageOf(c: AppContext): MailLanguage {
  return bestLanguage(c.req.header('Accept-Language') ?? '', MAIL_LANGUAGES)
}
