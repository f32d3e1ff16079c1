import { html } from 'hono/html'
import type { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { problemOf } from '../../../web/kit/form.ts'
import { textsFor } from '../../../web/kit/language.ts'
import { plainPage } from './plain-page.ts'

/**
 * Makes the page for a browser that opens a page of the file server while it is away, or never had
 * it. The page loads nothing.
 *
 * @param isAccountHere Whether the pages of accounts are at this host.
 */
export async function faultPage(
  c: AppContext,
  refusal: Refusal,
  isAccountHere: boolean,
): Promise<string> {
  await c.get('preparePages')(c)
  const t = textsFor(c)
  const sentence = problemOf(t, refusal).message
  const account = isAccountHere ? html`<p><a href="/account">${t.problems.back}</a></p>` : ''
  const page = await plainPage(
    c,
    `${refusal.code} · ${sentence}`,
    html`<h1>${sentence}</h1>
      <p><a href="">${t.files.again}</a></p>
      ${account}
      <p><small>${refusal.code} · ${c.get('requestId')}</small></p>`,
  )
  return String(page)
}
