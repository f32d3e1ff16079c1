import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { FilesSite, PASSWORD } from './files-site.ts'
import { findProgram } from './programs.ts'
import { findStockClient } from './stock-client.ts'

const program = findProgram('OPENLIST_BIN', 'openlist')
const dist = findStockClient()
/** The folder for the picture of README and of docs/files.md. */
const PICTURES = process.env['GUIDE_PICTURES']

const HOUR_SECONDS = 3600
/** What lies in the folder, the hours since it was changed, and kibibytes of files. */
const CONTENTS: [name: string, hours: number, kibibytes?: number][] = [
  ['Documents', 29],
  ['Films', 217],
  ['Music', 413],
  ['Photos 2026', 604],
  ['budget 2026.xlsx', 3, 40],
  ['garden plan.pdf', 268, 900],
  ['read me.md', 702, 3],
  ['summer.jpg', 97, 2400],
]

function fill(folder: string): void {
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  const now = Date.now() / 1000
  for (const [name, hours, kibibytes] of CONTENTS) {
    const path = join(folder, name)
    if (kibibytes === undefined) mkdirSync(path)
    else writeFileSync(path, Buffer.alloc(kibibytes * 1024))
    const changed = now - hours * HOUR_SECONDS
    utimesSync(path, changed, changed)
  }
}

/** The path of the logo on the pages of the account. */
async function logoOf({ client }: FilesSite): Promise<string> {
  const response = await fetch(new URL('/account/sign-in', client.url))
  return /\/logo-\w+\.svg/.exec(await response.text())?.[0] ?? ''
}

describe.skipIf(program === undefined || dist === undefined)(
  'the stock web client of a real OpenList, through Latchkey',
  () => {
    let site: FilesSite
    let browser: Browser

    beforeAll(async () => {
      site = await FilesSite.start(program ?? '', { webClient: dist ?? '' })
      await site.addUser('alice')
      fill(site.folder)
      // Its own logo is elsewhere, and its icon in a font that a machine may lack.
      const values = { logo: await logoOf(site), announcement: '', home_icon: '' }
      for (const [key, value] of Object.entries(values))
        await site.asAdmin('POST', '/api/admin/setting/save', [{ key, value }])
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      await site.remove()
    })

    test('shows a user the files, and the way to the account', async () => {
      const { url } = site.client
      const viewport = { width: 1180, height: 620 }
      const context = await browser.newContext({ baseURL: url, locale: 'en', viewport })
      await context.route(
        ({ origin }) => origin !== new URL(url).origin,
        (route) => route.abort(),
      )
      const page = await context.newPage()
      await page.goto('/@login')
      await page.locator('#username').fill('alice')
      await page.locator('#password').fill(PASSWORD)
      await page.locator('form[action="/account/sign-in"] button:not([type])').click()
      for (const [name] of CONTENTS) await page.getByText(name, { exact: true }).waitFor()
      await page.locator('.footer').getByRole('link', { name: 'Account' }).waitFor()
      expect(await page.locator('.list-item').count()).toBe(CONTENTS.length)
      if (PICTURES !== undefined) {
        mkdirSync(PICTURES, { recursive: true })
        await page.screenshot({ path: join(PICTURES, 'files.png'), animations: 'disabled' })
      }
    })
  },
)
