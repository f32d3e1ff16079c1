import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { Clone } from '../support/clone.ts'
import { PASSWORD, states } from './states.ts'

const FOLDER = 'screenshots'
const WIDTHS = [390, 1280]
const SCHEMES = ['light', 'dark'] as const

/**
 * The picture of the README; below it comes a link in Chinese, which many machines have no font
 * for.
 */
const README_STATE = 'overview'
const README_PICTURE = 'docs/images/account.png'
const README_HEIGHT = 540

/**
 * `npm run screenshots [-- <part of a name>]`: every state of every page, to be looked at. With `--
 * overview`, it takes the picture of the README as well.
 */
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
  if (name === README_STATE && process.argv[2] === README_STATE) await takeForReadme(page)
}

async function takeForReadme(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  const clip = { x: 0, y: 0, width: Math.max(...WIDTHS), height: README_HEIGHT }
  await page.screenshot({ path: README_PICTURE, clip, animations: 'disabled' })
}
