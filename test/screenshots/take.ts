import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { Clone } from '../support/clone.ts'
import { PASSWORD, states } from './states.ts'

const FOLDER = 'screenshots'
const WIDTHS = [390, 1280]
const SCHEMES = ['light', 'dark'] as const

/** `npm run screenshots [-- <part of a name>]`: every state of every page, to be looked at. */
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER)
const clone = new Clone()
const site = await clone.serve(PASSWORD)
const browser = await openBrowser()
try {
  const context = await browser.newContext({ baseURL: site.url, locale: 'en' })
  const page = await context.newPage()
  await states(page, (name) => take(page, name))
} finally {
  await browser.close()
  await clone.remove()
}

async function take(page: Page, name: string): Promise<void> {
  if (!name.includes(process.argv[2] ?? '')) return
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      const path = join(FOLDER, `${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path, fullPage: true, animations: 'disabled' })
    }
  }
}
