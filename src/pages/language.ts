import { getCookie, setCookie } from 'hono/cookie'
import { bestLanguage } from '../http/accepted-language.ts'
import type { AppContext } from '../http/context.ts'
import { en, type Texts } from './texts/en.ts'
import { zh } from './texts/zh.ts'

export const TEXTS = { en, zh } satisfies Record<string, Texts>
export type Language = keyof typeof TEXTS

export const LANGUAGES = Object.keys(TEXTS).filter(isLanguage)

/** Values of the `lang` attribute. */
export const LANGUAGE_TAGS: Record<Language, string> = { en: 'en', zh: 'zh-Hans' }

export const LANGUAGE_COOKIE = 'language'
const YEAR_SECONDS = 365 * 24 * 60 * 60

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(TEXTS, text)
}

/** Returns the language of the cookie, or else the one that the browser prefers. */
export function languageOf(c: AppContext): Language {
  const chosen = getCookie(c, LANGUAGE_COOKIE) ?? ''
  return isLanguage(chosen) ? chosen : acceptedLanguage(c.req.header('Accept-Language') ?? '')
}

export function rememberLanguage(c: AppContext, language: Language): void {
  setCookie(c, LANGUAGE_COOKIE, language, {
    path: '/',
    maxAge: YEAR_SECONDS,
    httpOnly: true,
    secure: c.req.url.startsWith('https:'),
    sameSite: 'Lax',
  })
}

/** Finds the supported language with the highest weight; English when there is none. */
export function acceptedLanguage(header: string): Language {
  return bestLanguage(header, ['en', 'zh'])
}
