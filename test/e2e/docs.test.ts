import { spawnSync } from 'node:child_process'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import type { Client } from '../support/client.ts'
import { ADMIN_PASSWORD, Clone } from '../support/clone.ts'
import { openBrowser } from '../support/browser.ts'
import { openVisit } from '../support/visit.ts'

// Each test takes seconds: Chromium loads OpenAPI Explorer anew.

/** Where OpenAPI Explorer shows an operation. */
const LOGIN = '#?route=post-/api/auth/login'
const ME = '#?route=get-/api/me'

/** Returns the colours of a button, which stands in a shadow tree of a shadow tree. */
const coloursOf = (selector: string) => `(() => {
  const find = (root) => {
    for (const one of root.querySelectorAll('*')) {
      const found = one.matches('${selector}') ? one : one.shadowRoot && find(one.shadowRoot)
      if (found) return found
    }
  }
  const { color, backgroundColor } = getComputedStyle(find(document))
  return [color, backgroundColor]
})()`

let clone: Clone
let site: Client
let browser: Browser
let context: BrowserContext
/** What the browser complained about. */
let complaints: string[]

beforeAll(async () => {
  clone = new Clone(inject('startedSite'))
  site = await clone.serve()
  browser = await openBrowser({ isPainting: false })
})
afterAll(async () => {
  await browser.close()
  await clone.remove()
})
afterEach(() => context.close())

async function open(options: { javaScriptEnabled?: boolean; width?: number } = {}): Promise<Page> {
  const visit = await openVisit(browser, site.url, {
    javaScriptEnabled: true,
    width: 1280,
    ...options,
  })
  complaints = visit.complaints
  context = visit.page.context()
  return visit.page
}

/** Returns the curl line that the page shows, once it has the text. */
async function curlLine(page: Page, text: string): Promise<string> {
  const line = page.locator('api-request syntax-highlighter[language=shell] code')
  return (await line.filter({ hasText: text }).innerText()).trim()
}

async function policyOf(path: string): Promise<string | null> {
  const response = await fetch(new URL(path, site.url))
  expect(response.status).toBe(200)
  return response.headers.get('Content-Security-Policy')
}

