import * as v from 'valibot'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { App, AppContext } from '../../../web/http/context.ts'
import { getHasEffect } from '../../../web/http/http-methods.ts'
import { SSO_PLATFORMS } from '../../../core/base/sso-platforms.ts'
import { providerIdOf, providerSchema, type SsoConfig } from '../config.ts'
import { provenCookie } from './proven-cookie.ts'
import type { ProvenIdentity } from '../../../core/access/identities.ts'

const LIFETIME_SECONDS = 5 * 60

export const identitySchema = v.object({
  issuer: v.string(),
  subject: v.string(),
  platform: v.picklist(SSO_PLATFORMS),
  name: v.string(),
  authTimeSeconds: v.optional(v.number()),
})

const storedSchema = v.object({ identity: identitySchema, provider: providerSchema })
const provenIdentityCookie = provenCookie(
  'sso-identity',
  'proven identity',
  LIFETIME_SECONDS,
  storedSchema,
)

/**
 * Remembers in the browser that its user has just signed in to an identity. Then `/api/me/update`
 * links it for a session of the same browser: a text alone, which a page of another site could send
 * to the stock client, links nothing.
 */
export async function saveProvenIdentity(
  c: AppContext,
  config: SsoConfig,
  identity: ProvenIdentity,
): Promise<void> {
  await provenIdentityCookie.save(c, { identity, provider: providerIdOf(config) })
}

export const clearProvenIdentity = provenIdentityCookie.clear

/** The identity that the provider in use now has proven in the last minutes, for `/api/me/update`. */
export const provenIdentity = {
  async read(c: AppContext): Promise<ProvenIdentity | undefined> {
    return (await provenIdentityCookie.read(c))?.identity
  },
  clear: clearProvenIdentity,
}

/** Forgets the identity at the end of a session: the next user of the browser may be somebody else. */
const forgetProvenIdentity = createMiddleware<App>(async function forgetProvenIdentity(c, next) {
  await next()
  clearProvenIdentity(c)
})

/** Stands before the routes of the sign-in, under `/api/auth`. */
export const signOutRoutes = new Hono<App>().get('/logout', getHasEffect, forgetProvenIdentity)
