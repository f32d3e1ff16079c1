import { html } from 'hono/html'
import type { AppContext } from '../../http/context.ts'

/** Nothing is loaded. */
export const FAULT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'"

/** Answers a browser that opens a page of the file server while it is away, or never had it. */
export function faultPage(c: AppContext, status: number, message: string, isAccountHere: boolean) {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1)
  const account = isAccountHere
    ? html`<p><a href="/account">Your account</a> is there as always.</p>`
    : ''
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${status} · ${sentence}</title>
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
        ${account}
        <p><small>${status} · ${c.get('requestId')}</small></p>
      </body>
    </html>`
}
