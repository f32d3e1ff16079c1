import { Hono } from 'hono'
import * as v from 'valibot'
import { clientOf } from '../../http/client.ts'
import type { App, AppContext } from '../../http/context.ts'
import { validate } from '../../http/input.ts'
import { login } from '../../sign-in/sign-in.ts'
import { staticDigest } from '../../passwords/passwords.ts'
import { Refusal } from '../../base/refusals.ts'
import { text } from '../../base/text.ts'
import { attempt, problemOf, readForm } from '../form.ts'
import { sessionToken, setSessionToken } from '../session-cookie.ts'
import { goTo, readView, showPage } from '../view.ts'
import { clearPendingSignIn, savePendingSignIn, readPendingSignIn } from './pending-sign-in.ts'
import { parseNext, pathAfter } from './next.ts'
import { CodePage, SignInPage } from './pages.tsx'

const signInSchema = v.object({ username: text(), password: text() })
const codeSchema = v.object({ code: text() })

/** The sign-in pages, under `/account/sign-in`. */
export const signInPages = new Hono<App>()
  .get('/', async (c) => {
    const next = parseNext(c.req.query())
    if (sessionToken(c) !== '') return goTo(c, pathAfter(next))
    clearPendingSignIn(c)
    return showPage(c, <SignInPage view={await readView(c)} next={next} />)
  })
  .post('/', async (c) => {
    const fields = await readForm(c)
    const next = parseNext(fields)
    const refusal = await attempt(async () => {
      const { username, password } = validate(signInSchema, fields)
      await signIn(c, { username, digest: await staticDigest(password), code: '' })
    })
    if (!(refusal instanceof Refusal)) return goTo(c, pathAfter(next))
    if (refusal.refusal !== 'wrongCode') return showSignIn(c, fields, refusal)
    const { username, password } = validate(signInSchema, fields)
    await savePendingSignIn(c, { username, digest: await staticDigest(password) })
    return c.redirect(`/account/sign-in/code${next && `?next=${next}`}`, 303)
  })
  .get('/code', async (c) => {
    const pending = await readPendingSignIn(c)
    if (pending === undefined) return goTo(c, '/account/sign-in')
    const props = { username: pending.username, next: parseNext(c.req.query()) }
    return showPage(c, <CodePage view={await readView(c)} {...props} />)
  })
  .post('/code', async (c) => {
    const pending = await readPendingSignIn(c)
    if (pending === undefined) return goTo(c, '/account/sign-in', 'session-over')
    const fields = await readForm(c)
    const next = parseNext(fields)
    const refusal = await attempt(() =>
      signIn(c, { ...pending, code: validate(codeSchema, fields).code }),
    )
    if (!(refusal instanceof Refusal)) return goTo(c, pathAfter(next))
    // The password was changed or the account was disabled after the first step.
    if (refusal.refusal === 'wrongCredentials')
      return showSignIn(c, { username: pending.username, next }, refusal)
    const view = await readView(c)
    const problem = problemOf(view.t, refusal)
    return showPage(
      c,
      <CodePage view={view} username={pending.username} next={next} problem={problem} />,
      refusal,
    )
  })

async function signIn(c: AppContext, credentials: Parameters<typeof login>[1]): Promise<void> {
  setSessionToken(c, await login(c.get('deps'), credentials, clientOf(c)))
  clearPendingSignIn(c)
}

async function showSignIn(
  c: AppContext,
  { username = '', next = '' }: { username?: string; next?: string },
  refusal: Refusal,
) {
  const view = await readView(c)
  const problem = problemOf(view.t, refusal)
  return showPage(
    c,
    <SignInPage view={view} fields={{ username }} next={parseNext({ next })} problem={problem} />,
    refusal,
  )
}
