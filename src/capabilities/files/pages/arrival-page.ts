import { html, raw } from 'hono/html'
import { ARRIVE_SCRIPT, ARRIVE_SCRIPT_HASH } from '../../../../.build/assets.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { LANGUAGE_TAGS, languageOf, textsFor } from '../../../web/kit/language.ts'

const POLICY = `default-src 'none'; script-src '${ARRIVE_SCRIPT_HASH}'; connect-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Makes the page whose script brings the session of the accounts' host here. */
export async function arrivalPage(c: AppContext): Promise<Response> {
  await c.get('preparePages')(c)
  const t = textsFor(c).files
  c.header('Content-Security-Policy', POLICY)
  c.header('Referrer-Policy', 'no-referrer')
  return c.html(
    html`<!doctype html>
      <html lang="${LANGUAGE_TAGS[languageOf(c)]}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>${t.arrivalTitle}</title>
          <style>
            main,
            noscript {
              display: block;
              font:
                1rem/1.5 system-ui,
                sans-serif;
              max-width: 32rem;
              margin: 20vh auto 0;
              padding: 0 1.5rem;
            }
            [hidden] {
              display: none;
            }
          </style>
        </head>
        <body>
          <main hidden>
            <h1>${t.arrivalFailed}</h1>
            <p><a href="/@login">${t.again}</a></p>
          </main>
          <noscript>${t.arrivalScript}</noscript>
          ${
            // Nothing may stand around it: the policy has its hash.
            raw(`<script>${ARRIVE_SCRIPT}</script>`)
          }
        </body>
      </html>`,
  )
}
