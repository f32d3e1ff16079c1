import * as v from 'valibot'
import type { AppContext } from '../../http/context.ts'
import { isInUse, providerSchema } from '../../sso/config.ts'
import { clearSsoCookie, readSsoCookie, setSsoCookie } from '../../sso/cookies.ts'
import { identitySchema } from '../../sso/proof.ts'
import { sealedText } from '../../crypto/sealed-text.ts'

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

const stepText = sealedText('single sign-on step', LIFETIME_SECONDS, stepSchema)

export async function saveStep(c: AppContext, step: Step): Promise<void> {
  setSsoCookie(c, 'sso-step', await stepText.seal(c.get('deps'), step), LIFETIME_SECONDS)
}

/**
 * @returns `undefined` when there is no such sign-in, it has expired, or the operator has turned
 *   single sign-on off or changed the provider since.
 */
export async function readStep(c: AppContext): Promise<Step | undefined> {
  const text = readSsoCookie(c, 'sso-step')
  if (text === '') return undefined
  const step = await stepText.open(c.get('deps'), text)
  if (step === undefined || step === 'expired') return undefined
  return (await isInUse(c.get('deps'), step.provider)) ? step : undefined
}

export function clearStep(c: AppContext): void {
  clearSsoCookie(c, 'sso-step')
}
