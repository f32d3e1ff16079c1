import { getCookie } from 'hono/cookie'
import { acceptedLanguage, isLanguage, type Language } from '../../core/base/language.ts'
import type { AppContext } from './context.ts'

export const LANGUAGE_COOKIE = 'language'

/** Returns the language of the cookie, or else the one that the browser prefers. */
export function languageOf(c: AppContext): Language {
  const chosen = getCookie(c, LANGUAGE_COOKIE) ?? ''
  return isLanguage(chosen) ? chosen : acceptedLanguage(c.req.header('Accept-Language') ?? '')
}
