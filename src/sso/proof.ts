import * as v from 'valibot'
import { createMiddleware } from 'hono/factory'
import type { App, AppContext } from '../http/context.ts'
import { SSO_PLATFORMS } from '../base/sso-platforms.ts'
import { isInUse, providerIdOf, providerSchema, type SsoConfig } from './config.ts'
import { clearSsoCookie, readSsoCookie, setSsoCookie } from './cookies.ts'
import { sealedText } from '../crypto/sealed-text.ts'
import type { ProvenIdentity } from './store.ts'

const LIFETIME_SECONDS = 5 * 60

export const identitySchema = v.object({
  issuer: v.string(),
  subject: v.string(),
  platform: v.picklist(SSO_PLATFORMS),
  name: v.string(),
})

const proofSchema = v.object({ identity: identitySchema, provider: providerSchema })
const proofText = sealedText('proven identity', LIFETIME_SECONDS, proofSchema)

/**
 * Remembers in the browser that its user has just signed in to an identity. Then `/api/me/update`
 * links it for a session of the same browser: a text alone, which a page of another site could send
 * to the stock client, links nothing.
 */
export async function saveProof(
  c: AppContext,
  config: SsoConfig,
  identity: ProvenIdentity,
): Promise<void> {
  const text = await proofText.seal(c.get('deps'), { identity, provider: providerIdOf(config) })
  setSsoCookie(c, 'sso-proof', text, LIFETIME_SECONDS)
}

/** @returns `undefined` when the provider that is in use now has proven nothing in the last minutes. */
export async function readProof(c: AppContext): Promise<ProvenIdentity | undefined> {
  const text = readSsoCookie(c, 'sso-proof')
  if (text === '') return undefined
  const proof = await proofText.open(c.get('deps'), text)
  if (proof === undefined || proof === 'expired') return undefined
  return (await isInUse(c.get('deps'), proof.provider)) ? proof.identity : undefined
}

export function clearProof(c: AppContext): void {
  clearSsoCookie(c, 'sso-proof')
}

/** Clears the proof at the end of a session: the next user of the browser may be somebody else. */
export const forgetProof = createMiddleware<App>(async function forgetProof(c, next) {
  await next()
  clearProof(c)
})
