import { html } from 'hono/html'
import type { AppContext } from '../../../web/http/context.ts'
import { LANGUAGE_TAGS, languageOf } from '../../../web/kit/language.ts'

type Markup = ReturnType<typeof html>

/** Makes a page that loads nothing, for the host of the web client. */
export function plainPage(c: AppContext, title: string, body: Markup): Markup {
  return html`<!doctype html>
    <html lang="${LANGUAGE_TAGS[languageOf(c)]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
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
        ${body}
      </body>
    </html>`
}
