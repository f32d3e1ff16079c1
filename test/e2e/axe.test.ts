import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { states } from '../screenshots/states.ts'
import { axeFaults } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'

const TOUR_MILLISECONDS = 300_000

let clone: Clone
let baseURL: string
let browser: Browser

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  // Browsers have passkeys at localhost, and none at an IP address.
  baseURL = (await clone.serve()).url.replace('127.0.0.1', 'localhost')
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})

/** Without transitions, which would show colours that stay for an instant. */
async function open(): Promise<Page> {
  const context = await browser.newContext({
    baseURL,
    locale: 'en',
    reducedMotion: 'reduce',
    viewport: { width: 390, height: 800 },
  })
  return context.newPage()
}

async function violationsOn(page: Page, where: string): Promise<string[]> {
  return (await axeFaults(page)).map((fault) => `${where} in ${fault}`)
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

test(
  'axe finds nothing on any page in any state, light and dark',
  async () => {
    const page = await open()
    const found: string[] = []
    const seen = new Set<string>()
    await states(page, async (name) => {
      seen.add(name)
      found.push(...(await violationsOn(page, name)))
    })
    expect(found).toEqual([])
    expect(seen.size).toBeGreaterThan(50)
  },
  TOUR_MILLISECONDS,
)

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
