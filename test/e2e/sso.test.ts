import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { ssoStates, type SsoTour } from '../screenshots/sso-states.ts'
import { axeFaults } from '../support/axe.ts'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { LANGUAGES, layoutFaults } from '../support/layout.ts'
import { OidcProvider, signInAt } from '../support/oidc-provider.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'

/** A page that does not come must not hold the others up. */
const ACTION_MILLISECONDS = 30_000

let clone: Clone
let client: Client
let provider: OidcProvider
let browser: Browser
let context: BrowserContext
let page: Page
let admin: string

vi.setConfig({ testTimeout: 2 * ACTION_MILLISECONDS })

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  client = await clone.serve()
  provider = await OidcProvider.start(await freePort(), client.url)
  browser = await openBrowser({ isPainting: false })
  admin = (await client.signIn('admin', ADMIN_PASSWORD)).data.token
})
afterAll(async () => {
  await browser.close()
  await provider.stop()
  await clone.remove()
})
beforeEach(async () => {
  clone.sql('delete from identities')
  clone.sql("delete from users where username not in ('admin', 'guest')")
  await set({})
  context = await browser.newContext({
    baseURL: client.url,
    locale: 'en',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(ACTION_MILLISECONDS)
  page = await context.newPage()
  return () => context.close()
})

async function set(values: Record<string, string>): Promise<void> {
  const all = {
    sso_login_enabled: 'true',
    sso_login_platform: 'OIDC',
    sso_client_id: CLIENT_ID,
    sso_client_secret: CLIENT_SECRET,
    sso_endpoint_name: provider.issuer,
    sso_oidc_username_key: 'preferred_username',
    sso_auto_register: 'false',
    sso_compatibility_mode: 'false',
    ...values,
  }
  const body = Object.entries(all).map(([key, value]) => ({ key, value }))
  const saved = await client.call('POST', '/api/admin/setting/save', { token: admin, body })
  expect(saved).toMatchObject({ code: 200 })
}

/** A phone, the window of the stock client, and a screen. */
const WIDTHS = [360, 500, 1280]
/** Twenty states of pages, each looked at in three widths. */
const TOUR_MILLISECONDS = 300_000

/** Opens the stock client's window from a page of the site, and returns what that page is told. */
async function openWindow(method: string, act: (popup: Page) => Promise<void>) {
  await page.goto('/ping')
  const opened = context.waitForEvent('page')
  const told: Promise<{ origin: string; data: Record<string, string> }> = page.evaluate(
    `new Promise((resolve) => {
      addEventListener('message', ({ origin, data }) => resolve({ origin, data }))
      open('/api/auth/sso?method=${method}', '_blank', 'width=500,height=600')
    })`,
  )
  const popup = await opened
  await act(popup)
  return told
}

test('a new user signs in with the button of our page, and comes back to the wanted page', async () => {
  await set({ sso_auto_register: 'true' })
  await page.goto('/account/sign-in?next=/account/sessions')
  expect(await axeFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with OpenID' }).click()
  await signInAt(page, 'alice')
  await page.waitForURL('**/account/sessions')
  await page.goto('/account/security')
  await page.getByRole('heading', { name: 'alice' }).waitFor()
  await page.getByText('when this account was created').waitFor()
  expect(await axeFaults(page)).toEqual([])
  // It is the only way in.
  await page.locator('article', { hasText: 'Linked accounts' }).getByText('Unlink').first().click()
  await page.getByRole('button', { name: 'Unlink account' }).click()
  await page.getByText('You could not sign in any more.').waitFor()
})

test('a window of the stock client gives its token to the page that opened it', async () => {
  await set({ sso_auto_register: 'true' })
  const { origin, data } = await openWindow('sso_get_token', (popup) => signInAt(popup, 'bob'))
  expect(origin).toBe(new URL(client.url).origin)
  const { token } = data
  const me = await client.call('GET', '/api/me', { ...(token !== undefined && { token }) })
  expect(me).toMatchObject({ code: 200, data: { username: 'bob', sso_id: 'bob' } })
  await expect.poll(() => context.pages().length).toBe(1)
})

test('a window that asks for more keeps the page that opened it', async () => {
  const { data } = await openWindow('sso_get_token', async (popup) => {
    await signInAt(popup, 'root')
    await popup.getByText('No user here is linked with the OpenID account “root”.').waitFor()
    await popup.getByLabel('User name').fill('admin')
    await popup.getByLabel('Password').fill(ADMIN_PASSWORD)
    await popup.getByRole('button', { name: 'Sign in and link' }).click()
  })
  const { token } = data
  const me = await client.call('GET', '/api/me', { ...(token !== undefined && { token }) })
  expect(me).toMatchObject({ data: { username: 'admin', sso_id: 'root' } })
  clone.sql("update users set sso_id = ''")
})

test('a page of another origin is told nothing', async () => {
  await set({ sso_auto_register: 'true' })
  const other = await context.newPage()
  // The same server under another name is another origin.
  await other.goto(client.url.replace('127.0.0.1', 'localhost').replace(/\/?$/, '/ping'))
  const opened = context.waitForEvent('page')
  await other.evaluate(
    `window.told = []
    addEventListener('message', ({ data }) => window.told.push(data))
    open('${new URL('/api/auth/sso?method=sso_get_token', client.url).href}')`,
  )
  const popup = await opened
  const closed = popup.waitForEvent('close')
  await signInAt(popup, 'carol')
  await closed
  expect(await other.evaluate('window.told')).toEqual([])
})

test('an account is linked on the page Security', async () => {
  await page.goto('/account/sign-in')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/account')
  await page.goto('/account/security')
  await page.getByText('Link your OpenID account').click()
  await page.getByRole('button', { name: 'Continue to the provider' }).click()
  await signInAt(page, 'dora')
  await page.getByText('The account is linked.').waitFor()
  await page.getByText('Linked by you just now').waitFor()
  expect(await axeFaults(page)).toEqual([])
})

test('another Latchkey is the identity provider', async () => {
  const other = new Clone(inject('startedSite'))
  try {
    // Cookies don't tell ports apart, so the other site has another host name.
    const { url } = await other.serve()
    const issuer = new URL(url.replace('127.0.0.1', 'localhost')).origin
    const site = new URL(client.url).origin
    const command = ['client', 'add', 'files', '--openlist', site, '--issuer', issuer, '--json']
    const added = await other.command(command)
    const registered: Record<string, string> = JSON.parse(added.stdout)
    await set({
      sso_endpoint_name: issuer,
      sso_client_id: registered['client_id'] ?? '',
      sso_client_secret: registered['client_secret'] ?? '',
      sso_auto_register: 'true',
    })
    const checked = await clone.command(['--json', 'sso', 'test'])
    expect(JSON.parse(checked.stdout)).toMatchObject({ client_accepted: true })
    await page.goto('/account/sign-in?next=/account/security')
    await page.getByRole('button', { name: 'Sign in with OpenID' }).click()
    await page.waitForURL(`${issuer}/**`)
    await page.getByLabel('User name').fill('admin')
    await page.getByLabel('Password').fill(ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${site}/account/security`)
    // Nobody but an administrator may be called so, and that account is not taken over.
    await page.getByRole('heading', { name: 'admin', exact: true }).waitFor()
    expect(clone.sql('select username from users order by id desc limit 1')).toEqual([
      { username: 'user-2' },
    ])
  } finally {
    await other.remove()
  }
})

test('an operator learns whether the provider accepts client ID and client secret', async () => {
  const command = ['--json', 'sso', 'test']
  const good = await clone.command(command)
  expect(JSON.parse(good.stdout)).toMatchObject({
    platform: 'OIDC',
    host: new URL(provider.issuer).host,
    client_accepted: true,
  })
  for (const wrong of [{ sso_client_id: 'other' }, { sso_client_secret: 'other' }]) {
    await set(wrong)
    expect(await clone.command(command)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not accept the client ID or the client secret'),
    })
  }
})

test('in compatibility mode the token stands in the address of the stock client', async () => {
  await set({ sso_auto_register: 'true', sso_compatibility_mode: 'true' })
  const publicSettings = await client.call('GET', '/api/public/settings')
  expect(publicSettings.data).toMatchObject({
    sso_login_enabled: 'true',
    sso_login_platform: 'OIDC',
    sso_compatibility_mode: 'true',
  })
  expect(JSON.stringify(publicSettings)).not.toContain(CLIENT_SECRET)
  await page.goto('/api/auth/sso?method=sso_get_token')
  await signInAt(page, 'erin')
  await page.waitForURL('**/@login?token=*')
  const token = new URL(page.url()).searchParams.get('token') ?? ''
  expect(await client.call('GET', '/api/me', { token })).toMatchObject({
    data: { username: 'erin' },
  })
})

describe('no page of single sign-on has a fault in its layout or for axe', () => {
  let other: Clone
  let putBack: () => void
  let tour: SsoTour
  // Browsers have passkeys at localhost, and none at an IP address.
  let baseURL: string

  beforeAll(async () => {
    other = new Clone(inject('startedSite'))
    const served = await other.serve()
    putBack = other.remember()
    baseURL = served.url.replace('127.0.0.1', 'localhost')
    const others = await OidcProvider.start(await freePort(), baseURL)
    tour = { site: new Client(baseURL), provider: others }
    return async () => {
      await others.stop()
      await other.remove()
    }
  })

  test.each(LANGUAGES)(
    'in %s',
    async (language) => {
      const options = { baseURL, locale: language, reducedMotion: 'reduce' } as const
      const tab = await (await browser.newContext(options)).newPage()
      try {
        const found: string[] = []
        const seen = new Set<string>()
        await ssoStates(tab, tour, async (name) => {
          seen.add(name)
          for (const width of WIDTHS) {
            await tab.setViewportSize({ width, height: 800 })
            const faults = await layoutFaults(tab, language)
            found.push(...faults.map((fault) => `${name} at ${width}: ${fault}`))
          }
          // The elements and colours are the same in all languages, and so is what axe finds.
          if (language === 'en')
            found.push(...(await axeFaults(tab)).map((fault) => `${name}: ${fault}`))
        })
        expect(found).toEqual([])
        expect(seen.size).toBeGreaterThan(12)
      } finally {
        await tab.context().close()
        putBack()
      }
    },
    TOUR_MILLISECONDS,
  )
})
