import { setCookie } from 'hono/cookie'
import type { Language } from '../../core/base/language.ts'
import { YEAR_SECONDS } from '../../core/base/time.ts'
import type { AppContext } from '../http/context.ts'
import { LANGUAGE_COOKIE } from '../http/language.ts'
import { en, type Texts } from './texts/en.ts'
import { zh } from './texts/zh.ts'

export { acceptedLanguage, isLanguage, type Language, LANGUAGES } from '../../core/base/language.ts'
export { LANGUAGE_COOKIE, languageOf } from '../http/language.ts'

export const TEXTS = { en, zh } satisfies Record<Language, Texts>

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
