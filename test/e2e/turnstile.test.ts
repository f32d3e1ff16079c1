import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { hang, Receiver } from '../support/receiver.ts'
import { openVisit, type Visit } from '../support/visit.ts'
import { press } from '../support/press.ts'

const HOST = 'https://challenges.cloudflare.com'
const SITE_KEY = '1x00000000000000000000AA'
const SECRET_KEY = '1x0000000000000000000000000000000AA'
const PASSWORD = 'bobs-own-Passw0rd'
/** Turnstile has five seconds for its answer. */
const MAX_WAIT_MILLISECONDS = 10_000

/** Does what the widget of Turnstile does: a frame, whose answer goes into a field of the form. */
const SCRIPT = `for (const place of document.querySelectorAll('.cf-turnstile')) {
  const frame = document.createElement('iframe')
  frame.src = '${HOST}/widget?sitekey=' + place.dataset.sitekey + '&language=' + place.dataset.language
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'cf-turnstile-response'
  addEventListener('message', ({ origin, data }) => {
    if (origin === '${HOST}') field.value = data
  })
  place.append(frame, field)
}`
const WIDGET = `<script>
  const asked = new URL(location.href).searchParams
  top.postMessage('answer to ' + asked.get('sitekey') + ' in ' + asked.get('language'), '*')
</script>`

let clone: Clone
let client: Client
let browser: Browser
/** Turnstile's check of answers. */
let check: Receiver
let visit: Visit

beforeAll(async () => {
  check = await Receiver.open()
  clone = new Clone(inject('startedSite'))
  const port = await freePort()
  const TURNSTILE_VERIFY_URL = `${check.url}/siteverify`
  await clone.start({ PORT: port, TURNSTILE_VERIFY_URL }).until('serves on')
  client = new Client(`http://127.0.0.1:${port}`)
  const token = (await client.signIn('admin', ADMIN_PASSWORD)).data.token
  const values = {
    allow_register: 'true',
    turnstile_site_key: SITE_KEY,
    turnstile_secret: SECRET_KEY,
  }
  const body = Object.entries(values).map(([key, value]) => ({ key, value }))
  const { code, message } = await client.call('POST', '/api/admin/setting/save', { token, body })
  if (code !== 200) throw new Error(message)
  browser = await openBrowser({ isPainting: false })
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
  check.close()
})

beforeEach(() => {
  clone.sql('delete from throttle_counters')
  clone.sql("delete from users where username not in ('admin', 'guest')")
  check.got.length = 0
  check.answers.length = 0
})

/** Opens the page of registration in a browser for which Turnstile is at a place of this test. */
async function openPage({
  isReached = true,
  javaScriptEnabled = true,
  path = '/account/register',
} = {}): Promise<Page> {
  visit = await openVisit(browser, client.url, { javaScriptEnabled })
  await visit.page.context().route(`${HOST}/**`, (route) => {
    if (!isReached) return route.abort()
    const isScript = new URL(route.request().url()).pathname === '/turnstile/v0/api.js'
    return isScript
      ? route.fulfill({ contentType: 'text/javascript', body: SCRIPT })
      : route.fulfill({ contentType: 'text/html', body: WIDGET })
  })
  await visit.page.goto(path)
  return visit.page
}

const answerOf = (page: Page) => page.locator('[name=cf-turnstile-response]')

async function register(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  // Only without a script.
  for (const again of await page.locator('#repeat').all()) await again.fill(password)
  // The next page is whole before anything is typed: its script takes the field `repeat` away.
  await press(page.getByRole('button', { name: 'Create account' }))
}

const names = () => clone.sql('select username from users').map(({ username }) => username)

/** Turnstile's answer to the next check. */
const answers = (answer: object) =>
  check.answers.push((response) => response.end(JSON.stringify(answer)))

test('somebody whom the widget lets pass has an account', async () => {
  const page = await openPage()
  await expect.poll(() => answerOf(page).inputValue()).toContain('answer')
  answers({ success: true })
  await register(page, 'bob')
  await page.waitForURL('**/account/welcome')
  expect(check.got.map(({ raw }) => Object.fromEntries(new URLSearchParams(raw)))).toEqual([
    { secret: SECRET_KEY, response: `answer to ${SITE_KEY} in en`, remoteip: '127.0.0.1' },
  ])
  expect(visit.complaints).toEqual([])
})

