import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { openBrowser } from '../support/browser.ts'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts'
import { FilesSite, PASSWORD } from './files-site.ts'
import { findProgram } from './programs.ts'
import { findStockClient } from './stock-client.ts'

const program = findProgram('OPENLIST_BIN', 'openlist')
const dist = findStockClient()
/** Long enough for a script of a page that was shown to run. */
const ATTACK_MILLISECONDS = 1500
const UPLOAD_WAIT = { timeout: 60_000, interval: 100 }
const MEBIBYTE = 1024 * 1024

/** Each sends the token of the viewer, if it runs at the origin of the site. */
const STEAL = "fetch('/stolen?' + localStorage.getItem('token'))"
const ATTACKS: Record<string, string> = {
  'attack.html': `<h1>shown</h1><script>${STEAL}</script><img src=x onerror="${STEAL}">`,
  'attack.md': `# shown\n\n<script>${STEAL}</script><img src=x onerror="${STEAL}">\n\n[x](javascript:${STEAL})`,
  'attack.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="${STEAL}"><script>${STEAL}</script></svg>`,
}
const MANAGEMENT = [
  '/@manage',
  ...['site', 'style', 'preview', 'global', 'sso', 'ldap', 's3', 'ftp', 'traffic', 'other'].map(
    (group) => `/@manage/settings/${group}`,
  ),
  ...['offline_download', 'upload', 'copy', 'move', 'decompress'].map(
    (kind) => `/@manage/tasks/${kind}`,
  ),
  '/@manage/users',
  '/@manage/storages',
  '/@manage/shares',
  '/@manage/metas',
  '/@manage/indexes',
  '/@manage/backup-restore',
]

