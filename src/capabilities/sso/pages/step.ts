import * as v from 'valibot'
import { providerSchema } from '../config.ts'
import { identitySchema } from '../http/proven-identity.ts'
import { provenCookie } from '../http/proven-cookie.ts'

const LIFETIME_SECONDS = 10 * 60

const stepSchema = v.object({
  identity: identitySchema,
  provider: providerSchema,
  missing: v.picklist(['factor', 'link']),
  /**
   * Where the token goes: to the page that opened this window, to an address of the stock client,
   * or into our cookie.
   */
  answer: v.picklist(['message', 'address', 'cookie']),
  /** The page after the sign-in, for our cookie. */
  next: v.string(),
})

/** A sign-in that the provider has confirmed, and that lacks a second factor or a link. */
export type Step = v.InferOutput<typeof stepSchema>

/** The cookie of a step, while its provider is in use. */
export const stepCookie = provenCookie(
  'sso-step',
  'single sign-on step',
  LIFETIME_SECONDS,
  stepSchema,
)
