import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { OidcProvider, signInAt } from '../support/oidc-provider.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'
import { findStockClient, StockSite } from './stock-client.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const PASSWORD = 'alice-Passw0rd'
const ACTION_MILLISECONDS = 30_000

const dist = findStockClient()

describe.skipIf(dist === undefined)('single sign-on in the stock web client 4.2.6', () => {
  let clone: Clone
  let api: Client
  let site: StockSite
  let provider: OidcProvider
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    clone = new Clone()
    const port = await freePort()
    const program = clone.start({ PORT: port, ADMIN_PASSWORD }, { args: ['--json'] })
    await program.until('serves on')
    api = new Client(`http://127.0.0.1:${port}`)
    site = await StockSite.start(dist ?? '', api.url)
    provider = await OidcProvider.start(await freePort(), site.url)
    browser = await openBrowser()
    const body = { username: 'alice', password: PASSWORD, base_path: '/', permission: 0xc00 }
    await api.call('POST', '/api/admin/user/create', { token: await admin(), body })
  })

  afterAll(async () => {
    await browser.close()
    await provider.stop()
    await site.stop()
    await clone.remove()
  })

  beforeEach(async () => {
    clone.sql('delete from identities')
    clone.sql("update users set sso_id = ''")
    const context = await browser.newContext({ baseURL: site.url, locale: 'en' })
    context.setDefaultTimeout(ACTION_MILLISECONDS)
    // Its pages load pictures and fonts from elsewhere.
    await context.route(
      (url) => url.origin !== site.url && url.origin !== new URL(provider.issuer).origin,
      (route) => route.abort(),
    )
    page = await context.newPage()
    return () => context.close()
  })

  async function admin(): Promise<string> {
    return (await api.signIn('admin', ADMIN_PASSWORD)).data.token
  }

  async function set(isCompatible: boolean): Promise<void> {
    const values = {
      sso_login_enabled: 'true',
      sso_login_platform: 'OIDC',
      sso_client_id: CLIENT_ID,
      sso_client_secret: CLIENT_SECRET,
      sso_endpoint_name: provider.issuer,
      sso_compatibility_mode: String(isCompatible),
    }
    const body = Object.entries(values).map(([key, value]) => ({ key, value }))
    const saved = await api.call('POST', '/api/admin/setting/save', { token: await admin(), body })
    expect(saved).toMatchObject({ code: 200 })
  }

  async function signInWithPassword(): Promise<void> {
    await page.goto('/@login')
    await page.locator('[name=username]').fill('alice')
    await page.locator('[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Login', exact: true }).click()
    await page.waitForURL((url) => url.pathname === '/')
  }

  async function me(): Promise<{ username: string; sso_id: string }> {
    return page.evaluate(`fetch('/api/me', { headers: {
      Authorization: localStorage.getItem('token') ?? '',
    } }).then((response) => response.json()).then(({ data }) => data ?? {})`)
  }

  async function signOut(): Promise<void> {
    await page.evaluate(`localStorage.removeItem('token')`)
  }

  /** Presses what opens the provider, and signs in there: in a window, or in this page. */
  async function pass(press: () => Promise<void>, isCompatible: boolean): Promise<void> {
    if (isCompatible) {
      await press()
      await signInAt(page, 'alice')
      return
    }
    const opened = page.context().waitForEvent('page')
    await press()
    const popup = await opened
    const closed = popup.waitForEvent('close')
    await signInAt(popup, 'alice')
    await closed
  }

  test.each([
    ['a window', false],
    ['compatibility mode', true],
  ])('binds an account in its profile and signs in with it: %s', async (_, isCompatible) => {
    await set(isCompatible)
    await signInWithPassword()
    await page.goto('/@manage')
    await pass(
      () => page.getByRole('button', { name: 'Connect to Single Sign-On Platform' }).click(),
      isCompatible,
    )
    await expect
      .poll(() => clone.sql('select subject from identities'), { timeout: ACTION_MILLISECONDS })
      .toEqual([{ subject: 'alice' }])
    await signOut()
    await page.context().clearCookies()
    await page.goto('/@login')
    await pass(() => page.locator('svg.hope-icon').last().click(), isCompatible)
    await expect
      .poll(async () => (await me()).username, { timeout: ACTION_MILLISECONDS })
      .toBe('alice')
    expect(await me()).toMatchObject({ sso_id: 'alice' })
  })
})
