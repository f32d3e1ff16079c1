import jsQR from 'jsqr'
import { decode } from 'fast-png'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { openBrowser } from '../support/browser.ts'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { press } from '../support/press.ts'
import { bytesOf, openVisit, type VisitOptions } from '../support/visit.ts'

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD alice@laptop'
const FINGERPRINT = 'SHA256:z+RHhrSI14ihEPmFEDKqy+NObbJgE4Bk/ZmoTt0aMPA'
const MAX_FIRST_LOAD_BYTES = 30 * 1024

let clone: Clone
let site: Client
let browser: Browser
let context: BrowserContext
/** What the browser complained about. */
let complaints: string[]

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})
afterEach(() => context.close())

async function open(options: VisitOptions = {}): Promise<Page> {
  const visit = await openVisit(browser, site.url, options)
  complaints = visit.complaints
  context = visit.page.context()
  return visit.page
}

async function signIn(page: Page, code?: string): Promise<void> {
  await page.goto('/')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password').fill(ADMIN_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  if (code === undefined) return
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Verify' }).click()
}

/**
 * Reads the QR code off the screen, as a phone would: until no page fades over it. The secret in
 * it.
 */
async function scan(page: Page): Promise<string> {
  const code = page.locator('.qr')
  const uri = await vi.waitUntil(async () => readCode(await code.screenshot()), {
    timeout: 30_000,
  })
  return new URL(uri).searchParams.get('secret') ?? ''
}

/** The text of the QR code in a picture, if it shows one whole. */
function readCode(png: Buffer): string | undefined {
  const image = decode(png)
  const rgba = new Uint8ClampedArray(image.width * image.height * 4).fill(255)
  for (let pixel = 0; pixel < image.width * image.height; pixel++) {
    for (let part = 0; part < 3; part++) {
      rgba[pixel * 4 + part] = image.data[pixel * image.channels + part] ?? 0
    }
  }
  return jsQR(rgba, image.width, image.height)?.data
}

/** Opens a page; on a phone, the pages stand behind a button. */
async function goTo(page: Page, name: string): Promise<void> {
  const button = page.locator('.open-pages > summary')
  if (await button.isVisible()) await button.click()
  await page.getByRole('navigation').getByRole('link', { name }).click()
}

async function addKey(page: Page, title: string, key = KEY): Promise<void> {
  await goTo(page, 'SSH keys')
  await page.getByRole('button', { name: 'Add key' }).click()
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Public key').fill(key)
  await press(page.getByRole('button', { name: 'Add key' }))
}

