import * as v from 'valibot'
import { PROVIDER_TOLERANCE_SECONDS } from '../../core/access/sign-in-methods.ts'
import { ssoIdSchema } from '../../core/accounts/fields.ts'
import { visible } from '../../core/base/text.ts'
import type { ProviderUser } from './provider-types.ts'
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
 * pages, events, cookies and logs. A sign-in that lies ahead or before 1970 has no known time.
 *
 * @param now Unix time, milliseconds.
 * @throws {SsoError} `answer`.
 */
export function checkUser(user: ProviderUser, now: number): ProviderUser {
  if (!v.is(subjectSchema, user.subject)) throw new SsoError('answer', 'subject')
  const characters = Array.from(user.name.toWellFormed().trim())
  return {
    ...user,
    name: visible(characters.slice(0, MAX_NAME_CHARACTERS).join('')),
    authTimeSeconds: pastTime(user.authTimeSeconds, Math.floor(now / 1000)),
  }
}

function pastTime(seconds: number | undefined, nowSeconds: number): number | undefined {
  if (seconds === undefined || seconds < 0) return undefined
  return seconds > nowSeconds + PROVIDER_TOLERANCE_SECONDS
    ? undefined
    : Math.min(seconds, nowSeconds)
}