test('somebody who mistypes the password gets a new answer from the widget', async () => {
  const page = await openPage()
  await register(page, 'bob', 'short')
  await page.getByText('at least 8 characters').first().waitFor()
  await expect.poll(() => answerOf(page).inputValue()).toContain('answer')
  answers({ success: true })
  await register(page, 'bob')
  await page.waitForURL('**/account/welcome')
  expect(check.got).toHaveLength(1)
})

describe('nobody gets an account', () => {
  const FAILED = 'The check that you are human failed. Enter the password again'
  const AWAY = 'The check that you are human does not answer. No account was made.'

  test('whom Turnstile refuses', async () => {
    const page = await openPage()
    await expect.poll(() => answerOf(page).inputValue()).toContain('answer')
    answers({ success: false, 'error-codes': ['invalid-input-response'] })
    await register(page, 'bob')
    await page.getByText(FAILED).waitFor()
    expect(await page.getByLabel('User name').inputValue()).toBe('bob')
    expect(names()).not.toContain('bob')
  })

  test('while Turnstile is broken', async () => {
    const page = await openPage()
    await expect.poll(() => answerOf(page).inputValue()).toContain('answer')
    check.answers.push((response) => response.writeHead(502).end('<html>Bad gateway</html>'))
    await register(page, 'bob')
    await page.getByText(AWAY).waitFor()
    expect(names()).not.toContain('bob')
  })

  test('while Turnstile does not answer', async () => {
    const page = await openPage()
    await expect.poll(() => answerOf(page).inputValue()).toContain('answer')
    check.answers.push((response) => response.destroy())
    await register(page, 'bob')
    await page.getByText(AWAY).waitFor()
    expect(names()).not.toContain('bob')
  })

  test('while Turnstile is too slow, and later the same page makes the account', async () => {
    const page = await openPage()
    await expect.poll(() => answerOf(page).inputValue()).toContain('answer')
    check.answers.push(hang)
    await register(page, 'bob')
    await page.getByText(AWAY).waitFor({ timeout: MAX_WAIT_MILLISECONDS })
    expect(await page.getByLabel('User name').inputValue()).toBe('bob')
    expect(names()).not.toContain('bob')
    // The widget has another answer: each counts once.
    await expect.poll(() => answerOf(page).inputValue()).toContain('answer')
    answers({ success: true })
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await press(page.getByRole('button', { name: 'Create account' }))
    await page.waitForURL('**/account/welcome')
    expect(names()).toContain('bob')
  })

  test.each([
    ['whose browser does not reach Turnstile', { isReached: false }],
    ['whose browser runs no JavaScript', { javaScriptEnabled: false }],
  ])('%s', async (_, options) => {
    const page = await openPage(options)
    await register(page, 'bob')
    await page.getByText(FAILED).waitFor()
    await page.getByText('let your browser run scripts of challenges.cloudflare.com').waitFor()
    expect(check.got).toEqual([])
    expect(names()).not.toContain('bob')
  })
})

/** Loads something of every kind, as a page that an attacker has changed would. */
const tries = (host: string) => `
  globalThis.stopped = []
  addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
    stopped.push(effectiveDirective.replace('-elem', ''))
    stopped.sort()
  })
  const addresses = { script: 'src', iframe: 'src', img: 'src', link: 'href' }
  for (const [name, address] of Object.entries(addresses)) {
    const element = document.createElement(name)
    if (name === 'link') element.rel = 'stylesheet'
    element[address] = '${host}/tried'
    document.body.append(element)
  }
  void fetch('${host}/tried').catch(() => undefined)`
const stopped = (page: Page) => page.evaluate('stopped')

describe('the policy of the page', () => {
  const EVERYTHING = ['connect-src', 'frame-src', 'img-src', 'script-src', 'style-src']

  test('lets a script and a frame of Turnstile in, and nothing else of it', async () => {
    const page = await openPage()
    const loaded: string[] = []
    page.on('requestfinished', (request) => {
      if (request.url() === `${HOST}/tried`) loaded.push(request.resourceType())
    })
    await page.evaluate(tries(HOST))
    await expect.poll(() => loaded.toSorted()).toEqual(['document', 'script'])
    await expect.poll(() => stopped(page)).toEqual(['connect-src', 'img-src', 'style-src'])
  })

  test.each([
    ['another host', 'https://cdn.example.org', '/account/register'],
    ['Turnstile, on another page,', HOST, '/account/sign-in'],
  ])('lets nothing of %s in', async (_, host, path) => {
    const page = await openPage({ path })
    await page.evaluate(tries(host))
    await expect.poll(() => stopped(page)).toEqual(EVERYTHING)
  })
})
