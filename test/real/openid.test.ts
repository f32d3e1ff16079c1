import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts'
import { OPENLIST_PASSWORD, OpenListServer } from './openlist-server.ts'
import { findProgram } from './programs.ts'
import { findStockClient } from './stock-client.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const NAME = 'alice'
/** Has an account of OpenList already. */
const OTHER_NAME = 'bob'
const PASSWORD = 'alice-Passw0rd'
const ADDRESS = 'alice@example.org'

/**
 * Set to a folder, it gets the pictures of the guide (docs/openlist-sign-in.md); in Chinese with
 * `zh-CN` in the other variable.
 */
const PICTURES = process.env['GUIDE_PICTURES']
const LANGUAGE = process.env['GUIDE_LANGUAGE'] ?? 'en'

async function picture(of: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return
  mkdirSync(PICTURES, { recursive: true })
  const ending = LANGUAGE === 'en' ? '' : '-zh'
  // The logo of OpenList is elsewhere, and a browser would show a broken picture.
  await of.evaluate(`for (const image of document.images)
    if (image.naturalWidth === 0) image.style.display = 'none'`)
  await of.screenshot({
    path: join(PICTURES, `openid-${name}${ending}.png`),
    animations: 'disabled',
  })
}

/** Signs in on a page of ours, in any language. */
async function signInAt(page: Page, username: string, password: string): Promise<void> {
  await page.locator('#username').fill(username)
  await page.locator('#password').fill(password)
  await page.locator('form[action="/account/sign-in"] button:not([type])').click()
}

const program = findProgram('OPENLIST_BIN', 'openlist')
const dist = findStockClient()

