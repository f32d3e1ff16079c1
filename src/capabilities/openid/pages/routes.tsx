import { Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import { clientOf } from '../../../web/http/client.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { getHasEffect } from '../../../web/http/http-methods.ts'
import { methodText } from '../../../core/access/sign-in-methods.ts'
import { Refusal, refusalIn } from '../../../core/base/refusals.ts'
import { endSessionBy, logout } from '../../sign-in/sign-out.ts'
import {
  type AuthorizationRequest,
  parseAuthorizationRequest,
  type Sender,
  wholeQuery,
} from '../authorization-request.ts'
import { type Answer, answerUri, answerValues } from '../answer-uri.ts'
import { authorize, findSender, type Outcome } from '../authorize.ts'
import { readEndRequest } from '../end-session.ts'
import { OAuthError } from '../oauth-error.ts'
import { queryAfterProof, queryFromNow } from '../proof.ts'
import {
  isFormType,
  type Parameters as Given,
  readFormParameters,
  readParameters,
} from '../parameters.ts'
import { proveAgainWith } from '../../../web/kit/confirm.tsx'
import { attempt, type Fields, problemOf, readForm } from '../../../web/kit/form.ts'
import { pageHeaders } from '../../../web/kit/headers.ts'
import { acceptedLanguage, LANGUAGE_COOKIE, rememberLanguage } from '../../../web/kit/language.ts'
import { showContinue, showFormPost } from '../../../web/kit/problem-page.tsx'
import { sameOrigin } from '../../../web/kit/same-origin.ts'
import { isSessionOver } from '../../../web/kit/session-over.ts'
import { isFromAnotherSite } from '../../../web/http/page-here.ts'
import { sessionToken } from '../../../web/http/session-cookie.ts'
import { clearSessionToken, readSession } from '../../sign-in/pages/session-cookie.ts'
import { signInPath } from '../../sign-in/pages/next.ts'
import { goTo, readView, showPage, pageSourceOf } from '../../../web/kit/view.ts'
import { ConfirmPage, ConsentPage, EndedPage, EndPage, UntrustedPage } from './pages.tsx'

const PATH = '/oauth/authorize'
const END_PATH = '/oauth/end_session'

/**
 * The pages of the authorization endpoint. An answer to a form goes on from a page, because
 * `form-action` stops a form that ends at another site.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AuthorizationEndpoint
 */
export const authorizePages = new Hono<App>()
  .use(pageHeaders)
  .get('/', getHasEffect, async (c) => {
    const parsed = parseAuthorizationRequest(new URL(c.req.url).searchParams)
    if (parsed.sender === undefined) return showUntrusted(c)
    if (parsed.error !== undefined) {
      const client = await findSender(c.get('deps'), issuerOf(c), parsed.sender)
      if (client === undefined) return showUntrusted(c)
      return sendAnswer(c, parsed.sender, parsed.error)
    }
    chooseLanguage(c)
    return answer(c, parsed.request)
  })
  .post('/', async (c) => {
    const isForm = isFormType(c.req.header('Content-Type'))
    const body = isForm ? new TextDecoder().decode(await c.req.arrayBuffer()) : ''
    const params = new URLSearchParams(body)
    if (parseAuthorizationRequest(params).sender === undefined) return showUntrusted(c)
    return c.redirect(`${PATH}?${params.toString()}`, 303)
  })
  .post('/consent', sameOrigin, async (c) => {
    const fields = await readForm(c)
    const request = readRequest(fields)
    if (request === undefined) return showUntrusted(c)
    const actor = await readSession(c)
    if (fields['user'] !== String(actor.userId)) return goTo(c, pathOf(wholeQuery(request)))
    if (fields['answer'] === 'allow') return answer(c, request, true)
    const client = await findSender(c.get('deps'), issuerOf(c), request)
    if (client === undefined) return showUntrusted(c)
    const denied = new OAuthError('access_denied', 'the user has not allowed this')
    return sendAnswer(c, request, denied, true)
  })
  .post('/confirm', sameOrigin, async (c) => {
    const fields = await readForm(c)
    const request = readRequest(fields)
    if (request === undefined) return showUntrusted(c)
    const actor = await readSession(c)
    if (fields['user'] !== String(actor.userId)) return goTo(c, pathOf(wholeQuery(request)))
    const shown = await attempt(() => proveAgainWith(c, fields))
    if (shown instanceof Refusal) return answer(c, request, false, shown)
    const query = await queryAfterProof(c.get('deps'), request, actor, methodText(shown))
    return showContinue(c, pathOf(query))
  })
  .post('/switch', sameOrigin, async (c) => {
    const request = readRequest(await readForm(c))
    if (request === undefined) return showUntrusted(c)
    await logout(c.get('deps'), sessionToken(c), clientOf(c))
    await clearSessionToken(c)
    return goTo(c, signInPath(pathOf(await queryFromNow(c.get('deps'), request))))
  })
  .onError((error, c) => pageSourceOf(c).showFailure(error, c))

function pathOf(query: string): string {
  return `${PATH}?${query}`
}

function issuerOf(c: AppContext): string {
  return c.get('deps').issuer(c.req.url)
}

/** Uses the language that the program asks for, unless the visitor has chosen one. */
function chooseLanguage(c: AppContext): void {
  const locales = c.req.query('ui_locales')
  if (!locales || getCookie(c, LANGUAGE_COOKIE) !== undefined) return
  rememberLanguage(c, acceptedLanguage(locales.replaceAll(' ', ',')))
}

function readRequest({ request = '' }: Fields): AuthorizationRequest | undefined {
  const parsed = parseAuthorizationRequest(new URLSearchParams(request))
  return parsed.sender !== undefined && parsed.error === undefined ? parsed.request : undefined
}

/**
 * @param hasConsented The user has just allowed it, in a form.
 * @param refusal Why the form to confirm was refused.
 */
async function answer(
  c: AppContext,
  request: AuthorizationRequest,
  hasConsented = false,
  refusal?: Refusal,
) {
  const send: Send = (what) => sendAnswer(c, request, what, hasConsented)
  try {
    if (sessionToken(c) === '' && isFromAnotherSite(c))
      return await showContinue(c, pathOf(wholeQuery(request)))
    const actor = await readSession(c)
    const outcome = await authorize(c.get('deps'), actor, issuerOf(c), request, hasConsented)
    if (outcome === undefined) return await showUntrusted(c)
    if (outcome.kind === 'code') return await send(outcome)
    return await ask(c, request, outcome, refusal)
  } catch (error) {
    return error instanceof OAuthError ? send(error) : answerWithoutUser(c, request, error, send)
  }
}

type Send = (what: Answer) => Promise<Response>

/** Sends an answer to a program; after a form, through a page. */
async function sendAnswer(c: AppContext, sender: Sender, what: Answer, isAfterForm = false) {
  if (sender.byForm)
    return showFormPost(c, sender.redirectUri, answerValues(sender, issuerOf(c), what))
  const uri = answerUri(sender, issuerOf(c), what)
  return isAfterForm ? showContinue(c, uri) : c.redirect(uri)
}

/**
 * Answers when nobody is signed in, or the user lacks a second factor. A program that allows no
 * page gets an error; otherwise the page of the sign-in is shown.
 *
 * @throws `error`, when it means something else, or when the page of the refusal says what to do.
 */
async function answerWithoutUser(
  c: AppContext,
  request: AuthorizationRequest,
  error: unknown,
  send: Send,
) {
  const stopped = refusalIn(error)
  const isOver = isSessionOver(stopped)
  const lacksFactor = stopped.refusal.startsWith('secondFactor')
  if (!isOver && !lacksFactor) throw error
  if ((await findSender(c.get('deps'), issuerOf(c), request)) === undefined) return showUntrusted(c)
  if (request.prompts.includes('none'))
    return send(
      isOver
        ? new OAuthError('login_required', 'nobody is signed in')
        : new OAuthError('interaction_required', 'the user must use a second factor'),
    )
  if (lacksFactor) throw error
  if (sessionToken(c) !== '') await clearSessionToken(c)
  return goTo(c, signInPath(pathOf(await queryFromNow(c.get('deps'), request))))
}

type Question = Exclude<Outcome, { kind: 'code' }>

async function ask(
  c: AppContext,
  request: AuthorizationRequest,
  { kind, client, account, canConfirm }: Question,
  refusal: Refusal | undefined,
) {
  if (kind === 'consent') {
    const view = await readView(c, account)
    return showPage(c, <ConsentPage view={view} client={client} request={request} />)
  }
  // The page asks like for a session that is not fresh, even when the user has just signed in.
  const stale = { ...account, provenAt: 0, factorState: 'unused' as const }
  const view = { ...(await readView(c, stale)), isFresh: false }
  const problem = refusal && problemOf(view.t, refusal)
  const props = { view, client, request, canConfirm, problem }
  const why = canConfirm ? refusal : new Refusal('confirmationNeeded')
  return showPage(c, <ConfirmPage {...props} />, why)
}

async function showUntrusted(c: AppContext) {
  const view = await readView(c)
  return showPage(c, <UntrustedPage view={view} />, new Refusal('requestInvalid'))
}

/** @see https://openid.net/specs/openid-connect-rpinitiated-1_0.html */
export const endSessionPages = new Hono<App>()
  .use(pageHeaders)
  .get('/', getHasEffect, (c) =>
    endSession(c, readParameters(new URL(c.req.url).searchParams).values),
  )
  .post('/', async (c) => endSession(c, await readFormParameters(c.req)))
  .post('/confirm', sameOrigin, async (c) => {
    const { returnTo } = await readEnd(c, await readForm(c))
    await logout(c.get('deps'), sessionToken(c), clientOf(c))
    await clearSessionToken(c)
    if (returnTo !== undefined) return showContinue(c, returnTo)
    return showPage(c, <EndedPage view={await readView(c)} />)
  })
  .onError((error, c) =>
    error instanceof OAuthError ? showUntrusted(c) : pageSourceOf(c).showFailure(error, c),
  )

function readEnd(c: AppContext, parameters: Given) {
  return readEndRequest(c.get('deps'), issuerOf(c), parameters)
}

/**
 * Ends the session of this browser when an ID token of it says so, and asks in every other case.
 * The session of another browser never ends here.
 */
async function endSession(c: AppContext, parameters: Given) {
  const { client, session, returnTo } = await readEnd(c, parameters)
  const hasCookie = sessionToken(c) !== ''
  if (c.req.method === 'GET' && session !== undefined && !hasCookie && isFromAnotherSite(c))
    return showContinue(c, `${END_PATH}?${new URLSearchParams(parameters).toString()}`)
  const own = await readSession(c).catch(() => undefined)
  const isOwn = session?.userId === own?.userId && session?.sessionId === own?.sessionId
  if (session === undefined || !isOwn || !isNavigation(c)) {
    const names = ['post_logout_redirect_uri', 'state']
    const given = Object.entries(parameters).filter(([name]) => names.includes(name))
    const fields: [string, string][] = client ? [['client_id', client.id], ...given] : given
    return showPage(c, <EndPage view={await readView(c)} fields={fields} />)
  }
  await endSessionBy(c.get('deps'), session, clientOf(c))
  await clearSessionToken(c)
  if (returnTo !== undefined) return c.redirect(returnTo)
  return showPage(c, <EndedPage view={await readView(c)} />)
}

/** Tells whether the answer is a page in a window: an image of another page must not sign out. */
function isNavigation(c: AppContext): boolean {
  return (c.req.header('Sec-Fetch-Dest') ?? 'document') === 'document'
}
