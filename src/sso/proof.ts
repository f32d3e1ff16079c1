import * as v from 'valibot'
import { createMiddleware } from 'hono/factory'
import type { App, AppContext } from '../http/context.ts'
import { SSO_PLATFORMS } from '../base/sso-platforms.ts'
import { providerIdOf, providerSchema, type SsoConfig } from './config.ts'
import { provenCookie } from './proven-cookie.ts'
import type { ProvenIdentity } from './store.ts'

const LIFETIME_SECONDS = 5 * 60

export const identitySchema = v.object({
  issuer: v.string(),
  subject: v.string(),
  platform: v.picklist(SSO_PLATFORMS),
  name: v.string(),
  authTimeSeconds: v.optional(v.number()),
})

const proofSchema = v.object({ identity: identitySchema, provider: providerSchema })
const proofCookie = provenCookie('sso-proof', 'proven identity', LIFETIME_SECONDS, proofSchema)

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
  await proofCookie.save(c, { identity, provider: providerIdOf(config) })
}

/** @returns `undefined` when the provider that is in use now has proven nothing in the last minutes. */
export async function readProof(c: AppContext): Promise<ProvenIdentity | undefined> {
  return (await proofCookie.read(c))?.identity
}

export const clearProof = proofCookie.clear

/** Clears the proof at the end of a session: the next user of the browser may be somebody else. */
export const forgetProof = createMiddleware<App>(async function forgetProof(c, next) {
  await next()
  clearProof(c)
})
