import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { openBrowser } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { press, unfold } from '../support/press.ts'
import { bytesOf, openVisit, type Visit } from '../support/visit.ts'

const MAX_FIRST_LOAD_BYTES = 30 * 1024
const PURPLE = '#8844cc'

let clone: Clone
let site: Client
let browser: Browser
let visits: Visit[] = []

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
  browser = await openBrowser({ isPainting: false })
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})
afterEach(async () => {
  await Promise.all(visits.map(({ page }) => page.context().close()))
  visits = []
})

async function visit(options: Parameters<typeof openVisit>[2] = {}): Promise<Visit> {
  const opened = await openVisit(browser, site.url, options)
  visits.push(opened)
  return opened
}

async function open(): Promise<Page> {
  return (await visit()).page
}

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/account/sign-in')
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password').fill(password)
  await pressNamed(page, 'Sign in')
}

async function openAsAdmin(): Promise<Page> {
  const page = await open()
  await signIn(page, 'admin', ADMIN_PASSWORD)
  return page
}

async function pressNamed(page: Page, name: string): Promise<void> {
  await press(page.getByRole('button', { name, exact: true }))
}

function mainText(page: Page): Promise<string> {
  return page.getByRole('main').innerText()
}

/** Makes a user with a generated password, and leaves the page that shows it; the password. */
async function createUser(page: Page, username: string): Promise<string> {
  await page.goto('/account/admin/users')
  await page.getByRole('button', { name: 'New user' }).click()
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Permissions').selectOption('custom')
  await page.getByLabel('Rename', { exact: true }).check()
  await pressNamed(page, 'Create user')
  const password = await page.getByLabel(`Password of ${username}`).inputValue()
  await pressNamed(page, 'I have passed it on')
  return password
}

/** Opens a row of the user's page, and does what it asks about. */
async function act(page: Page, name: string): Promise<void> {
  await page.locator('summary').getByText(name).click()
  await pressNamed(page, name)
}

async function turnTwoFactorOn(page: Page): Promise<void> {
  await page.goto('/account/security')
  await pressNamed(page, 'Set up')
  const secret = (await page.locator('.secret').innerText()).replaceAll(' ', '')
  await page.getByLabel('Code').fill(phoneCode(secret))
  await pressNamed(page, 'Turn on')
}

