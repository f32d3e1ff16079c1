import { html } from 'hono/html'
import type { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { problemOf } from '../../../web/kit/form.ts'
import { LANGUAGE_TAGS, languageOf, textsFor } from '../../../web/kit/language.ts'

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
  const language = languageOf(c)
  const t = textsFor(c)
  const sentence = problemOf(t, refusal).message
  const account = isAccountHere ? html`<p><a href="/account">${t.problems.back}</a></p>` : ''
  const page = await html`<!doctype html>
    <html lang="${LANGUAGE_TAGS[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${refusal.code} · ${sentence}</title>
        <style>
          body {
            font:
              1rem/1.5 system-ui,
              sans-serif;
            max-width: 32rem;
            margin: 20vh auto 0;
            padding: 0 1.5rem;
          }
          h1 {
            font-size: 1.25rem;
          }
        </style>
      </head>
      <body>
        <h1>${sentence}</h1>
        <p><a href="">${t.files.again}</a></p>
        ${account}
        <p><small>${refusal.code} · ${c.get('requestId')}</small></p>
      </body>
    </html>`
  return String(page)
}
