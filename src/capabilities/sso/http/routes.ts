import { Hono, type MiddlewareHandler } from 'hono'
import * as v from 'valibot'
import { acceptsPages } from '../../../web/http/accepts.ts'
import { clientOf } from '../../../web/http/client.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { query } from '../../../web/http/input.ts'
import { isFromPageHere } from '../../../web/http/page-here.ts'
import { hasClientHere } from '../../../web/http/session-cookie.ts'
import { logError } from '../../../core/database/log.ts'
import { getHasEffect } from '../../../web/http/http-methods.ts'
import { own } from '../../../core/access/subject.ts'
import { Refusal, refusalIn } from '../../../core/base/refusals.ts'
import { possiblyEmptyText } from '../../../core/base/text.ts'
import { chargeRequest } from '../../../core/throttle/requests.ts'
import { passGate } from '../../../core/throttle/gate.ts'
import { askWho, type Attempt, openAttempt, type Purpose, useUpState } from '../attempt.ts'
import { checkUser } from '../checked-user.ts'
import { readSsoConfig, type SsoConfig } from '../config.ts'
import { clearSsoCookie, readSsoCookie } from './cookies.ts'
import { goToProvider, redirectUriOf, type SsoMethod } from './go-to-provider.ts'
import { linkIdentity } from '../manage.ts'
import { saveProvenIdentity } from './proven-identity.ts'
import type { ProviderUser } from '../provider-types.ts'
import { logSsoRefusal } from '../reasons.ts'
import { signInWithIdentity, type Unfinished } from '../sign-in.ts'

const PURPOSES = {
  sso_get_token: { kind: 'token' },
  get_sso_id: { kind: 'id' },
} as const satisfies Record<SsoMethod, Purpose>

/** Where a token goes. */
export interface Destination {
  /**
   * To the page that opened the window, to an address of the stock client, or into the cookie of
   * our pages.
   */
  answer: 'message' | 'address' | 'cookie'
  /** The page after the sign-in, for the cookie. */
  next: string
}

/** How the routes answer browsers. The pages stand on a higher floor (`pages/sso/answers.tsx`). */
export interface SsoPages {
  headers: MiddlewareHandler<App>
  giveToken: (c: AppContext, token: string, to: Destination) => Response | Promise<Response>
  /** Gives a proven `sso_id` to the page that opened the window. */
  giveSsoId: (c: AppContext, ssoId: string) => Response | Promise<Response>
  /** Asks for the second factor, or for the account that the identity belongs to. */
  askFurther: (c: AppContext, outcome: Unfinished, to: Destination) => Promise<Response>
  showLinked: (c: AppContext) => Response | Promise<Response>
  showFailed: (c: AppContext, refusal: Refusal) => Response | Promise<Response>
}

const parameter = v.optional(possiblyEmptyText(), '')
const methodQuery = v.object({ method: parameter })
/** The parameters that a provider adds to a redirect URI; the library reads the address itself. */
const answerQuery = v.object({ code: parameter, state: parameter, error: parameter })
const callbackQuery = v.object({ ...methodQuery.entries, ...answerQuery.entries })

/** Routes for single sign-on as OpenList's clients call them, under `/api/auth`. */
export function createSsoRoutes(pages: SsoPages): Hono<App> {
  const { headers } = pages
  return new Hono<App>()
    .get('/sso', getHasEffect, headers, query(methodQuery), async (c) => {
      const method = methodIn(c.req.valid('query').method)
      if (method === 'sso_get_token' && hasClientHere(c)) return goToSignIn(c)
      const purpose = PURPOSES[method]
      return c.redirect((await goToProvider(c, purpose)).href)
    })
    .get('/sso_callback', getHasEffect, headers, query(callbackQuery), (c) => {
      const method = methodIn(c.req.valid('query').method)
      return comeBack(c, redirectUriOf(c, method, false), pages)
    })
    .get('/sso_get_token', getHasEffect, headers, query(answerQuery), (c) =>
      comeBack(c, redirectUriOf(c, 'sso_get_token', true), pages),
    )
    .get('/get_sso_id', getHasEffect, headers, query(answerQuery), (c) =>
      comeBack(c, redirectUriOf(c, 'get_sso_id', true), pages),
    )
    .onError((error, c) => {
      // Programs get the envelope of every other route.
      if (!acceptsPages(c)) throw error
      const refusal = refusalIn(error)
      if (refusal.code >= 500) logError(error, { id: c.get('requestId'), path: c.req.path })
      return pages.showFailed(c, refusal)
    })
}

/**
 * Leads to the sign-in page of the account, behind which the web client gets no token. Only a page
 * here begins a sign-in at the provider.
 */
function goToSignIn(c: AppContext): Response {
  const isAccountHere = c.get('deps').fileServer()?.host === undefined
  const path = isAccountHere && isFromPageHere(c) ? '/account/sign-in/sso' : '/@login'
  return c.redirect(path, 303)
}

/** @throws {Refusal} `ssoNoMethod`. */
function methodIn(method: string): SsoMethod {
  if (method === 'sso_get_token' || method === 'get_sso_id') return method
  throw new Refusal('ssoNoMethod')
}

/** Answers the browser that comes back from the provider. */
async function comeBack(c: AppContext, redirectUri: string, pages: SsoPages): Promise<Response> {
  const deps = c.get('deps')
  const client = clientOf(c)
  const config = await readSsoConfig(deps)
  await passGate(deps, client)
  const { attempt, user } = await askForUser(c, config, redirectUri).catch((error: unknown) => {
    throw logSsoRefusal(error, client)
  })
  return follow(c, config, attempt, user, pages)
}

async function askForUser(c: AppContext, config: SsoConfig, redirectUri: string) {
  const deps = c.get('deps')
  const text = readSsoCookie(c, 'sso')
  clearSsoCookie(c, 'sso')
  const answer = new URL(c.req.url).searchParams
  answer.delete('method')
  const attempt = await openAttempt(deps, config, { redirectUri, answer, text })
  return { attempt, user: checkUser(await askWho(deps, config, attempt, answer), deps.now()) }
}

/** Does what the sign-in at the provider was for. */
async function follow(
  c: AppContext,
  config: SsoConfig,
  attempt: Attempt,
  user: ProviderUser,
  pages: SsoPages,
): Promise<Response> {
  const deps = c.get('deps')
  const client = clientOf(c)
  const { issuer, subject, name } = user
  const identity = { issuer, subject, name, platform: config.platform }
  const { purpose } = attempt
  if (purpose.kind === 'link') {
    await useUpState(deps, attempt, client)
    await linkIdentity(deps, own({ ...purpose, ...client }), identity)
    return pages.showLinked(c)
  }
  if (purpose.kind === 'id') {
    await chargeRequest(deps, 'stranger', client)
    await useUpState(deps, attempt, client)
    await saveProvenIdentity(c, config, identity)
    if (!config.isCompatible) return pages.giveSsoId(c, subject)
    return c.redirect(`/@manage?sso_id=${encodeURIComponent(subject)}`)
  }
  // It has begun before the site had a file server.
  if (purpose.kind === 'token' && hasClientHere(c)) return c.redirect('/@login', 303)
  const outcome = await signInWithIdentity(deps, config, attempt, user, client)
  const isOurs = purpose.kind === 'sign-in'
  const to: Destination = {
    answer: isOurs ? 'cookie' : config.isCompatible ? 'address' : 'message',
    next: isOurs ? purpose.next : '',
  }
  return 'token' in outcome
    ? pages.giveToken(c, outcome.token, to)
    : pages.askFurther(c, outcome, to)
}