describe('an operator without JavaScript', () => {
  test('creates a user, whose password is shown once and lets them in', async () => {
    const admin = await openAsAdmin()
    const password = await createUser(admin, 'carol')
    expect(password.length).toBeGreaterThanOrEqual(16)
    expect(await admin.content()).not.toContain(password)
    await admin.reload()
    expect(await admin.content()).not.toContain(password)
    const carol = await open()
    await signIn(carol, 'carol', password)
    await carol.getByText('What your account may do').click()
    expect(await mainText(carol)).toContain('Rename')
    await carol.goto('/account/admin/users')
    expect(await mainText(carol)).not.toContain('New user')
  })

  test('changes what a user may do, and the user sees it at once', async () => {
    const admin = await openAsAdmin()
    const password = await createUser(admin, 'dora')
    const dora = await open()
    await signIn(dora, 'dora', password)
    await unfold(admin.getByLabel('Rename', { exact: true }))
    await admin.getByLabel('Rename', { exact: true }).uncheck()
    await admin.getByLabel('Copy', { exact: true }).check()
    await pressNamed(admin, 'Save changes')
    expect(await admin.getByRole('status').innerText()).toBe('The changes were saved.')
    expect(await admin.getByLabel('Copy', { exact: true }).isChecked()).toBe(true)
    await dora.reload()
    await unfold(dora.locator('.chips'))
    expect(await dora.locator('.chips > li').allInnerTexts()).toEqual(['Copy'])
  })

  test('cancels a lost second step, and resets a password', async () => {
    const admin = await openAsAdmin()
    const password = await createUser(admin, 'erin')
    const address = admin.url()
    const erin = await open()
    await signIn(erin, 'erin', password)
    await turnTwoFactorOn(erin)
    await admin.goto(address)
    expect(await admin.getByRole('heading', { level: 1 }).innerText()).toContain('Two-step')
    await act(admin, 'Turn off two-step verification')
    expect(await admin.getByRole('heading', { level: 1 }).innerText()).not.toContain('Two-step')
    await signIn(erin, 'erin', password)
    expect(await mainText(erin)).toContain('Hello, erin')

    await admin.locator('summary').getByText('Reset password').click()
    await admin.getByLabel('Password', { exact: true }).fill('erins-Newpassw0rd')
    await pressNamed(admin, 'Reset password')
    await erin.reload()
    expect(new URL(erin.url()).pathname).toBe('/account/sign-in')
    await signIn(erin, 'erin', password)
    expect(await mainText(erin)).toContain('wrong')
    await signIn(erin, 'erin', 'erins-Newpassw0rd')
    expect(await mainText(erin)).toContain('Hello, erin')
  })

  test('disables a user and deletes another', async () => {
    const admin = await openAsAdmin()
    const password = await createUser(admin, 'fred')
    const fred = await open()
    await signIn(fred, 'fred', password)
    await act(admin, 'Disable account')
    await fred.reload()
    expect(new URL(fred.url()).pathname).toBe('/account/sign-in')
    await signIn(fred, 'fred', password)
    expect(await fred.getByRole('alert').count()).toBe(1)
    await act(admin, 'Delete user')
    expect(new URL(admin.url()).pathname).toBe('/account/admin/users')
    await admin.goto('/account/admin/users?search=fred')
    expect(await mainText(admin)).toContain('No users found')
  })

  test('opens a user by any place of the row', async () => {
    const admin = await openAsAdmin()
    await createUser(admin, 'gina')
    await admin.goto('/account/admin/users?search=gina')
    const row = admin.getByRole('row').filter({ hasText: 'gina' })
    // On a phone, the row leaves out what there is none of.
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([])
    expect(await admin.getByRole('columnheader').count()).toBe(3)
    const { x, y, width, height } = (await row.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    await admin.mouse.click(x + width - 5, y + height - 5)
    await admin.waitForURL(/\/account\/admin\/users\/\d+\?list=search/)
    expect(await admin.getByRole('heading', { level: 1 }).innerText()).toContain('gina')
  })

  test('saves the events of a filter as a file', async () => {
    const admin = await openAsAdmin()
    await admin.goto('/account/admin/events?kind=sign_in')
    const [download] = await Promise.all([
      admin.waitForEvent('download'),
      admin.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^events-\d{4}-\d\d-\d\d\.csv$/)
    const [header, ...rows] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(header).toMatch(/^\uFEFFtime,event,what,/)
    expect(rows.length).toBeGreaterThan(0)
    for (const line of rows) expect(line).toContain(',sign_in,')
  })

  test('gives the site its name and colour', async () => {
    const admin = await openAsAdmin()
    await admin.goto('/account/admin/settings/site')
    await admin.getByLabel('Title').fill('Files of the Example family')
    await pressNamed(admin, 'Save')
    await admin.goto('/account/admin/settings/style')
    await admin.getByLabel('Colour').fill(PURPLE)
    await pressNamed(admin, 'Save')
    const visitor = await open()
    await visitor.goto('/')
    expect(await visitor.title()).toBe('Sign in · Files of the Example family')
    const ground =
      "getComputedStyle(document.querySelector('main form button:not([type])')).backgroundColor"
    expect(await visitor.evaluate(ground)).toBe('rgb(136, 68, 204)')
  })

  test('is told beside the field that JSON is wrong, and keeps what was typed', async () => {
    const admin = await openAsAdmin()
    await admin.goto('/account/admin/settings/preview')
    await admin.getByRole('link', { name: 'Edit as text' }).first().click()
    const field = admin.getByLabel('Viewers in a new tab')
    await field.fill('{"pdf": {"Viewer": "https://viewer.example"}')
    await admin.getByLabel('Music cover').fill('/cover.svg')
    await pressNamed(admin, 'Save')
    expect(await field.inputValue()).toBe('{"pdf": {"Viewer": "https://viewer.example"}')
    expect(await admin.getByLabel('Music cover').inputValue()).toBe('/cover.svg')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await admin.locator('.field .problem').innerText()).toContain(
      'This is not valid JSON: look at line 1,',
    )
  })
})

test('the script selects every user of the page, and nobody', async () => {
  const { page } = await visit({ javaScriptEnabled: true })
  await signIn(page, 'admin', ADMIN_PASSWORD)
  await page.goto('/account/admin/users')
  const all = page.getByLabel('Select all on this page')
  const chosen = page.locator('[form=selected]:checked')
  await all.check()
  expect(await chosen.count()).toBe(await page.locator('[form=selected]').count())
  expect(await page.locator('.selection').isVisible()).toBe(true)
  await all.uncheck()
  expect(await chosen.count()).toBe(0)
})

test('the script adds rows to a table and takes them away', async () => {
  const { page } = await visit({ javaScriptEnabled: true })
  await signIn(page, 'admin', ADMIN_PASSWORD)
  await page.goto('/account/admin/settings/sso')
  const table = page.getByRole('group', { name: 'Groups of its values' })
  await page.locator('details:has(#sso_group_map-rows) > summary').click()
  const values = table.getByLabel('Value of the claim')
  await values.first().fill('staff')
  await table.getByRole('button', { name: 'Add a row' }).click()
  await expect.poll(() => values.last().evaluate((field) => field.matches(':focus'))).toBe(true)
  await page.keyboard.type('guests')
  expect(
    await values.evaluateAll((fields) => fields.map((field) => Reflect.get(field, 'name'))),
  ).toEqual([
    'sso_group_map.0.claimValue',
    'sso_group_map.1.claimValue',
    'sso_group_map.2.claimValue',
  ])
  await table.getByRole('button', { name: 'Remove' }).first().click()
  await pressNamed(page, 'Save')
  // The row that stays is the one that was added, and it lacks its group.
  expect(await table.getByLabel('Group here').first().getAttribute('aria-invalid')).toBe('true')
  expect(await values.first().inputValue()).toBe('guests')
})

test('the script filters events by the days of the visitor’s time zone', async () => {
  const { page: admin, complaints } = await visit({ javaScriptEnabled: true })
  await signIn(admin, 'admin', ADMIN_PASSWORD)
  await admin.waitForURL('**/account')
  await admin.goto('/account/admin/events')
  await admin.getByText('More filters').click()
  expect(await mainText(admin)).toContain('Time zone of the days: Asia/Shanghai')
  await admin.getByLabel('From').fill('2026-01-01')
  await pressNamed(admin, 'Show')
  await admin.waitForURL('**/events?*')
  expect(new URL(admin.url()).searchParams.get('zone')).toBe('Asia/Shanghai')
  expect(await admin.getByLabel('From').inputValue()).toBe('2026-01-01')
  expect(await mainText(admin)).toContain('admin signed in')
  expect(complaints).toEqual([])
})

const ADMIN_PATHS = [
  'users',
  'users/1',
  'users/new',
  'settings/site',
  'settings/style',
  'settings/preview',
  'settings/accounts',
  'settings/files',
  'settings/sso',
  'events',
].map((path) => `/account/admin/${path}`)

// That none of them has to be scrolled sideways, layout.test.ts shows.
describe('the pages of an operator', () => {
  test('are less than 30 KB for a first look each, with the style sheet and its theme', async () => {
    const cookies = await (await openAsAdmin()).context().cookies()
    for (const path of ADMIN_PATHS) {
      const { page, complaints } = await visit({ javaScriptEnabled: true })
      await page.context().addCookies(cookies)
      const bytes = await bytesOf(page, path)
      expect([...bytes.keys()].filter((file) => file.endsWith('.css'))).toHaveLength(2)
      const sum = [...bytes.values()].reduce((total, one) => total + one, 0)
      expect(sum, path).toBeLessThan(MAX_FIRST_LOAD_BYTES)
      expect(complaints).toEqual([])
    }
  })
})