describe.skipIf(program === undefined || dist === undefined)('a real OpenList', () => {
  let clone: Clone
  /** As browsers have it: passkeys work at localhost, and the files are on another site. */
  let issuer: string
  let openlist: OpenListServer
  let files: Client
  let browser: Browser
  let page: Page
  let authenticator: VirtualAuthenticator

  beforeAll(async () => {
    clone = new Clone()
    const { url } = await clone.serve(ADMIN_PASSWORD)
    issuer = url.replace('127.0.0.1', 'localhost')
    const api = new Client(url)
    const token = (await api.signIn('admin', ADMIN_PASSWORD)).data.token
    for (const username of [NAME, OTHER_NAME]) {
      const body = { username, password: PASSWORD, base_path: '/', permission: 0 }
      await api.call('POST', '/api/admin/user/create', { token, body })
    }
    await clone.latchkey(['setting', 'set', 'webauthn_login_enabled', 'true'])
    openlist = await OpenListServer.start(program ?? '', { host: '127.0.0.1', webClient: dist })
    files = openlist.client
    browser = await openBrowser()
    page = await open()
    await registerAtBoth()
    await page.context().close()
  })

  afterAll(async () => {
    await browser.close()
    await openlist.remove()
    await clone.remove()
  })

  async function open(): Promise<Page> {
    const context = await browser.newContext({
      baseURL: files.url,
      locale: LANGUAGE,
      viewport: { width: 900, height: 640 },
    })
    // Its pages load pictures and fonts from elsewhere.
    const own = [files.url, issuer].map((url) => new URL(url).origin)
    await context.route(
      (url) => !own.includes(url.origin),
      (route) => route.abort(),
    )
    const opened = await context.newPage()
    await opened.addInitScript(`localStorage.setItem('lang', '${LANGUAGE}')`)
    return opened
  }

  /** Writes what `client add` prints into OpenList's settings, on its page, and nothing else. */
  async function registerAtBoth(): Promise<void> {
    const add = ['--json', 'client', 'add', 'files', '--openlist', files.url, '--first-party']
    const added = await clone.latchkey([...add, '--issuer', issuer])
    expect(added, added.stderr).toMatchObject({ code: 0 })
    const { settings }: { settings: Record<string, string> } = JSON.parse(added.stdout)
    const { sso_client_secret: secret = '' } = settings
    expect(Object.keys(settings)).toHaveLength(7)
    await signInToOpenList('admin', OPENLIST_PASSWORD)
    await page.setViewportSize({ width: 1000, height: 1180 })
    await page.goto('/@manage/settings/sso')
    await page.locator('#sso_client_id').waitFor()
    for (const [name, value] of Object.entries({ ...settings, sso_client_secret: 'lks_…' }))
      await fillSetting(name, value)
    await picture(page, 'settings')
    await fillSetting('sso_client_secret', secret)
    const saved = page.waitForResponse((response) => response.url().endsWith('/setting/save'))
    await page.getByRole('button', { name: /^(?:Save|保存)$/ }).click()
    expect(await (await saved).json()).toMatchObject({ code: 200 })
  }

  async function fillSetting(name: string, value: string): Promise<void> {
    const field = page.locator(`#${name}`)
    if (value === 'true') {
      if (!(await field.isChecked())) await page.locator(`label[for=${name}]`).last().click()
    } else if (name === 'sso_login_platform') {
      await page.locator(`#${name}-trigger`).click()
      await page.getByRole('option', { name: value }).click()
    } else await field.fill(value)
  }

  async function signInToOpenList(username: string, password: string): Promise<void> {
    await page.goto('/@login')
    await page.locator('input').nth(0).fill(username)
    await page.locator('input').nth(1).fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === '/')
  }

  beforeEach(async () => {
    clone.sql('delete from throttle_counters')
    page = await open()
    authenticator = await VirtualAuthenticator.addTo(page)
  })
  afterEach(() => page.context().close())

  async function openPopup(): Promise<Page> {
    await page.goto('/@login')
    const button = page.locator('svg.hope-icon').last()
    await button.waitFor()
    await picture(page, 'openlist')
    const opened = page.waitForEvent('popup')
    await button.click()
    return opened
  }

  function setAddress(address: string, isVerified: boolean): void {
    const change = 'update users set email = ?, email_verified = ? where username = ?'
    clone.sql(change, address, Number(isVerified), NAME)
  }

  async function me(): Promise<string> {
    await page.waitForURL((url) => url.pathname === '/')
    return page.evaluate(`fetch('/api/me', { headers: {
      Authorization: localStorage.getItem('token') ?? '',
    } }).then((response) => response.json()).then(({ data }) => data?.username ?? 'nobody')`)
  }

  test('signs alice in with her password, and then without a question', async () => {
    const popup = await openPopup()
    await popup.getByText(new URL(files.url).host).waitFor()
    await popup.locator('.passkey > button').waitFor()
    await picture(popup, 'popup')
    await signInAt(popup, NAME, PASSWORD)
    expect(await me()).toBe(NAME)
    await page.evaluate(`localStorage.removeItem('token')`)
    await openPopup()
    expect(await me()).toBe(NAME)
  })

  test('binds an account that OpenList has already, which stops its registration', async () => {
    const token = (await files.signIn('admin', OPENLIST_PASSWORD)).data.token
    const local = {
      username: OTHER_NAME,
      password: PASSWORD,
      base_path: '/',
      role: 0,
      permission: 0,
    }
    await files.call('POST', '/api/admin/user/create', { token, body: local })
    const popup = await openPopup()
    await signInAt(popup, OTHER_NAME, PASSWORD)
    await popup.getByText('UNIQUE constraint failed').waitFor()
    await popup.close()
    await signInToOpenList(OTHER_NAME, PASSWORD)
    await page.goto('/@manage')
    const opened = page.waitForEvent('popup')
    await page.getByRole('button', { name: /^(?:Connect to Single Sign-On|绑定单点登录)/ }).click()
    await opened
    await page.getByRole('button', { name: /^(?:Disconnect from Single|解绑单点登录)/ }).waitFor()
    await page.evaluate(`localStorage.removeItem('token')`)
    await openPopup()
    expect(await me()).toBe(OTHER_NAME)
  })

  describe.skipIf(LANGUAGE !== 'en')('that knows users by their e-mail addresses', () => {
    beforeAll(async () => {
      // OpenList reads the ID token alone: `client add --email-in-id-token`.
      clone.sql('update openid_clients set email_in_id_token = 1')
      await openlist.set({ sso_extra_scopes: 'email', sso_oidc_username_key: 'email' })
    })
    afterAll(() => openlist.set({ sso_extra_scopes: '', sso_oidc_username_key: 'name' }))

    test('signs alice in with the address that she has confirmed', async () => {
      setAddress(ADDRESS, true)
      await signInAt(await openPopup(), NAME, PASSWORD)
      expect(await me()).toBe(ADDRESS)
    })

    test.each([
      ['an address that is not confirmed', ADDRESS],
      ['no address', ''],
    ])('gets none, and refuses, for %s', async (_, address) => {
      setAddress(address, false)
      const popup = await openPopup()
      await signInAt(popup, NAME, PASSWORD)
      await popup.getByText('cannot get username from OIDC provider').waitFor()
      expect(await page.evaluate(`localStorage.getItem('token') ?? ''`)).toBe('')
    })
  })

  test.skipIf(LANGUAGE !== 'en')('signs alice in with her passkey', async () => {
    const account = await page.context().newPage()
    authenticator = await VirtualAuthenticator.addTo(account)
    await account.goto(`${issuer}/account/sign-in`)
    await signInAt(account, NAME, PASSWORD)
    await account.waitForURL('**/account')
    await account.goto(`${issuer}/account/security`)
    await account.getByRole('button', { name: 'Add a passkey' }).click()
    await account.getByLabel('Name').fill('laptop')
    await account.getByRole('button', { name: 'Create passkey' }).click()
    await account.getByText('The passkey was added.').waitFor()
    await account.getByRole('button', { name: 'Sign out' }).click()
    await account.waitForURL('**/sign-in?*')
    const kept = await authenticator.credentials()
    const popup = await openPopup()
    // The page asks for a passkey as it opens, so the device answers as soon as it has one.
    const other = await VirtualAuthenticator.addTo(popup)
    for (const credential of kept) await other.add(credential)
    expect(await me()).toBe(NAME)
    const [grant] = clone.sql('select amr from openid_grants order by created_at desc limit 1')
    expect(grant?.['amr']).toMatch(/^passkey/)
  })
})
