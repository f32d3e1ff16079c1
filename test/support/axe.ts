import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const DEFINE_LOADER = `window.loadAxe = () => {${AXE}}`
/** Tabs that define the loader in each page they go to. */
const prepared = new WeakSet<Page>()

/** Loads axe into a page. Its half megabyte is sent to a tab once, and not again for each page. */
async function loadAxe(page: Page): Promise<void> {
  if (!prepared.has(page)) {
    prepared.add(page)
    await page.addInitScript(DEFINE_LOADER)
    await page.evaluate(DEFINE_LOADER)
  }
  await page.evaluate('loadAxe()')
}

/**
 * Runs axe on a page as it stands, light and dark; in the dark only for contrast, because nothing
 * else differs.
 *
 * @returns `scheme: rule: element` for each violation; empty when all is well.
 */
export async function axeFaults(page: Page): Promise<string[]> {
  await loadAxe(page)
  const faults: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    // A transition would show colours that stay for an instant.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const options = {
      preload: false,
      resultTypes: ['violations'],
      ...(colorScheme === 'dark' && { runOnly: ['color-contrast'] }),
    }
    const violations: AxeResults['violations'] = await page.evaluate(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
    )
    for (const { id, nodes } of violations) {
      for (const { html } of nodes) faults.push(`${colorScheme}: ${id}: ${html}`)
    }
  }
  return faults
}
