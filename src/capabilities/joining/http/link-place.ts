import type { AppContext } from '../../../web/http/context.ts'
import { languageOf } from '../../../web/http/language.ts'

/** Where links that are handed over lead: what the operator has set, or where the operator is. */
export function linkPlaceOf(c: AppContext) {
  const site = c.get('deps').siteAddress() ?? new URL(c.req.url).origin
  return { site, language: languageOf(c) }
}
