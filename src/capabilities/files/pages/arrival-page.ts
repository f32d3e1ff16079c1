import { html, raw } from 'hono/html'
import { ARRIVE_SCRIPT, ARRIVE_SCRIPT_HASH } from '../../../../.build/assets.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { textsFor } from '../../../web/kit/language.ts'
import { plainPage } from './plain-page.ts'

const POLICY = `default-src 'none'; script-src '${ARRIVE_SCRIPT_HASH}'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Makes the page whose script brings the session of the accounts' host here. */
export async function arrivalPage(c: AppContext): Promise<Response> {
  await c.get('preparePages')(c)
  const t = textsFor(c).files
  c.header('Content-Security-Policy', POLICY)
  c.header('Referrer-Policy', 'no-referrer')
  return c.html(
    plainPage(
      c,
      t.arrivalTitle,
      html`<main hidden>
          <h1>${t.arrivalFailed}</h1>
          <p><a href="/@login">${t.again}</a></p>
        </main>
        <noscript>${t.arrivalScript}</noscript>
        ${
          // Nothing may stand around it: the policy has its hash.
          raw(`<script>${ARRIVE_SCRIPT}</script>`)
        }`,
    ),
  )
}
