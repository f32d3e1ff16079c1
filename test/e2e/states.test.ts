import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { adminStates } from '../screenshots/admin-states.ts'
import { noticeStates } from '../screenshots/notice-states.ts'
import { passkeyStates } from '../screenshots/passkey-states.ts'
import { programStates } from '../screenshots/program-states.ts'
import { accountStates, codeStates, LONG_TITLE } from '../screenshots/states.ts'
import { axeFaults } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { foreignWords } from '../support/foreign-words.ts'
import { press } from '../support/press.ts'

const TOUR_MILLISECONDS = 300_000

/**
 * What users and operators have written, the parts of keys, the host, and the settings that events
 * name.
 */
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
  'The disks are being changed.',
  'localhost',
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

let clone: Clone
let baseURL: string
let browser: Browser

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  // Browsers have passkeys at localhost, and none at an IP address.
  baseURL = (await clone.serve()).url.replace('127.0.0.1', 'localhost')
  browser = await openBrowser({ isPainting: false })
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})

/** Without transitions, which would show colours that stay for an instant. */
async function open(locale: 'en' | 'zh-CN' = 'en'): Promise<Page> {
  const context = await browser.newContext({
    baseURL,
    locale,
    reducedMotion: 'reduce',
    viewport: { width: 390, height: 800 },
  })
  return context.newPage()
}

async function violationsOn(page: Page, where: string): Promise<string[]> {
  return (await axeFaults(page)).map((fault) => `${where} in ${fault}`)
}

async function changeLanguage(page: Page): Promise<void> {
  await page.goto('/account')
  await press(page.locator('form[action="/account/language"] button'))
}

test('axe finds nothing on the forms of a session that is not fresh', async () => {
  const page = await open()
  await page.goto('/account/sign-in')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill(ADMIN_PASSWORD)
  await page.locator('form[action="/account/sign-in"] button:not([type])').click()
  await page.waitForURL('**/account')
  clone.sql('UPDATE sessions SET signed_in_at = 0')
  const found: string[] = []
  for (const path of [
    'keys/add',
    'admin/users/1',
    'notices?kind=ntfy',
    'admin/notices/add?kind=ntfy',
  ]) {
    await page.goto(`/account/${path}`)
    for (const summary of await page.locator('summary').all()) await summary.click()
    await page.getByLabel('Your password').first().waitFor()
    found.push(...(await violationsOn(page, path)))
  }
  await page.goto('/account/security')
  await page.locator('form[action="/account/security/start"] button').click()
  await page.getByLabel('Code').fill('000000')
  await page.getByLabel('Your password').fill('wrong-Passw0rd')
  await page.locator('form[action="/account/security/confirm"] button:not([type])').click()
  await page.getByText('This is not your password.').waitFor()
  found.push(...(await violationsOn(page, 'enrolment')))
  expect(found).toEqual([])
})

/** What was found in a walk through every state of every page, each form sent to a real site. */
describe('in any state', () => {
  const seen = { chinese: new Set<string>(), all: new Set<string>() }
  const found = { languages: new Set<string>(), words: [] as string[], faults: [] as string[] }

  /** Elements and colours are the same in both languages, and so is what axe finds. */
  async function take(page: Page, name: string): Promise<void> {
    seen.all.add(name)
    found.faults.push(...(await violationsOn(page, name)))
  }

  async function takeChinese(page: Page, name: string): Promise<void> {
    seen.chinese.add(name)
    found.languages.add((await page.locator('html').getAttribute('lang')) ?? '')
    const text: string = await page.evaluate(TEXTS)
    for (const word of foreignWords(text, KNOWN)) found.words.push(`${name}: ${word}`)
    await take(page, name)
  }

  beforeAll(async () => {
    const page = await open('zh-CN')
    const secret = await accountStates(page, (name) => takeChinese(page, name))
    await changeLanguage(page)
    await passkeyStates(page, (name) => take(page, name))
    await programStates(page, (name) => take(page, name))
    await noticeStates(page, (name) => take(page, name))
    await adminStates(page, (name) => take(page, name))
    await changeLanguage(page)
    await codeStates(page, (name) => takeChinese(page, name), secret)
  }, TOUR_MILLISECONDS)

  test('axe finds nothing on any page, light and dark', () => {
    expect(found.faults).toEqual([])
    expect(seen.all.size).toBeGreaterThan(100)
  })

  test('no English word is left on a Chinese page', () => {
    expect(found.words).toEqual([])
    expect([...found.languages]).toEqual(['zh-Hans'])
    expect(seen.chinese.size).toBeGreaterThan(20)
  })
})

test('an English word does count as one', () => {
  expect(foreignWords('删除 Delete “laptop”', ['laptop'])).toEqual(['Delete'])
})

// Takes half a minute: sixteen runs of axe, each over the whole list of endpoints.
test('axe finds nothing on the reference of the interface, on a phone and on a wide screen', async () => {
  const page = await open()
  const found: string[] = []
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    for (const route of ['overview', 'auth', 'post-/api/me/sshkey/add', 'get-/api/me/events']) {
      await page.goto(`/docs#?route=${route}`)
      await page.reload()
      const shown = route.includes('/') ? page.locator('api-request') : page.getByRole('heading')
      await shown.first().waitFor()
      found.push(...(await violationsOn(page, `${route} at ${width}`)))
    }
  }
  expect(found).toEqual([])
})

test('axe does find a text that is too pale and an input without a name', async () => {
  const page = await open()
  await page.goto('/account/sign-in')
  await page.evaluate(`
    document.querySelector('label[for=username]').remove()
    document.querySelector('h1').style.color = '#777c'
  `)
  const rules = (await violationsOn(page, 'sign-in')).map((line) => line.split(': ')[1])
  expect(rules).toEqual(expect.arrayContaining(['label', 'color-contrast']))
})
