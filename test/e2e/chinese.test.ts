import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { accountStates, codeStates, LONG_TITLE } from '../screenshots/states.ts'
import { openBrowser } from '../support/browser.ts'
import { Clone } from '../support/clone.ts'
import { foreignWords } from '../support/foreign-words.ts'

/** A walk through every state of the account pages, each form sent to a real site. */
const TOUR_MILLISECONDS = 300_000

/** What users and operators have written, the parts of keys, and the settings that events name. */
const KNOWN = [
  LONG_TITLE,
  LONG_TITLE.slice(0, 100),
  'rclone on my laptop',
  'admin',
  'laptop',
  'Maintenance',
  'No uploads on',
  'Sunday',
  'the plan',
  'announcement',
  'sftp_address',
  'sftp -P 2022',
  'files.example.org',
  'ecdsa-sha2-nistp256',
]

/**
 * The texts that a person sees or hears. What was typed into a field is the visitor's own, and code
 * is the same in every language.
 */
const TEXTS = `
  [document.title].concat(
    [...document.querySelectorAll('[aria-label], [title], [alt], [placeholder]')].flatMap((element) =>
      ['aria-label', 'title', 'alt', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
    ),
    [...document.querySelectorAll('body *')]
      .filter((element) => !element.matches('code, pre, textarea, script, .avatar, option[value^="/"]'))
      .flatMap((element) => [...element.childNodes].filter((node) => node.nodeType === 3))
      .map((node) => node.textContent),
  ).join('\\n')
`

async function wordsOn(page: Page): Promise<string[]> {
  const text: string = await page.evaluate(TEXTS)
  return foreignWords(text, KNOWN)
}

test(
  'no English word is left on a Chinese page in any state',
  async () => {
    const clone = new Clone(inject('startedSite'))
    const site = await clone.serve()
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({ baseURL: site.url, locale: 'zh-CN' })
      const page = await context.newPage()
      const found: string[] = []
      const seen = new Set<string>()
      const take = async (name: string) => {
        seen.add(name)
        expect(await page.locator('html').getAttribute('lang')).toBe('zh-Hans')
        for (const word of await wordsOn(page)) found.push(`${name}: ${word}`)
      }
      await codeStates(page, take, await accountStates(page, take))
      expect(found).toEqual([])
      expect(seen.size).toBeGreaterThan(20)
    } finally {
      await browser.close()
      await clone.remove()
    }
  },
  TOUR_MILLISECONDS,
)

test('an English word does count as one', () => {
  expect(foreignWords('删除 Delete “laptop”', ['laptop'])).toEqual(['Delete'])
})
