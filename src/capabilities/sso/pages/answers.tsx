import { raw } from 'hono/html'
import { SSO_SCRIPT, SSO_SCRIPT_HASH } from '../../../../.build/assets.ts'
import type { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import type { Destination, SsoPages } from '../http/routes.ts'
import { problemOf } from '../../../web/kit/form.ts'
import { CardPage } from '../../../web/kit/frames.tsx'
import { pageHeaders, policyWithScript } from '../../../web/kit/headers.ts'
import { Tile } from '../../../web/kit/icons.tsx'
import { SinglePage } from '../../../web/kit/layout.tsx'
import { showContinue } from '../../../web/kit/problem-page.tsx'
import { setSessionToken } from '../../../web/http/session-cookie.ts'
import { pathAfter, signInPath } from '../../sign-in/pages/next.ts'
import { goTo, readView, showPage, type View } from '../../../web/kit/view.ts'
import { stepCookie } from './step.ts'

/** The message that the stock client's window waits for. */
type Message = { token: string } | { sso_id: string }

/** The answers of the routes under `/api/auth`. */
export const ssoAnswers: SsoPages = {
  headers: pageHeaders,
  giveToken,
  giveSsoId: (c, ssoId) => showMessage(c, { sso_id: ssoId }),
  askFurther: async (c, outcome, to) => {
    await stepCookie.save(c, { ...outcome, ...to })
    return goTo(c, '/account/sign-in/sso/step')
  },
  showLinked: (c) => leadTo(c, '/account/security?done=identity-linked'),
  showFailed: showFailedSso,
}

/** Gives a token to where the sign-in began. */
export async function giveToken(c: AppContext, token: string, { answer, next }: Destination) {
  if (answer === 'message') return showMessage(c, { token })
  if (answer === 'address') return c.redirect(`/@login?token=${encodeURIComponent(token)}`)
  await setSessionToken(c, token)
  return leadTo(c, pathAfter(next))
}

/** Answers with a page whose script gives the message to the page that opened this window. */
async function showMessage(c: AppContext, message: Message) {
  c.header('Content-Security-Policy', policyWithScript(SSO_SCRIPT_HASH))
  return showPage(c, <MessagePage view={await readView(c)} message={message} />)
}

/**
 * Leads to a page of this site or of the provider. A redirect would keep the provider's site as the
 * origin of the navigation, and browsers then send no SameSite=Strict cookie; and `form-action`
 * forbids forms to redirect to another site.
 *
 * @param address A path, or an address that `begin` of a provider has returned.
 */
export function leadTo(c: AppContext, address: string) {
  return showContinue(c, address)
}

/** Reports why the sign-in failed. */
export async function showFailedSso(c: AppContext, refusal: Refusal) {
  const view = await readView(c)
  const { t } = view
  return showPage(
    c,
    <CardPage
      view={view}
      icon="unprotected"
      tone="amber"
      title={t.sso.failedTitle}
      lead={problemOf(t, refusal).message}
    >
      <p class="buttons">
        <a role="button" href={signInPath('')}>
          {t.signIn.title}
        </a>
      </p>
    </CardPage>,
    refusal,
  )
}

function MessagePage({ view, message }: { view: View; message: Message }) {
  const t = view.t.sso
  return (
    <SinglePage view={view} title={'token' in message ? t.doneTitle : t.boundTitle}>
      <article data-message={JSON.stringify(message)}>
        <Tile icon="done" tone="green" />
        <h1>{'token' in message ? t.doneTitle : t.boundTitle}</h1>
        <p>{t.doneLead}</p>
        <p class="note warn" id="no-opener" hidden>
          {t.noOpener}
        </p>
        <script type="module">{raw(SSO_SCRIPT)}</script>
      </article>
    </SinglePage>
  )
}
