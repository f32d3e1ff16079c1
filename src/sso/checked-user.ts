import * as v from 'valibot'
import { ssoIdSchema } from '../accounts/fields.ts'
import { visible } from '../base/text.ts'
import type { ProviderUser } from './provider.ts'
import { SsoError } from './reasons.ts'

/** Longer than any name that pages and events have room for. */
const MAX_NAME_CHARACTERS = 255

/**
 * At most 255 characters. Texts that are no Unicode are refused, because all of them would be
 * stored as the same text.
 *
 * @see OpenID Connect Core 1.0 section 2, `sub`
 */
const subjectSchema = v.pipe(ssoIdSchema, v.minLength(1))

/**
 * Checks the id that a provider has given its user, and makes the name short and harmless, for
 * pages, events, cookies and logs.
 *
 * @throws {SsoError} `answer`.
 */
export function checkUser(user: ProviderUser): ProviderUser {
  if (!v.is(subjectSchema, user.subject)) throw new SsoError('answer', 'subject')
  const characters = Array.from(user.name.toWellFormed().trim())
  return { ...user, name: visible(characters.slice(0, MAX_NAME_CHARACTERS).join('')) }
}