describe.skipIf(program === undefined || dist === undefined)(
  'the stock web client 4.2.6 of a real OpenList, through Latchkey',
  () => {
    let site: FilesSite
    let browser: Browser
    let context: BrowserContext
    let page: Page
    /** What a page complained of, and refusals of the interface. */
    let complaints: string[]
    let stolen: string[]

    beforeAll(async () => {
      site = await FilesSite.start(program ?? '', { webClient: dist ?? '' })
      await site.addUser('alice')
      await site.asAdmin('POST', '/api/admin/setting/save', [
        { key: 'webauthn_login_enabled', value: 'true', group: 7 },
      ])
      for (const [name, text] of Object.entries(ATTACKS)) put(name, text)
      put('note.txt', 'the text of a note')
      put('worker.js', 'self.addEventListener("fetch", () => {})')
      mkdirSync(join(site.folder, 'folder'))
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      await site.remove()
    })
    beforeEach(async () => {
      context = await browser.newContext({ baseURL: site.client.url, locale: 'en' })
      // Its pages load pictures and fonts from elsewhere.
      await context.route(
        (url) => url.origin !== site.client.url,
        (route) => route.abort(),
      )
      page = await context.newPage()
      complaints = []
      stolen = []
      context.on('request', (request) => {
        if (request.url().includes('/stolen')) stolen.push(request.url())
      })
      page.on('pageerror', ({ message }) => complaints.push(message))
      page.on('console', (message) => {
        const isOwn = message.type() === 'error' && !message.text().includes('net::ERR_FAILED')
        if (isOwn) complaints.push(message.text())
      })
      page.on('response', async (response) => {
        if (!response.url().includes('/api/')) return
        const { code } = await response.json().catch(() => ({ code: 200 }))
        if (code !== 200) complaints.push(`${response.url()} ${String(code)}`)
      })
      return () => context.close()
    })

    function put(name: string, text: string): void {
      writeFileSync(join(site.folder, name), text)
    }

    async function signIn(username = 'alice', password = PASSWORD): Promise<void> {
      await page.goto('/@login')
      await page.locator('[name=username]').fill(username)
      await page.locator('[name=password]').fill(password)
      await page.getByRole('button', { name: 'Login', exact: true }).click()
    }

    async function signedIn(username?: string, password?: string): Promise<void> {
      await signIn(username, password)
      await page.getByText('note.txt').waitFor()
    }

    async function tokenOfPage(): Promise<string> {
      return page.evaluate(`localStorage.getItem('token') ?? ''`)
    }

    /** Opens a page without the leave of the client, and waits for what its scripts would do. */
    async function open(path: string): Promise<void> {
      await page.goto(path)
      await page.waitForTimeout(ATTACK_MILLISECONDS)
    }

    test('signs in with a code, browses, shows a text, and signs out', async () => {
      const token = await site.addUser('coded')
      const made = await site.client.call('POST', '/api/auth/2fa/generate', { token })
      const { secret } = made.data
      const body = { secret, code: phoneCode(secret) }
      await site.client.call('POST', '/api/auth/2fa/verify', { token, body })
      await signIn('coded')
      const code = page.locator('#totp')
      await code.waitFor()
      await code.fill(phoneCode(secret, Date.now(), 1))
      await page.getByRole('button', { name: 'Login', exact: true }).click()
      await page.getByText('note.txt').click()
      await page.getByText('the text of a note').first().waitFor()
      await page.goto('/@manage')
      await page.getByRole('button', { name: 'logout' }).click()
      await page.waitForURL('**/@login**')
      expect(await tokenOfPage()).toBe('')
      expect(complaints.filter((text) => !text.endsWith('/api/auth/login/hash 402'))).toEqual([])
    })

    test('signs in with a passkey, and finds the files', async () => {
      const authenticator = await VirtualAuthenticator.addTo(page)
      await authenticator.setPresent(false)
      await signedIn()
      await authenticator.setPresent(true)
      await page.goto('/@manage')
      await page.getByRole('button', { name: 'Add a WebAuthn credential' }).click()
      await page.getByText('WebAuthn credential successfully added!').waitFor()
      await page.evaluate(`localStorage.removeItem('token')`)
      // It asks for the passkey as soon as it opens.
      await page.goto('/@login')
      await page.waitForURL((url) => url.pathname === '/')
      await page.getByText('note.txt').waitFor()
      expect(await tokenOfPage()).not.toBe('')
    })

    async function upload(name: string, path: string): Promise<void> {
      await page.goto('/folder')
      const [toggle, button] = [page.locator('.toolbar-toggle'), page.locator('svg[tips=upload]')]
      await toggle.or(button).first().waitFor()
      if (!(await button.isVisible())) await toggle.click()
      await button.click()
      await page.locator('input[type=file]').first().setInputFiles(path)
      await vi.waitFor(
        () => expect(readdirSync(join(site.folder, 'folder'))).toContain(name),
        UPLOAD_WAIT,
      )
    }

    // It writes 200 MB three times: here, through the browser, and at OpenList.
    test('uploads files, small and of 200 MB', async () => {
      await signedIn()
      for (const [name, bytes] of Object.entries({
        'small.bin': 60_000,
        'large.bin': 200 * MEBIBYTE,
      })) {
        const path = join(site.clone.folder, name)
        writeFileSync(path, Buffer.alloc(bytes, name))
        await upload(name, path)
        await vi.waitFor(
          () => expect(statSync(join(site.folder, 'folder', name)).size).toBe(bytes),
          UPLOAD_WAIT,
        )
      }
      expect(complaints).toEqual([])
    })

    test('renames a file, and deletes it', async () => {
      put('folder/up.bin', 'x')
      await signedIn()
      await page.goto('/folder')
      await page.getByText('up.bin').click({ button: 'right' })
      await page.getByText('Rename', { exact: true }).click()
      await page.locator('input[type=text], input:not([type])').last().fill('renamed.bin')
      await page.getByRole('button', { name: 'OK' }).click()
      await page.getByText('renamed.bin').waitFor()
      await page.getByText('renamed.bin').click({ button: 'right' })
      await page.getByText('Delete', { exact: true }).click()
      await page.getByRole('button', { name: 'Confirm' }).click()
      await vi.waitFor(() =>
        expect(existsSync(join(site.folder, 'folder', 'renamed.bin'))).toBe(false),
      )
      expect(complaints).toEqual([])
    })

    test('opens a share with a password as a stranger', async () => {
      mkdirSync(join(site.folder, 'shared'))
      put('shared/inside.txt', 'what was shared')
      const { token } = (await site.client.signIn('alice', PASSWORD)).data
      const body = { files: ['/shared'], pwd: 'open-it', max_accessed: 0, expires: null }
      const { data } = await site.client.call('POST', '/api/share/create', { token, body })
      await page.goto(`/@s/${data.id}?pwd=open-it`)
      await page.getByText('inside.txt').click()
      // Previews of shares are off unless an admin of OpenList turns them on.
      const download = page.waitForEvent('download')
      await page.getByText('Download', { exact: true }).click()
      expect(readFileSync(await (await download).path(), 'utf8')).toBe('what was shared')
      expect(await tokenOfPage()).toBe('')
    })

    // Each page of the client takes a second until it is quiet.
    test('shows an admin every page of the management', async () => {
      await signedIn('admin', ADMIN_PASSWORD)
      for (const path of MANAGEMENT) {
        await page.goto(path)
        await page.getByText('Manage').first().waitFor()
        await page.waitForLoadState('networkidle')
        // OpenList has no index of names before an admin makes one.
        const own = complaints.filter((text) => !text.endsWith('/index/progress 404'))
        expect([path, ...own]).toEqual([path])
      }
      expect(await page.content()).not.toContain(await site.openlist.token())
    })

    test('saves the settings that are OpenList’s, and those that are Latchkey’s', async () => {
      await signedIn('admin', ADMIN_PASSWORD)
      await page.goto('/@manage/settings/site')
      const title = page.locator('#site_title')
      await title.fill('Files of ours')
      await page.getByRole('button', { name: 'Save' }).click()
      await vi.waitFor(async () => {
        const { data } = await site.client.call('GET', '/api/public/settings')
        expect(data.site_title).toBe('Files of ours')
      })
      expect(complaints).toEqual([])
    })

    describe('keeps what files do from the viewer', () => {
      test.each(Object.keys(ATTACKS))('previews %s', async (name) => {
        await signedIn()
        await open(`/${name}`)
        expect(stolen).toEqual([])
      })

      test.each(Object.keys(ATTACKS))('shows %s by its link', async (name) => {
        await signedIn()
        const token = await tokenOfPage()
        const { data } = await site.client.call('POST', '/api/fs/get', {
          token,
          body: { path: `/${name}` },
        })
        // OpenList makes a download of it, and a storage elsewhere may not.
        await page.route(data.raw_url, async (route) => {
          const answer = await route.fetch()
          const { 'content-disposition': _, ...headers } = answer.headers()
          await route.fulfill({ response: answer, headers })
        })
        await open(data.raw_url)
        await page.goto('/')
        await page.evaluate(
          `document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(data.raw_url)} }))`,
        )
        await page.waitForTimeout(ATTACK_MILLISECONDS)
        expect(stolen).toEqual([])
      })

      test('sends no form of a file to an account page', async () => {
        put(
          'form.html',
          '<form method="post" action="/account/sign-out"><button>Show the photo</button></form>',
        )
        const sent: string[] = []
        context.on('request', (request) => {
          if (request.method() === 'POST' && request.url().includes('/account/'))
            sent.push(request.url())
        })
        await signedIn()
        await page.goto('/form.html')
        await page.frameLocator('iframe').getByText('Show the photo').click()
        await page.waitForTimeout(ATTACK_MILLISECONDS)
        expect(sent).toEqual([])
      })

      test('makes no service worker of a file', async () => {
        await signedIn()
        const token = await tokenOfPage()
        const { data } = await site.client.call('POST', '/api/fs/get', {
          token,
          body: { path: '/worker.js' },
        })
        const registered = await page.evaluate(
          `navigator.serviceWorker.register(${JSON.stringify(data.raw_url)}).then(() => 'registered', () => 'refused')`,
        )
        expect(registered).toBe('refused')
      })
    })
  },
)

describe.skipIf(program === undefined || dist === undefined)(
  'the stock web client without the policy for its pages',
  () => {
    test('lets an HTML file steal the token of its viewer', async () => {
      const site = await FilesSite.start(program ?? '', {
        webClient: dist ?? '',
        vars: { FILES_PAGE_POLICY: 'off' },
      })
      const browser = await openBrowser()
      try {
        const token = await site.addUser('alice')
        writeFileSync(join(site.folder, 'attack.html'), ATTACKS['attack.html'] ?? '')
        const page = await browser.newPage({ baseURL: site.client.url })
        await page.goto('/@login')
        await page.evaluate(`localStorage.setItem('token', ${JSON.stringify(token)})`)
        const theft = page.waitForRequest((request) => request.url().includes('/stolen'))
        await page.goto('/attack.html')
        expect((await theft).url()).toContain(token)
      } finally {
        await browser.close()
        await site.remove()
      }
    })
  },
)
