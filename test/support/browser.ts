import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

// Its graphics driver in software takes six times the CPU of all the rest. Nothing here draws in 3D.
chromium.setGraphicsMode = false

/** A real Chromium, out of an npm package: nothing is downloaded, nothing has to be installed. */
export async function openBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // In a single process the browser ends with its first context.
    args: chromium.args.filter((arg) => arg !== '--single-process'),
    headless: true,
  })
}
