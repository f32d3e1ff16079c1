import { setCookie } from 'hono/cookie'
import type { Language } from '../../core/base/language.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { YEAR_SECONDS } from '../../core/base/time.ts'
import type { AppContext } from '../http/context.ts'
import { LANGUAGE_COOKIE } from '../http/language.ts'
import type { Texts } from './texts.ts'

export { acceptedLanguage, isLanguage, type Language, LANGUAGES } from '../../core/base/language.ts'
export { LANGUAGE_COOKIE, languageOf } from '../http/language.ts'

/** The name of each language in itself. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', zh: '简体中文' }

declare module '../http/context.ts' {
  interface Variables {
    /** In the language of the visitor; set where a page may be shown. */
    texts?: Texts
  }
}

/**
 * Returns the texts in the language of the visitor.
 *
 * @throws {Refusal} `unavailable` when they could not be loaded.
 */
export function textsFor(c: AppContext): Texts {
  const texts = c.get('texts')
  if (texts === undefined) throw new Refusal('unavailable')
  return texts
}

/** Values of the `lang` attribute. */
export const LANGUAGE_TAGS: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

export function rememberLanguage(c: AppContext, language: Language): void {
  setCookie(c, LANGUAGE_COOKIE, language, {
    path: '/',
    maxAge: YEAR_SECONDS,
    httpOnly: true,
    secure: c.req.url.startsWith('https:'),
    sameSite: 'Lax',
  })
}
