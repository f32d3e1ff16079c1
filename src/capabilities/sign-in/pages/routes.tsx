import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { showContinue } from '../../../web/kit/problem-page.tsx'
import { isFromAnotherSite } from '../../../web/http/page-here.ts'
import { textsFor } from '../../../web/kit/language.ts'
import { sessionToken } from '../../../web/http/session-cookie.ts'
import { backTo, goTo, readView, showPage } from '../../../web/kit/view.ts'
import { clearPendingSignIn, readPendingSignIn } from './pending-sign-in.ts'
import { isFilesPath, parseNext, pathAfter, signInPath } from './next.ts'
import { CodePage, SignInPage } from './pages.tsx'
import { beginSignIn, findAsking, guestPage } from './begin.ts'
import { loadWithDatabase } from '../../../core/deps.ts'

/** The sign-in pages, under `/account/sign-in`. */
export const signInPages = new Hono<App>()
  .get('/', async (c) => {
    const next = parseNext(c, c.req.query())
    if (sessionToken(c) !== '') {
      const on = isFilesPath(next)
        ? await (await loadForms()).leadToFiles(c, next)
        : goTo(c, pathAfter(next))
      if (on !== undefined) return on
    } else if (isFilesPath(next) && isFromAnotherSite(c)) {
      // A link of another site: the browser comes again from a page here, with its cookies.
      return showContinue(c, signInPath(next), textsFor(c).signIn.continue)
    }
    clearPendingSignIn(c)
    const asking = await findAsking(c, next)
    const fields = { username: asking?.username ?? '' }
    const props = { view: await readView(c), next, ceremony: await beginSignIn(c), asking, fields }
    return showPage(c, <SignInPage {...props} guestPage={await guestPage(c, next)} />)
  })
  .post('/', async (c) => (await loadForms()).takePassword(c))
  .post('/passkey', async (c) => (await loadForms()).takePasskey(c))
  .get('/passkey', backTo(signInPath('')))
  .get('/code', async (c) => {
    const next = parseNext(c, c.req.query())
    const pending = await readPendingSignIn(c)
    if (pending === undefined) return goTo(c, signInPath(next))
    const props = { username: pending.username, next, ceremony: await beginSignIn(c) }
    return showPage(c, <CodePage view={await readView(c)} {...props} />)
  })
  .post('/code', async (c) => (await loadForms()).takeCode(c))

/** Loads what the forms need, and not their page: the database, and what checks a sign-in. */
function loadForms() {
  return loadWithDatabase(() => import('./forms.tsx'))
}
