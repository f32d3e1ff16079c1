import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { isSiteAddress } from '../../../core/base/web-address.ts'
import { DEFAULT_SETTINGS } from '../defaults.ts'
import { readRelatedOrigins } from '../related-origins.ts'
import { readSecurityTxt } from '../security-txt.ts'
import { readSettings } from '../copy.ts'

/** Routes at the root of a site that browsers and crawlers ask for. */
export const siteRoutes = new Hono<App>()
  .get('/robots.txt', async (c) => c.text((await readSettings(c.get('deps'))).values.robots_txt))
  .get('/.well-known/security.txt', async (c) => c.text(await readSecurityTxt(c.get('deps'))))
  .get('/.well-known/webauthn', async (c) =>
    c.json({ origins: await readRelatedOrigins(c.get('deps')) }),
  )
  .get('/favicon.ico', async (c) => {
    const { favicon } = (await readSettings(c.get('deps'))).values
    const isElsewhere = isSiteAddress(favicon) && !isSamePage(favicon, c.req.url)
    return c.redirect(isElsewhere ? favicon : DEFAULT_SETTINGS.favicon)
  })

/** Tells whether a redirect to the address would lead back to this route. */
function isSamePage(address: string, url: string): boolean {
  const target = new URL(address, url)
  return target.host === new URL(url).host && target.pathname === '/favicon.ico'
}
