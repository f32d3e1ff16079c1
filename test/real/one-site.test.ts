import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { openBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { FilesSite, PASSWORD } from './files-site.ts'
import { findProgram } from './programs.ts'
import { findStockClient } from './stock-client.ts'

const program = findProgram('OPENLIST_BIN', 'openlist')
const dist = findStockClient()
/** A token of a session, or of OpenList. */
const TOKEN = /\bey[\w-]+\.[\w-]+\./

async function fillIn(on: Page, username: string): Promise<void> {
  await on.locator('[name=username]').fill(username)
  await on.locator('[name=password]').fill(PASSWORD)
  await on.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The name and code of who the page of the web client acts as. */
function actsAs(on: Page): Promise<{ code: number; name?: string }> {
  return on.evaluate(
    `fetch('/api/me', { headers: { Authorization: localStorage.getItem('token') } })
      .then((answer) => answer.json()).then(({ code, data }) => ({ code, name: data?.username }))`,
  )
}

async function signInAtAccount(on: Page, username: string): Promise<void> {
  await on.goto('/account/sign-in')
  await fillIn(on, username)
  await on.waitForURL('**/account')
}

/** What requests had in their addresses. */
function refuseTokens(addresses: string[]): void {
  const found = addresses.filter((address) => TOKEN.test(address))
  if (found.length > 0) throw new Error(`a token in an address: ${found.join(' ')}`)
}

async function seesFiles(on: Page): Promise<void> {
  await on.getByText('note.txt').waitFor()
}

describe.skipIf(program === undefined || dist === undefined)(
  'accounts and files as one site, with the stock web client 4.2.6',
  () => {
    let site: FilesSite
    let browser: Browser
    let context: BrowserContext
    let page: Page
    let addresses: string[]

    beforeAll(async () => {
      site = await FilesSite.start(program ?? '', { webClient: dist ?? '' })
      for (const name of ['alice', 'bob']) await site.addUser(name)
      writeFileSync(join(site.folder, 'note.txt'), 'the text of a note')
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      await site.remove()
    })
    beforeEach(async () => {
      context = await browser.newContext({ baseURL: site.client.url, locale: 'en' })
      // Pages of the client load pictures and fonts from elsewhere.
      await context.route(
        ({ hostname }) => !['localhost', '127.0.0.1'].includes(hostname),
        (route) => route.abort(),
      )
      addresses = []
      context.on('request', (request) => addresses.push(request.url()))
      page = await context.newPage()
      return async () => {
        refuseTokens(addresses)
        await context.close()
      }
    })

    async function setGuest(disabled: boolean): Promise<void> {
      await site.change('guest', { disabled })
    }

    test('signed in nowhere: the sign-in page, then the folder that was asked for', async () => {
      await page.goto('/@s-is-no-folder/../note.txt')
      await page.waitForURL('**/account/sign-in?next=/note.txt')
      await fillIn(page, 'alice')
      await page.waitForURL('**/note.txt')
      await page.getByText('the text of a note').first().waitFor()
      const stored = await page.evaluate<string>(
        `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]) + document.documentElement.outerHTML`,
      )
      expect(stored).not.toMatch(TOKEN)
      expect(stored).not.toContain(PASSWORD)
    })

    test('signed in nowhere, with the guest on: the files of the guest, and a way to sign in', async () => {
      await setGuest(false)
      try {
        await page.goto('/')
        await seesFiles(page)
        expect(await actsAs(page)).toEqual({ code: 200, name: 'guest' })
        expect(await page.locator('.footer a').allTextContents()).not.toContain('Account')
        await page.getByRole('link', { name: 'Login' }).click()
        await page.getByRole('link', { name: 'Continue without signing in' }).click()
        await seesFiles(page)
        await page.getByRole('link', { name: 'Login' }).click()
        await fillIn(page, 'alice')
        await seesFiles(page)
        expect(await actsAs(page)).toEqual({ code: 200, name: 'alice' })
      } finally {
        await setGuest(true)
      }
    })

    test('signed in at the account: files and management ask nothing, also by another site’s link', async () => {
      await signInAtAccount(page, 'alice')
      await page.goto('/')
      await seesFiles(page)
      await page.goto('/@manage')
      await page.getByText('Profile').first().waitFor()
      expect(await actsAs(page)).toEqual({ code: 200, name: 'alice' })
      const server = createServer((_, response) => {
        response.setHeader('Content-Type', 'text/html')
        response.end(`<a href="${site.client.url}/">files</a>`)
      })
      const port = await freePort()
      server.listen(Number(port), '127.0.0.1')
      try {
        await page.goto(`http://127.0.0.1:${port}/`)
        await page.getByText('files').click()
        await seesFiles(page)
        expect(await actsAs(page)).toEqual({ code: 200, name: 'alice' })
      } finally {
        server.close()
      }
    })

    test('signed in at the files: the account shows its overview, by a link in the footer', async () => {
      await page.goto('/@login')
      await fillIn(page, 'alice')
      await seesFiles(page)
      await page.locator('.footer').getByRole('link', { name: 'Account' }).click()
      await page.waitForURL('**/account')
      const heading = page.getByRole('heading', { level: 1 })
      expect(await heading.textContent()).toContain('alice')
    })

    test('a sign-out at the account ends an open tab of the files', async () => {
      await signInAtAccount(page, 'alice')
      const tab = await context.newPage()
      await tab.goto('/')
      await seesFiles(tab)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL('**/account/sign-in**')
      expect(await actsAs(tab)).toEqual({ code: 401 })
      await tab.evaluate(`dispatchEvent(new Event('focus'))`)
      await tab.waitForURL('**/account/sign-in?next=/')
    })

    test('a sign-out at the files ends the account', async () => {
      await signInAtAccount(page, 'alice')
      const tab = await context.newPage()
      await tab.goto('/@manage')
      await tab.getByRole('button', { name: 'logout' }).click()
      await tab.waitForURL('**/account/sign-in?next=/**')
      await page.goto('/account')
      expect(new URL(page.url()).pathname).toBe('/account/sign-in')
    })

    test('a session that was ended elsewhere leads to the sign-in page at the next click', async () => {
      await signInAtAccount(page, 'alice')
      await page.goto('/')
      await seesFiles(page)
      const { token } = (await site.client.signIn('alice', PASSWORD)).data
      await site.client.call('POST', '/api/me/sessions/delete_others', { token })
      await page.getByText('note.txt').click()
      await page.waitForURL('**/account/sign-in?next=/note.txt')
      await fillIn(page, 'alice')
      await page.getByText('the text of a note').first().waitFor()
      expect(await actsAs(page)).toEqual({ code: 200, name: 'alice' })
    })

    test('another user on the same computer: the tab of the first never acts for the second', async () => {
      await signInAtAccount(page, 'alice')
      await page.goto('/')
      await seesFiles(page)
      const tab = await context.newPage()
      await tab.goto('/account')
      await tab.getByRole('button', { name: 'Sign out' }).click()
      await signInAtAccount(tab, 'bob')
      expect(await actsAs(page)).toEqual({ code: 401 })
      await page.evaluate(`dispatchEvent(new Event('focus'))`)
      await page.waitForLoadState('networkidle')
      await seesFiles(page)
      expect(await actsAs(page)).toEqual({ code: 200, name: 'bob' })
    })

    test('another user on the same computer: no form of the first user’s account page acts for the second', async () => {
      await signInAtAccount(page, 'alice')
      const tab = await context.newPage()
      await tab.goto('/account')
      await tab.getByRole('button', { name: 'Sign out' }).click()
      await signInAtAccount(tab, 'bob')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Hello, bob' }).waitFor()
      await tab.goto('/account')
      expect(new URL(tab.url()).pathname).toBe('/account')
      await tab.getByRole('button', { name: 'Sign out' }).click()
      await tab.waitForURL('**/account/sign-in**')
      await page.evaluate(`dispatchEvent(new Event('focus'))`)
      await page.waitForURL('**/account/sign-in**')
    })

    test('the back button shows no files after a sign-out', async () => {
      await signInAtAccount(page, 'alice')
      await page.goto('/')
      await seesFiles(page)
      await page.goto('/account')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL('**/account/sign-in**')
      await page.evaluate('history.go(-2)')
      await page.waitForURL('**/account/sign-in?next=/')
      expect(await page.getByText('note.txt').count()).toBe(0)
    })

    test('a private window has a session of its own', async () => {
      await signInAtAccount(page, 'alice')
      const other = await browser.newContext({ baseURL: site.client.url, locale: 'en' })
      try {
        const own = await other.newPage()
        await own.goto('/')
        await own.waitForURL('**/account/sign-in?next=/')
        expect(new URL(own.url()).pathname).toBe('/account/sign-in')
      } finally {
        await other.close()
      }
    })

    test('a link of a file to the sign-in page with a token changes nothing', async () => {
      const { token } = (await site.client.signIn('bob', PASSWORD)).data
      writeFileSync(
        join(site.folder, 'link.md'),
        `[go on](/@login?token=${token}) [or](/@LOGIN/?token=${token}&redirect=/x)`,
      )
      await signInAtAccount(page, 'alice')
      for (const name of ['go on', 'or']) {
        await page.goto('/link.md')
        await page.getByRole('link', { name, exact: true }).click()
        await page.waitForURL((url) => url.pathname !== '/link.md')
        await page.waitForLoadState('networkidle')
        expect(await actsAs(page)).toEqual({ code: 200, name: 'alice' })
        expect(await page.evaluate(`localStorage.getItem('token')`)).toMatch(/^cookie\.\d+$/)
      }
      // It stands in the link itself.
      addresses = addresses.filter((address) => !address.includes('/@'))
    })

    test('what somebody puts into the storage counts nothing', async () => {
      const { token } = (await site.client.signIn('bob', PASSWORD)).data
      await signInAtAccount(page, 'alice')
      await page.goto('/')
      await page.evaluate(`localStorage.setItem('token', ${JSON.stringify(token)})`)
      expect(await actsAs(page)).toEqual({ code: 401 })
      await page.goto('/')
      await seesFiles(page)
      expect(await actsAs(page)).toEqual({ code: 200, name: 'alice' })
    })

    test('without the demanded second factor: the page that sets it up, then the files', async () => {
      await site.addUser('carol')
      // No admin has one either.
      const demand = (value: string) =>
        site.clone.command(['setting', 'set', 'require_second_factor', value])
      await signInAtAccount(page, 'carol')
      await page.goto('/')
      await seesFiles(page)
      await demand('everybody')
      try {
        await page.getByText('note.txt').click()
        await page.waitForURL('**/account/security')
        await page.locator('form[action="/account/security/start"] button').click()
        const secret = await page.locator('[name=secret]').inputValue()
        await page.locator('#code').fill(phoneCode(secret))
        await page.locator('form[action="/account/security/confirm"] button').first().click()
        await page.locator('a[role=button][href="/note.txt"]').click()
        await page.getByText('the text of a note').first().waitFor()
        expect(await actsAs(page)).toEqual({ code: 200, name: 'carol' })
      } finally {
        await demand('off')
      }
    })
  },
)

describe.skipIf(program === undefined || dist === undefined)(
  'accounts and files at two hosts, with the stock web client 4.2.6',
  () => {
    const FILES_HOST = 'files.localhost'
    let site: FilesSite
    let browser: Browser
    let context: BrowserContext
    let page: Page
    let addresses: string[]
    const main = (path: string) => new URL(path, site.client.url).href
    const files = (path: string) => main(path).replace('//localhost', `//${FILES_HOST}`)

    beforeAll(async () => {
      site = await FilesSite.start(program ?? '', { webClient: dist ?? '', vars: { FILES_HOST } })
      await site.addUser('alice')
      writeFileSync(join(site.folder, 'note.txt'), 'the text of a note')
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      await site.remove()
    })
    beforeEach(async () => {
      context = await browser.newContext({ locale: 'en' })
      await context.route(
        ({ hostname }) => !['localhost', FILES_HOST].includes(hostname),
        (route) => route.abort(),
      )
      addresses = []
      context.on('request', (request) => addresses.push(request.url()))
      page = await context.newPage()
      return async () => {
        refuseTokens(addresses)
        await context.close()
      }
    })

    test('the files lead to the sign-in page of the accounts, and from there to the folder', async () => {
      await page.goto(files('/note.txt'))
      await page.waitForURL(main('/account/sign-in?next=**'))
      await fillIn(page, 'alice')
      await page.waitForURL(files('/note.txt'))
      await page.getByText('the text of a note').first().waitFor()
      const stored = await page.evaluate<string>(
        `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])`,
      )
      expect(stored).not.toMatch(TOKEN)
      await page.goto(main('/account'))
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/account')
    })

    test('signed in at the accounts: the files ask nothing, and one sign-out is both', async () => {
      await page.goto(main('/account/sign-in'))
      await fillIn(page, 'alice')
      await page.waitForURL(main('/account'))
      const tab = await context.newPage()
      await tab.goto(files('/'))
      await tab.getByText('note.txt').waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(main('/account/sign-in**'))
      expect(await actsAs(tab)).toEqual({ code: 401 })
      await tab.getByText('note.txt').click()
      await tab.waitForURL(main('/account/sign-in?next=**'))
    })

    test('a sign-out at the files ends the accounts', async () => {
      await page.goto(files('/@login?redirect=/@manage'))
      await fillIn(page, 'alice')
      await page.getByRole('button', { name: 'logout' }).click()
      await page.waitForURL(main('/account/sign-in?next=**'))
      await page.goto(main('/account'))
      expect(new URL(page.url()).pathname).toBe('/account/sign-in')
    })

    test('a code of another browser signs nobody in', async () => {
      await page.goto(files('/@login'))
      await fillIn(page, 'alice')
      await page.getByText('note.txt').waitFor()
      const secret = 'challenge-of-an-attacker'.padEnd(43, 'x')
      const answer = await context.request.get(main(`/account/files?challenge=${secret}&next=/`), {
        maxRedirects: 0,
      })
      const victim = await browser.newContext({ locale: 'en' })
      try {
        const own = await victim.newPage()
        await own.goto(answer.headers()['location'] ?? '')
        await own.getByText('Could not sign you in').waitFor()
        expect(own.url()).toBe(files('/@login/arrive'))
        expect(await victim.cookies()).toEqual([])
      } finally {
        await victim.close()
      }
    })
  },
)
