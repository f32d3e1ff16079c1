import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { openVisit } from '../support/visit.ts'

/** Ends whatever it may stand in, and runs in each way that a browser knows. */
const MARKUP =
  `"'></textarea></title></select></style><script>alert(1)</script>` +
  `<img src=/x onerror=alert(2)><svg onload=alert(3)><a href=javascript:alert(4)>{{alert(5)}}`
const SCRIPT = '<script>alert(1)</script>'
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
const SETTING_KEYS = [
  'announcement',
  'site_title',
  'logo',
  'favicon',
  'main_color',
  'robots_txt',
  'home_icon',
  'home_container',
  'iframe_previews',
  'audio_cover',
  'hide_files',
  'search_index',
  'sso_login_platform',
]

/** What nothing but a text that was taken for markup would have put on a page. */
const FOREIGN = `[...document.querySelectorAll('*')].filter((element) =>
  element.matches('[src="/x"], script:not([src^="/script-"], [src^="/passkeys-"]), style, iframe, [href^="javascript:" i]') ||
  [...element.attributes].some(({ name }) => name.startsWith('on') || name === 'style')
).map((element) => element.outerHTML)`

let clone: Clone
let site: Client
let browser: Browser

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  // Before the site starts, because its first run copies the settings to KV.
  for (const key of SETTING_KEYS) {
    clone.sql('INSERT INTO settings (key, value) VALUES (?, ?)', key, MARKUP)
  }
  site = await clone.serve()
  browser = await openBrowser({ isPainting: false })
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})

async function signIn(page: Page): Promise<void> {
  await page.goto('/account/sign-in')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill(ADMIN_PASSWORD)
  await page.locator('form[action="/account/sign-in"] button:not([type])').click()
  await page.waitForURL('**/account')
}

/** What a user has typed, and behind the service's back what no user could have. */
async function fillWithMarkup(page: Page): Promise<void> {
  await page.goto('/account/keys/add')
  await page.getByLabel('Title').fill(MARKUP)
  await page.getByLabel('Public key').fill(KEY)
  await page.getByRole('button', { name: 'Add key' }).click()
  await page.goto('/account/admin/users/new')
  // A name has no slash, but for one written past every check.
  await page.getByLabel('User name').fill(MARKUP.replaceAll('/', ''))
  await page.getByLabel('Base folder').fill(`/${MARKUP}`)
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByLabel('Password of').waitFor()
  clone.sql('UPDATE users SET username = ?, base_path = ? WHERE role <> 1', MARKUP, MARKUP)
  clone.sql('UPDATE ssh_keys SET fingerprint = ?, type = ?', MARKUP, MARKUP)
  clone.sql('UPDATE sessions SET network = ?, user_agent = ?', MARKUP, MARKUP)
  clone.sql(
    'UPDATE audit_events SET detail = ?, network = ?, user_agent = ?',
    MARKUP,
    MARKUP,
    MARKUP,
  )
}

const PATHS = [
  '',
  '/security',
  '/keys',
  '/sessions',
  '/activity',
  '/admin/users',
  `/admin/users?search=${encodeURIComponent(MARKUP)}`,
  '/admin/users/1',
  '/admin/users/3',
  '/admin/events',
  `/admin/events?user=${encodeURIComponent(`${MARKUP}?`)}`,
  ...['site', 'accounts', 'style', 'files', 'preview', 'sso'].map(
    (name) => `/admin/settings/${name}`,
  ),
]

test('markup in every text is a text on every page, and nothing runs', async () => {
  const { page, complaints } = await openVisit(browser, site.url, { javaScriptEnabled: true })
  await signIn(page)
  await fillWithMarkup(page)
  for (const path of PATHS) {
    await page.goto(`/account${path}`)
    expect(await page.locator('body').innerText(), path).toContain(SCRIPT)
    expect(await page.title()).toContain(SCRIPT)
    expect(await page.evaluate(FOREIGN), path).toEqual([])
  }
  expect(complaints).toEqual([])
  const colour = "getComputedStyle(document.documentElement).getPropertyValue('--site')"
  expect(await page.evaluate(colour)).toBe('#1890ff')
})

test('markup that did get onto a page would not run either, and would be noticed', async () => {
  const { page, complaints } = await openVisit(browser, site.url, { javaScriptEnabled: true })
  await page.goto('/account/sign-in')
  const add = `document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(MARKUP)})`
  await page.evaluate(add)
  await page.waitForLoadState('networkidle')
  expect(await page.evaluate(FOREIGN)).not.toEqual([])
  expect(complaints.join('\n')).toMatch(/Content Security Policy/)
  expect(complaints.join('\n')).not.toContain('a dialog')
})