async function goThroughEverything(page: Page): Promise<void> {
  await signIn(page)
  await goTo(page, 'Security')
  await page.getByRole('button', { name: 'Set up' }).click()
  const secret = await scan(page)
  expect((await page.locator('.secret').innerText()).replaceAll(' ', '')).toBe(secret)
  await page.getByLabel('Code').fill(phoneCode(secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  const codes = (await page.getByLabel('Your recovery codes').inputValue()).split('\n')
  expect(codes).toHaveLength(10)
  await page.getByRole('button', { name: 'Sign out' }).click()
  expect(await page.getByRole('status').innerText()).toBe('You are signed out.')

  const other = await signInElsewhere(codes[0] ?? '')
  await signIn(page, phoneCode(secret, Date.now(), 1))
  await addKey(page, 'laptop')
  await page.locator('.menu > summary').click()
  expect(await page.getByRole('main').innerText()).toContain(FINGERPRINT)
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete key' }).click()
  expect(await page.getByRole('main').innerText()).toContain('No keys yet')

  await goTo(page, 'Sessions')
  expect(await page.getByRole('listitem').filter({ hasText: 'Unknown app' }).count()).toBe(1)
  await page.locator('summary').filter({ hasText: 'Sign out everywhere else' }).click()
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  expect(await page.getByRole('main').innerText()).toContain('You are not signed in anywhere else.')
  expect(await site.call('GET', '/api/me', { token: other })).toMatchObject({ code: 401 })

  await goTo(page, 'Security')
  await page.getByText('Turn off', { exact: true }).first().click()
  await page.locator('#off-code').fill(codes[1] ?? '')
  await page.getByRole('button', { name: 'Turn off' }).click()
  expect(await page.getByRole('status').innerText()).toBe('Two-step verification is off.')
}

/** A session of another program; its token. */
async function signInElsewhere(code: string): Promise<string> {
  const answer = await fetch(`${site.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'User-Agent': 'another' },
    body: JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD, otp_code: code }),
  })
  const { data }: { data: { token: string } } = await answer.json()
  return data.token
}

describe('a person on a phone', () => {
  test('does everything without JavaScript', async () => {
    await goThroughEverything(await open())
    expect(complaints).toEqual([])
  })

  test('does everything with JavaScript, on a wide screen as well', async () => {
    await goThroughEverything(
      await open({ javaScriptEnabled: true, width: 1280, hasTransitions: true }),
    )
    expect(complaints).toEqual([])
  })

  test('signs in and adds a key with the keyboard alone', async () => {
    const page = await open()
    await page.goto('/')
    await page.waitForSelector('#username:focus')
    await page.keyboard.type('admin')
    await page.keyboard.press('Tab')
    await page.keyboard.type(ADMIN_PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account')
    await tabTo(page, '.open-pages > summary')
    await page.keyboard.press('Enter')
    await tabTo(page, 'a[href="/account/keys"]')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account/keys')
    await tabTo(page, 'a[href="/account/keys/add"]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#key:focus')
    await page.keyboard.type('nonsense')
    await page.keyboard.press('Tab')
    await page.keyboard.type('by keyboard')
    await page.keyboard.press('Enter')
    // The field that is wrong has the focus at once.
    await page.waitForSelector('#key:focus')
    expect(await page.locator('#key-problem').count()).toBe(1)
    await page.keyboard.press('Control+A')
    await page.keyboard.type(KEY)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/account/keys?done=key-added#newest')
    expect(await page.getByRole('main').innerText()).toContain('by keyboard')
  })

  test('never has to scroll sideways', async () => {
    const page = await open()
    await signIn(page)
    await addKey(page, 'W'.repeat(250), 'ssh-rsa AAAA')
    for (const path of ['', '/security', '/keys', '/keys/add', '/sessions', '/activity']) {
      if (path !== '') await page.goto(`/account${path}`)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect(width, path).toBe(390)
    }
  })
})

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 30; presses++) {
    if ((await page.locator(`${selector}:focus`).count()) === 1) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reaches ${selector}`)
}

describe('a password', () => {
  test('is shown and hidden by a button that only the script shows', async () => {
    const plain = await open()
    await plain.goto('/account/sign-in')
    expect(await plain.locator('[data-reveal]').isVisible()).toBe(false)
    await context.close()
    const page = await open({ javaScriptEnabled: true })
    await page.goto('/account/sign-in')
    await page.getByLabel('User name').fill('admin')
    await page.getByLabel('Password').fill(ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Show' }).click()
    expect(await page.getByLabel('Password').getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Hide' }).click()
    expect(await page.getByLabel('Password').getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/account')
    expect(complaints).toEqual([])
  })
})

describe('what travels', () => {
  test('is less than 30 KB for a first look, with a style sheet and a theme that are kept', async () => {
    const page = await open({ javaScriptEnabled: true })
    const first = await bytesOf(page, '/account/sign-in')
    expect([...first.keys()].filter((path) => path.endsWith('.css'))).toHaveLength(2)
    const sum = [...first.values()].reduce((total, bytes) => total + bytes, 0)
    expect(sum).toBeLessThan(MAX_FIRST_LOAD_BYTES)
    const second = await bytesOf(page, '/account/sign-in')
    expect([...second.keys()]).toEqual(['/account/sign-in'])
  })

  test('is from here alone', async () => {
    const page = await open({ javaScriptEnabled: true })
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    await signIn(page)
    for (const path of ['/security', '/keys', '/sessions', '/activity']) {
      await page.goto(`/account${path}`)
    }
    expect([...hosts].filter((host) => host !== 'null')).toEqual([site.url])
    expect(complaints).toEqual([])
  })
})

describe('on a phone', () => {
  test('one button names the present page and opens the others, without a script', async () => {
    const page = await open()
    await signIn(page)
    await page.goto('/account/sessions')
    const button = page.locator('.open-pages > summary')
    expect((await button.innerText()).split(/\s+/)).toEqual(['Menu', 'Sessions'])
    const navigation = page.getByRole('navigation', { name: 'Account' })
    expect(await navigation.count()).toBe(0)
    const main = await page.locator('main').boundingBox()
    expect(main?.y).toBeLessThan(120)
    await button.click()
    expect(await navigation.getByRole('link').count()).toBeGreaterThan(12)
    await navigation.getByRole('link', { name: 'Users' }).click()
    await page.waitForURL('**/account/admin/users')
    expect(await button.innerText()).toContain('Users')
    const first = await page.locator('.users tbody th a').first().boundingBox()
    expect((first?.y ?? 999) + (first?.height ?? 0)).toBeLessThan(320)
    expect(complaints).toEqual([])
  })

  test('a screen has all pages beside the present one, and no such button', async () => {
    const page = await open({ width: 1280 })
    await signIn(page)
    expect(await page.locator('.open-pages').isVisible()).toBe(false)
    expect(await page.locator('nav [aria-current]').isVisible()).toBe(true)
  })
})

describe('the script', () => {
  test('reads the file of a public key, and no private one', async () => {
    const page = await open({ javaScriptEnabled: true })
    await signIn(page)
    await page.goto('/account/keys/add')
    const choose = async (name: string, text: string) => {
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Choose a file' }).click()
      const buffer = Buffer.from(text)
      await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer })
    }
    const field = page.getByLabel('Public key')
    await choose('id.pub', 'ssh-ed25519 AAAA alice@laptop\n')
    await expect.poll(() => field.inputValue()).toBe('ssh-ed25519 AAAA alice@laptop')
    await choose('id', '-----BEGIN OPENSSH PRIVATE KEY-----\n')
    await page.getByText('This is a private key. It was not read.').waitFor()
    expect(await field.inputValue()).toBe('')
  })

  test('counts down until the sign-in works again', async () => {
    for (let failures = 0; failures < 5; failures++) await site.signIn('mallory', 'wrong')
    const page = await open({ javaScriptEnabled: true })
    await page.clock.install()
    await page.goto('/account/sign-in')
    await page.getByLabel('User name').fill('mallory')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const words = page.getByRole('alert')
    expect(await words.innerText()).toBe('Too many failed attempts. Try again in 5 minutes.')
    await page.clock.runFor(61_000)
    expect(await words.innerText()).toBe('Too many failed attempts. Try again in 4 minutes.')
    await page.clock.runFor(3 * 60_000)
    expect(await words.innerText()).toMatch(/Try again in 5\d seconds\.$/)
    expect(complaints.filter((complaint) => !complaint.includes('429'))).toEqual([])
  })

  test('counts down in the words of the server, in Chinese', async () => {
    for (let failures = 0; failures < 5; failures++) await site.signIn('mallet', 'wrong')
    const page = await open({ javaScriptEnabled: true, locale: 'zh-CN' })
    await page.clock.install()
    await page.goto('/account/sign-in')
    await page.locator('#username').fill('mallet')
    await page.locator('#password').fill('wrong')
    await page.getByRole('button', { name: '登录' }).click()
    const words = page.getByRole('alert')
    expect(await words.innerText()).toBe('失败次数过多，请在 5 分钟后重试。')
    await page.clock.runFor(61_000)
    expect(await words.innerText()).toBe('失败次数过多，请在 4 分钟后重试。')
  })

  test('puts times into the zone of the visitor', async () => {
    const page = await open({ javaScriptEnabled: true })
    await signIn(page)
    await page.goto('/account/activity')
    const time = page.locator('time').first()
    const at = new Date((await time.getAttribute('datetime')) ?? '')
    const inShanghai = new Intl.DateTimeFormat('en', {
      timeStyle: 'short',
      timeZone: 'Asia/Shanghai',
    })
    expect(await time.innerText()).toBe(inShanghai.format(at))
    expect(complaints).toEqual([])
  })
})
