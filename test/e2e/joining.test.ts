import { appendFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { joiningStates, mailSettings } from '../screenshots/joining-states.ts'
import { axeFaults } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { LANGUAGES, layoutFaults } from '../support/layout.ts'
import { MailServer } from '../support/mail-server.ts'
import { OidcProvider } from '../support/oidc-provider.ts'

/** A phone and a screen. */
const WIDTHS = [360, 1280]
/** Twenty-two pages and eight mails, each looked at in both widths. */
const TOUR_MILLISECONDS = 600_000
const WAIT = { timeout: 60_000, interval: 50 }
const IS_MAIL = /^joining-mail-/

let browser: Browser
let clone: Clone
let server: MailServer
let provider: OidcProvider
let site: Client
let putBack: () => void

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  server = await MailServer.open()
  appendFileSync(clone.path('.dev.vars'), mailSettings(server))
  const { url } = await clone.serve()
  site = new Client(url.replace('127.0.0.1', 'localhost'))
  provider = await OidcProvider.start(await freePort(), site.url)
  putBack = clone.remember()
  browser = await openBrowser({ isPainting: false })
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
  await Promise.all([server.close(), provider.stop()])
})

test.each(LANGUAGES)(
  'no page of people who join has a fault in its layout or for axe, and no mail one in its layout: %s',
  async (language) => {
    // A mail of the other language may still be on its way.
    await vi.waitFor(() => expect(clone.sql('select * from mails')).toEqual([]), WAIT)
    putBack()
    server.got.length = 0
    const options = { baseURL: site.url, locale: language, reducedMotion: 'reduce' } as const
    const page = await (await browser.newContext(options)).newPage()
    const found: string[] = []
    const seen: string[] = []
    await joiningStates(page, { site, clone, server, provider, language }, async (name) => {
      seen.push(name)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        const faults = await layoutFaults(page, language)
        found.push(...faults.map((fault) => `${name} at ${width}: ${fault}`))
      }
      // A program for mails gives them their landmarks and the heading. The elements and colours
      // are the same in all languages, and so is what axe finds.
      if (language === 'en' && !IS_MAIL.test(name))
        found.push(...(await axeFaults(page)).map((fault) => `${name}: ${fault}`))
    })
    expect(found).toEqual([])
    expect(seen.filter((name) => IS_MAIL.test(name))).toHaveLength(8)
    expect(seen).toHaveLength(30)
  },
  TOUR_MILLISECONDS,
)
