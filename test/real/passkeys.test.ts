import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import type { Program } from '../support/program.ts'
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts'
import { findStockClient, StockSite } from './stock-client.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const NAME = 'alice'
const PASSWORD = 'alice-Passw0rd'
const REFUSED = 'the passkey was not accepted, try again'

const dist = findStockClient()

describe.skipIf(dist === undefined)('the stock web client 4.2.6', () => {
  let clone: Clone
  let program: Program
  let site: StockSite
  let browser: Browser
  let page: Page
  let authenticator: VirtualAuthenticator

  beforeAll(async () => {
    clone = new Clone()
    const port = await freePort()
    program = clone.start({ PORT: port, ADMIN_PASSWORD }, { args: ['--json'] })
    await program.until('serves on')
    const api = new Client(`http://127.0.0.1:${port}`)
    const token = (await api.signIn('admin', ADMIN_PASSWORD)).data.token
    const body = { username: NAME, password: PASSWORD, base_path: '/', permission: 0xc00 }
    await api.call('POST', '/api/admin/user/create', { token, body })
    await clone.latchkey(['setting', 'set', 'webauthn_login_enabled', 'true'])
    site = await StockSite.start(dist ?? '', api.url)
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await site.stop()
    await clone.remove()
  })

  /** Begins with a passkey, and signed out. */
  beforeEach(async () => {
    clone.sql('delete from passkeys')
    clone.sql('delete from throttle_counters')
    const context = await browser.newContext({ baseURL: site.url, locale: 'en' })
    // Its pages load pictures and fonts from elsewhere.
    await context.route(
      (url) => url.origin !== site.url,
      (route) => route.abort(),
    )
    page = await context.newPage()
    authenticator = await VirtualAuthenticator.addTo(page)
    await signInWithPassword()
    await register()
    await signOut()
    return () => context.close()
  })

  async function openSignIn(): Promise<void> {
    // It asks for a passkey as soon as it opens, which nobody shall answer.
    await authenticator.setPresent(false)
    await page.goto('/@login')
    await page.locator('[name=username]').waitFor()
  }

  async function signInWithPassword(): Promise<void> {
    await openSignIn()
    await page.locator('[name=username]').fill(NAME)
    await page.locator('[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Login', exact: true }).click()
    await page.waitForURL((url) => url.pathname === '/')
  }

  async function register(): Promise<void> {
    await authenticator.setPresent(true)
    await page.goto('/@manage')
    await page.getByRole('button', { name: 'Add a WebAuthn credential' }).click()
    await page.getByText('WebAuthn credential successfully added!').waitFor()
  }

  async function signOut(): Promise<void> {
    await page.getByRole('button', { name: 'logout' }).click()
    await page.waitForURL('**/@login**')
    expect(await page.evaluate(`localStorage.getItem('token')`)).toBeFalsy()
  }

  /** @param name Empty for any passkey that the authenticator has. */
  async function signInWithPasskey(name = ''): Promise<void> {
    await openSignIn()
    await page.locator('[name=username]').fill(name)
    await page.locator('svg.hope-icon').last().click()
    await page.locator('[name=password]').waitFor({ state: 'detached' })
    await authenticator.setPresent(true)
    await page.getByRole('button', { name: 'Login', exact: true }).click()
  }

  async function me(): Promise<string> {
    return page.evaluate(`fetch('/api/me', { headers: {
      Authorization: localStorage.getItem('token') ?? '',
    } }).then((response) => response.json()).then(({ data }) => data?.username ?? 'nobody')`)
  }

  test.each([
    ['without a name', ''],
    ['with a name', NAME],
  ])('signs in with a passkey %s', async (_, name) => {
    await signInWithPasskey(name)
    await page.waitForURL((url) => url.pathname === '/')
    expect(await me()).toBe(NAME)
  })

  test('signs in with the passkey that its page asks for as it opens', async () => {
    await authenticator.setPresent(true)
    await page.goto('/@login')
    await page.waitForURL((url) => url.pathname === '/')
    expect(await me()).toBe(NAME)
  })

  test('lists a passkey, and deletes it, after which it signs nobody in', async () => {
    await signInWithPassword()
    await page.goto('/@manage')
    const [row] = clone.sql('select aaguid from passkeys')
    const fingerprint = String(row?.['aaguid'])
      .toUpperCase()
      .replaceAll(/..(?=.)/g, '$& ')
    const item = page.getByText(`Fingerprint: ${fingerprint}`)
    await item.waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await item.waitFor({ state: 'detached' })
    expect(clone.sql('select name from passkeys')).toEqual([])
    await signOut()
    await signInWithPasskey()
    await page.getByText(REFUSED).waitFor()
    expect(await me()).toBe('nobody')
  })

  test.each([
    ['a bogus signature', { isBogusSignature: true }, 'signature'],
    ['a user who was not verified', { isBadUV: true }, 'user verification'],
    ['a user who was not present', { isBadUP: true }, 'user presence'],
  ])('shows words for %s', async (_, how, reason) => {
    const printed = program.stdout.length
    await authenticator.breakAnswers(how)
    await signInWithPasskey()
    await page.getByText(REFUSED).waitFor()
    expect(await me()).toBe('nobody')
    expect(program.stdout.slice(printed)).toContain(`"reason":"${reason}"`)
  })

  test('refuses a copy of the authenticator with an earlier counter', async () => {
    await signInWithPasskey()
    await page.waitForURL((url) => url.pathname === '/')
    expect(Number(clone.sql('select sign_count from passkeys')[0]?.['sign_count'])).toBeGreaterThan(
      1,
    )
    await page.goto('/@manage')
    await signOut()
    await authenticator.setCounters(0)
    await signInWithPasskey(NAME)
    await page.getByText(REFUSED).waitFor()
    expect(await me()).toBe('nobody')
    const cloned = clone.sql(`select detail from audit_events where kind = 'passkey_cloned'`)
    expect(cloned).toHaveLength(1)
  })
})