async function run(script: string): Promise<string> {
  const { stdout, stderr } = await clone.shell(script.replaceAll('curl', 'curl -sS')).ended
  expect(stderr).toBe('')
  return stdout
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

test('/docs loads nothing from elsewhere, and the browser complains about nothing', async () => {
  const page = await open()
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.goto('/docs')
  await page.getByText('Add an SSH key').click()
  await page.getByRole('button', { name: 'Execute' }).waitFor()
  expect(urls.filter((url) => !url.startsWith(site.url) && !url.startsWith('data:'))).toEqual([])
  expect(urls.length).toBeGreaterThanOrEqual(5)
  expect(complaints).toEqual([])
})

test('the list beside the text scrolls on its own, so that the page is as high as its window', async () => {
  const page = await open()
  await page.goto('/docs')
  await page.getByText('Add an SSH key').waitFor()
  const below: number = await page.evaluate('document.documentElement.scrollHeight - innerHeight')
  expect(below).toBe(0)
})

test('the ways to sign in stand one below the other on a phone', async () => {
  const page = await open({ width: 390 })
  await page.goto('/docs')
  const cells = page.locator('openapi-explorer #auth tr').first().locator('td')
  await cells.first().waitFor()
  const [label, form] = [await cells.first().boundingBox(), await cells.last().boundingBox()]
  expect(form?.x).toBe(label?.x)
  expect(form?.y).toBeGreaterThanOrEqual((label?.y ?? 0) + (label?.height ?? 0))
})

test.each(['light', 'dark'] as const)(
  'the label of Execute stays readable under the pointer, %s',
  async (colorScheme) => {
    const page = await open()
    await page.emulateMedia({ colorScheme })
    await page.goto(`/docs${ME}`)
    await page.getByRole('button', { name: 'Execute' }).hover()
    const [label, ground]: string[] = await page.evaluate(coloursOf('.btn-execute'))
    expect(label).toMatch(/^rgb/)
    expect(label).not.toBe(ground)
  },
)

test('/docs alone may run scripts, its own only', async () => {
  await open()
  expect(await policyOf('/docs')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  for (const path of ['/openapi.json', '/interface.txt', '/logo.svg'])
    expect(await policyOf(path)).toBe("default-src 'none'; style-src 'unsafe-inline'")
})

test('/docs finds endpoints, on a wide screen and on a phone', async () => {
  for (const [width, field] of [
    [1280, '#nav-bar-search'],
    [390, '#filter'],
  ] as const) {
    const page = await open({ width })
    await page.goto('/docs')
    const wanted = page.getByText('Turn off two-step verification')
    await wanted.first().waitFor()
    await page.locator(field).fill('recovery_codes')
    await wanted.first().waitFor({ state: 'detached' })
    expect(await page.getByText('Get ten new recovery codes').count()).toBe(1)
    await context.close()
  }
})

test('the first commands of /docs sign in, once name and password are right', async ({ skip }) => {
  skip(!hasCurl, 'curl is not installed')
  const page = await open()
  await page.goto('/docs')
  const commands = await page.locator('#start').innerText()
  expect(commands).toContain(`SITE=${site.url}\n`)
  const answer = await run(
    commands.replace('alice-Passw0rd', ADMIN_PASSWORD).replace('alice', 'admin'),
  )
  expect(JSON.parse(answer)).toMatchObject({ code: 200, data: { username: 'admin' } })
})

test('a curl line of /docs works when pasted, on a phone and with an apostrophe too', async ({
  skip,
}) => {
  skip(!hasCurl, 'curl is not installed')
  for (const width of [1280, 390]) {
    const page = await open({ width })
    await page.goto(`/docs${LOGIN}`)
    const body = page.getByRole('textbox', { name: 'request body' })
    expect(JSON.parse(await run(await curlLine(page, 'alice')))).toMatchObject({ code: 401 })
    await body.fill(JSON.stringify({ username: "o'hara", password: "$HOME'`id`" }))
    expect(JSON.parse(await run(await curlLine(page, 'hara')))).toMatchObject({ code: 401 })
    await body.fill(JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }))
    expect(JSON.parse(await run(await curlLine(page, 'admin')))).toMatchObject({ code: 200 })
    await context.close()
  }
})

test('/docs sends a request with the token of the reader, and shows the answer', async () => {
  const { data } = await site.signIn('admin', ADMIN_PASSWORD)
  const token = String(data.token)
  const page = await open()
  await page.goto('/docs#?route=auth')
  await page.getByPlaceholder('api-token').first().fill(token)
  await page.getByRole('button', { name: 'Set' }).first().click()
  await page.getByText('Get the signed-in user').click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.getByText('Response Status: OK (200)').waitFor()
  await page.getByText('"username": "admin"').waitFor()
  const [request = ''] = await page.locator('api-request').allInnerTexts()
  expect(request).not.toContain('alice')
  await page.goto(`/docs${ME}`)
  await page.reload()
  expect(await curlLine(page, '/api/me')).not.toContain(token)
  expect(complaints).toEqual([])
})

test('without JavaScript, /docs says what a reader needs first, and where the rest is', async () => {
  const page = await open({ javaScriptEnabled: false })
  await page.goto('/docs')
  const text = await page.locator('body').innerText()
  expect(text).toContain('needs JavaScript')
  expect(text).toContain('{ "code": 200, "message": "success", "data": null }')
  expect(text).not.toContain('Find an endpoint')
  for (const name of ['openapi.json', 'interface.txt']) {
    const href = await page.getByRole('link', { name }).getAttribute('href')
    const response = await fetch(new URL(href ?? '', site.url))
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('/api/auth/login')
  }
})
