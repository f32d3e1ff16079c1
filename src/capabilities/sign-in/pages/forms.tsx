import * as v from 'valibot'
import { clientOf } from '../../../web/http/client.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { validate } from '../../../web/http/input.ts'
import { login } from '../sign-in.ts'
import { signInWithPasskey } from '../../passkeys/sign-in.ts'
import { staticDigest } from '../../../core/passwords/passwords.ts'
import { Refusal, refusalIn } from '../../../core/base/refusals.ts'
import { readAccountAs } from '../../../core/access/read-account.ts'
import { isSessionOver, lacksSecondFactor } from '../../../web/kit/session-over.ts'
import { text } from '../../../core/base/text.ts'
import { attempt, problemOf, readForm } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { isRequestPath } from '../../../web/kit/local-path.ts'
import { readAssertion } from '../../passkeys/pages/passkey.ts'
import { showContinue } from '../../../web/kit/problem-page.tsx'
import { setSessionToken } from '../../../web/http/session-cookie.ts'
import { NEW_PHONE_PATH, RECOVERED } from '../../two-factor/pages/new-phone-path.ts'
import { isRecoveryCode } from '../../two-factor/recovery.ts'
import { goTo, readView, showPage } from '../../../web/kit/view.ts'
import { clearPendingSignIn, savePendingSignIn, readPendingSignIn } from './pending-sign-in.ts'
import { keepFilesPath } from './files-path.ts'
import { parseNext, pathAfter, signInPath } from './next.ts'
import { clearSessionToken, readSession } from './session-cookie.ts'
import { CodePage, PausedPage, SignInPage, WaitingPage } from './pages.tsx'
import { beginSignIn, findAsking, guestPage } from './begin.ts'

// The forms of the sign-in pages: read when one is sent, not with the page.

const signInSchema = v.object({ username: text(), password: text() })
const codeSchema = v.object({ code: text() })

export async function takePassword(c: AppContext): Promise<Response> {
  const fields = await readForm(c)
  const next = parseNext(c, fields)
  const refusal = await attempt(async () => {
    const { username, password } = validate(signInSchema, fields)
    await signIn(c, { username, digest: await staticDigest(password), code: '' })
  })
  if (!(refusal instanceof Refusal)) return leave(c, next)
  if (refusal.refusal !== 'wrongCode') return showSignIn(c, fields, refusal)
  const { username, password } = validate(signInSchema, fields)
  await savePendingSignIn(c, { username, digest: await staticDigest(password) })
  return goTo(c, signInPath(next, '/code'))
}

export async function takePasskey(c: AppContext): Promise<Response> {
  const fields = await readForm(c)
  const refusal = await attempt(async () => {
    const shown = readAssertion(c, fields, 'passkeyRefused')
    await setSessionToken(c, await signInWithPasskey(c.get('deps'), shown, clientOf(c)))
    clearPendingSignIn(c)
  })
  if (refusal instanceof Refusal) return showSignIn(c, fields, refusal)
  return leave(c, parseNext(c, fields))
}

export async function takeCode(c: AppContext): Promise<Response> {
  const fields = await readForm(c)
  const next = parseNext(c, fields)
  const pending = await readPendingSignIn(c)
  if (pending === undefined) return goTo(c, signInPath(next), 'session-over')
  const refusal = await attempt(() =>
    signIn(c, { ...pending, code: validate(codeSchema, fields).code }),
  )
  if (!(refusal instanceof Refusal)) {
    const isRecovered = isRecoveryCode(fields['code'] ?? '')
    // The browser sends the form on with the new session, to the form that sets up a new phone.
    if (isRecovered && fields[RECOVERED] !== undefined) return c.redirect(NEW_PHONE_PATH, 307)
    // There the user sees how many are left, and can set up a new phone.
    return isRecovered && next === ''
      ? goTo(c, '/account/security', 'recovery-code-used')
      : leave(c, next)
  }
  // The password was changed or the account was disabled after the first step.
  if (refusal.refusal === 'wrongCredentials')
    return showSignIn(c, { username: pending.username, next }, refusal)
  if (refusal.refusal === 'tooManyAttempts') return showPaused(c, next, refusal)
  const props = { username: pending.username, next, ceremony: await beginSignIn(c) }
  const refused = { form: 'code', fields, refusal }
  return showForm(c, CodePage, { view: await readView(c), ...props }, refused)
}

async function signIn(c: AppContext, credentials: Parameters<typeof login>[1]): Promise<void> {
  await setSessionToken(c, await login(c.get('deps'), credentials, clientOf(c)))
  clearPendingSignIn(c)
}

/**
 * Leads to the page after the sign-in. A program's request, and the way to files at another host,
 * go on from a page, not from the form: `form-action` would stop a form that ends at another site.
 */
async function leave(c: AppContext, next: string) {
  const path = pathAfter(next)
  return isRequestPath(path) || path.startsWith('/account/files?')
    ? showContinue(c, path)
    : goTo(c, path)
}

/**
 * Leads a visitor with a session on to the files. The web client sends a session that has ended
 * back here: without this check, the browser would go to and fro.
 *
 * @returns `undefined` when the session is over, and the cookies are cleared.
 */
export async function leadToFiles(c: AppContext, next: string): Promise<Response | undefined> {
  try {
    await readAccountAs(c.get('deps'), await readSession(c))
    return goTo(c, next)
  } catch (error) {
    const refusal = refusalIn(error)
    if (lacksSecondFactor(refusal)) {
      keepFilesPath(c, next)
      return goTo(c, '/account/security')
    }
    if (!isSessionOver(refusal)) throw error
    await clearSessionToken(c)
    return undefined
  }
}

async function showSignIn(
  c: AppContext,
  { username = '', next = '' }: { username?: string; next?: string },
  refusal: Refusal,
) {
  const path = parseNext(c, { next })
  if (refusal.refusal === 'tooManyAttempts') return showPaused(c, path, refusal)
  const view = await readView(c)
  const ceremony = await beginSignIn(c)
  const asking = await findAsking(c, path)
  const open = await guestPage(c, path)
  const fields = { username }
  const props = { view, fields, next: path, ceremony, asking, guestPage: open }
  if (refusal.refusal === 'registrationWaits')
    return showPage(c, <WaitingPage {...props} />, refusal)
  const refused = { form: 'sign-in', fields, refusal }
  return showForm(c, SignInPage, props, refused)
}

async function showPaused(c: AppContext, next: string, refusal: Refusal) {
  const view = await readView(c)
  const { retryAfterSeconds: waitSeconds } = refusal
  const props = {
    view,
    next,
    ceremony: await beginSignIn(c),
    problem: problemOf(view.t, refusal),
    ...(waitSeconds !== undefined && { waitSeconds }),
  }
  // The page leads to the sign-in by itself once that works again.
  if (waitSeconds !== undefined) c.header('Refresh', `${waitSeconds}; url=${signInPath(next)}`)
  return showPage(c, <PausedPage {...props} />, refusal)
}
