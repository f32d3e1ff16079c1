import { Hono } from 'hono'
import * as v from 'valibot'
import { clientOf } from '../../http/client.ts'
import type { App, AppContext } from '../../http/context.ts'
import { query } from '../../http/input.ts'
import { logError } from '../../http/log.ts'
import { Refusal, refusalIn } from '../../base/refusals.ts'
import { possiblyEmptyText } from '../../base/text.ts'
import {
  askWho,
  type Attempt,
  attemptText,
  beginAttempt,
  openAttempt,
  type Purpose,
} from '../../sso/attempt.ts'
import { readSsoConfig, type SsoConfig } from '../../sso/config.ts'
import { clearSsoCookie, readSsoCookie, setSsoCookie } from '../../sso/cookies.ts'
import { linkIdentity } from '../../sso/manage.ts'
import { saveProof } from '../../sso/proof.ts'
import type { ProviderUser } from '../../sso/provider.ts'
import { logSsoRefusal } from '../../sso/reasons.ts'
import { signInWithIdentity } from '../../sso/sign-in.ts'
import { passGate } from '../../throttle/throttle.ts'
import { acceptsPages } from '../accepts.ts'
import { pageHeaders } from '../headers.ts'
import { goTo } from '../view.ts'
import { giveToken, leadTo, showFailedSso, showMessage } from './answers.tsx'
import { saveStep } from './step.ts'

/** The methods of the stock client: for its sign-in page, and for its profile. */
const METHODS = { sso_get_token: 'token', get_sso_id: 'id' } as const

type Method = keyof typeof METHODS

const methodQuery = v.object({ method: v.optional(possiblyEmptyText(), '') })

/** Routes for single sign-on as OpenList's clients call them, under `/api/auth`. */
export const ssoRoutes = new Hono<App>()
  .get('/sso', pageHeaders, query(methodQuery), async (c) => {
    const method = methodIn(c.req.valid('query').method)
    return c.redirect((await goToProvider(c, { kind: METHODS[method] })).href)
  })
  .get('/sso_callback', pageHeaders, query(methodQuery), (c) =>
    comeBack(c, redirectUriOf(c, methodIn(c.req.valid('query').method), false)),
  )
  .get('/sso_get_token', pageHeaders, (c) => comeBack(c, redirectUriOf(c, 'sso_get_token', true)))
  .get('/get_sso_id', pageHeaders, (c) => comeBack(c, redirectUriOf(c, 'get_sso_id', true)))
  .onError((error, c) => {
    const refusal = refusalIn(error)
    // Programs get the envelope of every other route.
    if (!acceptsPages(c)) throw error
    if (refusal.code >= 500) logError(error, { id: c.get('requestId'), path: c.req.path })
    return showFailedSso(c, refusal)
  })

/** @throws {Refusal} `ssoNoMethod`. */
function methodIn(method: string): Method {
  if (method === 'sso_get_token' || method === 'get_sso_id') return method
  throw new Refusal('ssoNoMethod')
}

/** Returns an address that the operator has registered at the provider. */
export function redirectUriOf(c: AppContext, method: Method, isCompatible: boolean): string {
  return new URL(pathOfCallback(method, isCompatible), c.req.url).href
}

function pathOfCallback(method: Method, isCompatible: boolean): string {
  return isCompatible ? `/api/auth/${method}` : `/api/auth/sso_callback?method=${method}`
}

/**
 * Begins a sign-in at the provider and sets its cookie.
 *
 * @returns The address for the browser.
 * @throws {Refusal} `ssoOff`, `ssoPlatformInvalid`, `ssoUnavailable`, `tooManyAttempts`.
 */
export async function goToProvider(c: AppContext, purpose: Purpose): Promise<URL> {
  const deps = c.get('deps')
  const client = clientOf(c)
  const config = await readSsoConfig(deps)
  // Each beginning asks the provider, so a stranger must not begin many.
  await passGate(deps, client)
  const isBinding = purpose.kind === 'id' || purpose.kind === 'link'
  const method = isBinding ? 'get_sso_id' : 'sso_get_token'
  const redirectUri = redirectUriOf(c, method, config.isCompatible)
  try {
    const { url, text } = await beginAttempt(deps, config, redirectUri, purpose)
    setSsoCookie(c, 'sso', text, attemptText.seconds)
    return url
  } catch (error) {
    throw logSsoRefusal(error, client)
  }
}

/** Answers the browser that comes back from the provider. */
async function comeBack(c: AppContext, redirectUri: string): Promise<Response> {
  const deps = c.get('deps')
  const client = clientOf(c)
  const config = await readSsoConfig(deps)
  await passGate(deps, client)
  const { attempt, user } = await askForUser(c, config, redirectUri).catch((error: unknown) => {
    throw logSsoRefusal(error, client)
  })
  return follow(c, config, attempt, user)
}

async function askForUser(c: AppContext, config: SsoConfig, redirectUri: string) {
  const deps = c.get('deps')
  const text = readSsoCookie(c, 'sso')
  clearSsoCookie(c, 'sso')
  const answer = new URL(c.req.url).searchParams
  answer.delete('method')
  const attempt = await openAttempt(deps, config, { redirectUri, answer, text })
  return { attempt, user: await askWho(deps, config, attempt, answer) }
}

/** Does what the sign-in at the provider was for. */
async function follow(
  c: AppContext,
  config: SsoConfig,
  { purpose }: Attempt,
  user: ProviderUser,
): Promise<Response> {
  const deps = c.get('deps')
  const client = clientOf(c)
  const { issuer, subject, name } = user
  const identity = { issuer, subject, name, platform: config.platform }
  if (purpose.kind === 'link') {
    await linkIdentity(deps, { ...purpose, ...client }, identity)
    return leadTo(c, '/account/security?done=identity-linked')
  }
  if (purpose.kind === 'id') {
    await saveProof(c, identity)
    if (!config.isCompatible) return showMessage(c, { sso_id: subject })
    return c.redirect(`/@manage?sso_id=${encodeURIComponent(subject)}`)
  }
  const outcome = await signInWithIdentity(deps, config, user, client)
  const isOurs = purpose.kind === 'sign-in'
  const stock = config.isCompatible ? ('address' as const) : ('message' as const)
  const answer = isOurs ? ('cookie' as const) : stock
  const next = isOurs ? purpose.next : ''
  if ('token' in outcome) return giveToken(c, outcome.token, { answer, next })
  await saveStep(c, { ...outcome, answer, next })
  return goTo(c, '/account/sign-in/sso/step')
}
