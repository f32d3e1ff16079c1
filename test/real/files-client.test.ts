import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { phoneCode } from '../support/authenticator.ts'
import { openBrowser } from '../support/browser.ts'
import { ADMIN_PASSWORD } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { OidcProvider, signInAt } from '../support/oidc-provider.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts'
import { FilesSite, PASSWORD } from './files-site.ts'
import { FILM, PDF, PNG, ZIP } from './media.ts'
import { findProgram } from './programs.ts'
import { OPENLIST_PASSWORD } from './openlist-server.ts'
import { findStockClient } from './stock-client.ts'

const program = findProgram('OPENLIST_BIN', 'openlist')
const dist = findStockClient()
/** Long enough for a script of a page that was shown to run. */
const ATTACK_MILLISECONDS = 1500
const UPLOAD_WAIT = { timeout: 240_000, interval: 100 }
const MEBIBYTE = 1024 * 1024

/** Each sends the token of the viewer, if it runs at the origin of the site. */
const STEAL = "fetch('/stolen?' + localStorage.getItem('token'))"
const ATTACKS: Record<string, string> = {
  'attack.html': `<h1>shown</h1><script>${STEAL}</script><img src=x onerror="${STEAL}">`,
  'attack.md': `# shown\n\n<script>${STEAL}</script><img src=x onerror="${STEAL}">\n\n[x](javascript:${STEAL})`,
  'attack.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="${STEAL}"><script>${STEAL}</script></svg>`,
}
/** The pages that have one button to save. */
const SAVED_GROUPS = ['style', 'preview', 'global', 'sso', 'ldap', 's3', 'ftp', 'traffic']
const MANAGEMENT = [
  '/@manage',
  ...['site', ...SAVED_GROUPS, 'other'].map((group) => `/@manage/settings/${group}`),
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

/** What the tour opens: files, folders, a path without a file, and the pages of an admin. */
const TOUR = ['/', '/folder', '/note.txt', '/plain.md', '/none', ...MANAGEMENT]

/** Notes what a page complains of, and refusals of the interface. */
function noteComplaints(page: Page, complaints: string[]): void {
  page.on('pageerror', ({ message }) => {
    // From a page of the account to one of the web client, which has no transition.
    if (message !== 'Transition was skipped') complaints.push(message)
  })
  page.on('console', (message) => {
    const isOwn = message.type() === 'error' && !message.text().includes('net::ERR_FAILED')
    if (isOwn) complaints.push(message.text())
  })
  page.on('response', async (response) => {
    if (!response.url().includes('/api/')) return
    const { code } = await response.json().catch(() => ({ code: 200 }))
    if (code !== 200) complaints.push(`${response.url()} ${String(code)}`)
  })
}

/** Opens a browser's empty profile. Pages of the client load pictures and fonts from elsewhere. */
async function newContext(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, locale: 'en' })
  await context.route(
    ({ origin }) => origin !== url,
    (route) => route.abort(),
  )
  return context
}

/** Tells whether a file has arrived whole. */
function isSame({ path, there }: { path: string; there: string }): boolean {
  return existsSync(there) && readFileSync(there).equals(readFileSync(path))
}

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
      mkdirSync(join(site.folder, 'target'))
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      await site.remove()
    })
    beforeEach(async () => {
      context = await newContext(browser, site.client.url)
      complaints = []
      stolen = []
      context.on('request', (request) => {
        if (request.url().includes('/stolen')) stolen.push(request.url())
      })
      page = await newPage()
      return () => context.close()
    })

    /** Opens a page, whose complaints are noted. */
    async function newPage(): Promise<Page> {
      const opened = await context.newPage()
      noteComplaints(opened, complaints)
      return opened
    }

    function put(name: string, content: string | Uint8Array): void {
      writeFileSync(join(site.folder, name), content)
    }

    async function signIn(username = 'alice', password = PASSWORD): Promise<void> {
      await page.goto('/@login')
      await page.locator('[name=username]').fill(username)
      await page.locator('[name=password]').fill(password)
      // OpenList alone has a page of its own.
      await page.getByRole('button', { name: /^(?:Sign in|Login)$/ }).click()
    }

    async function signedIn(username?: string, password?: string): Promise<void> {
      await signIn(username, password)
      await page.getByText('note.txt').waitFor()
    }

    async function tokenOfPage(): Promise<string> {
      return page.evaluate(`localStorage.getItem('token') ?? ''`)
    }

    async function storedByPage(): Promise<string> {
      return page.evaluate(`JSON.stringify([{ ...localStorage }, { ...sessionStorage }])`)
    }

    /** The name of the user whom the web client acts as. */
    async function userOfPage(): Promise<string> {
      return page.evaluate(
        `fetch('/api/me', { headers: { Authorization: localStorage.getItem('token') } })
          .then((answer) => answer.json()).then(({ data }) => data.username)`,
      )
    }

    async function tokenOfAlice(): Promise<string> {
      return (await site.client.signIn('alice', PASSWORD)).data.token
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
      await page.locator('#code').fill(phoneCode(secret, Date.now(), 1))
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('note.txt').click()
      await page.getByText('the text of a note').first().waitFor()
      await page.goto('/@manage')
      await page.getByRole('button', { name: 'logout' }).click()
      await page.waitForURL('**/account/sign-in?next=/**')
      expect(await storedByPage()).not.toMatch(/cookie\.|\bey/)
      expect(complaints).toEqual([])
    })

    test.each([
      ['as it is', false],
      ['compatibility mode', true],
    ])('signs in with an identity provider: %s', async (_, isCompatible) => {
      const provider = await OidcProvider.start(await freePort(), site.client.url)
      onTestFinished(() => provider.stop())
      const values = {
        sso_login_enabled: 'true',
        sso_login_platform: 'OIDC',
        sso_client_id: CLIENT_ID,
        sso_client_secret: CLIENT_SECRET,
        sso_endpoint_name: provider.issuer,
        sso_auto_register: 'true',
        // A folder of one's own would be empty.
        sso_default_dir: '/',
        sso_compatibility_mode: String(isCompatible),
        // Its icon is the last one then.
        webauthn_login_enabled: 'false',
      }
      const items = Object.entries(values).map(([key, value]) => ({ key, value, group: 7 }))
      await site.asAdmin('POST', '/api/admin/setting/save', items)
      const before = [
        { key: 'sso_login_enabled', value: 'false', group: 7 },
        { key: 'webauthn_login_enabled', value: 'true', group: 7 },
      ]
      onTestFinished(() => site.asAdmin('POST', '/api/admin/setting/save', before))
      const name = isCompatible ? 'oscar' : 'olga'
      await context.unrouteAll()
      await page.goto('/@login')
      await page.locator('a.sso').click()
      await signInAt(page, name)
      await page.getByText('note.txt').waitFor()
      expect(await userOfPage()).toBe(`${name} Doe`)
      expect(await storedByPage()).not.toMatch(/\bey/)
    })

    test('goes on as the same user when another site opens its sign-in page', async () => {
      await signedIn()
      const token = await tokenOfPage()
      const foreign = await site.addUser('mallory')
      const server = createServer((_, response) => {
        response.setHeader('Content-Type', 'text/html')
        response.end('<title>Another site</title>')
      })
      const port = await freePort()
      server.listen(Number(port), '127.0.0.1')
      onTestFinished(() => void server.close())
      await context.unrouteAll()
      const attacker = await context.newPage()
      await attacker.goto(`http://127.0.0.1:${port}/`)
      const attack = async (path: string) => {
        const opened = context.waitForEvent('page')
        await attacker.evaluate(`{
          const opened = window.open(${JSON.stringify(new URL(path, site.client.url).href)})
          setInterval(() => opened.postMessage({ token: ${JSON.stringify(foreign)} }, '*'), 20)
        }`)
        const popup = await opened
        await popup.getByText('note.txt').waitFor()
        await popup.waitForTimeout(ATTACK_MILLISECONDS)
        const shown = await popup.evaluate('localStorage.getItem("token")')
        expect([new URL(popup.url()).pathname, shown, await tokenOfPage()]).toEqual([
          '/',
          token,
          token,
        ])
        await popup.close()
      }
      await attack(`/@login?token=${foreign}`)
      await attack('/@login')
      await attack(`/@LOGIN/?token=${foreign}`)
      expect(await tokenOfPage()).toBe(token)
    })

    test('signs in with a passkey, and finds the files', async () => {
      const authenticator = await VirtualAuthenticator.addTo(page)
      await authenticator.setPresent(false)
      await signedIn()
      await authenticator.setPresent(true)
      await page.goto('/@manage')
      await page.getByRole('button', { name: 'Add a WebAuthn credential' }).click()
      await page.getByText('WebAuthn credential successfully added!').waitFor()
      await context.clearCookies()
      // It asks for the passkey as soon as it opens.
      await page.goto('/@login')
      await page.getByText('note.txt').waitFor()
      expect(await userOfPage()).toBe('alice')
    })

    /** Resolves when the client has been told what a folder holds. */
    function nextList(): Promise<unknown> {
      return page.waitForResponse(
        (response) => response.url().endsWith('/api/fs/list'),
        UPLOAD_WAIT,
      )
    }

    async function chooseFile(path: string): Promise<void> {
      const listed = nextList()
      await page.goto('/folder')
      // A list that another one overtakes is an error to the client.
      await listed
      const [toggle, button] = [page.locator('.toolbar-toggle'), page.locator('svg[tips=upload]')]
      await toggle.or(button).first().waitFor()
      if (!(await button.isVisible())) await toggle.click()
      await button.click()
      await page.locator('input[type=file]').first().setInputFiles(path)
    }

    test('previews an image, a document and a film', async () => {
      put('red.png', PNG)
      put('page.pdf', PDF)
      await signedIn()
      put('film.webm', Uint8Array.from(await page.evaluate<number[]>(FILM)))
      await page.goto('/red.png')
      await shows(`document.querySelector('img[src*="/p/red.png"]')?.naturalWidth`, 40)
      await page.goto('/page.pdf')
      // The viewer draws each page to a picture, behind a shadow root.
      const pages = `[...(document.querySelector('embedpdf-container')?.shadowRoot?.querySelectorAll('img') ?? [])]`
      await shows(`${pages}.some(({ naturalWidth }) => naturalWidth > 0)`, true)
      await page.goto('/film.webm')
      await shows(`document.querySelector('video')?.videoWidth`, 64)
      expect(complaints).toEqual([])
    })

    /** Waits until an expression in the page has a value. */
    async function shows(expression: string, value: unknown): Promise<void> {
      await vi.waitFor(
        async () => expect(await page.evaluate<unknown>(expression)).toEqual(value),
        UPLOAD_WAIT,
      )
    }

    test('shows the text of a member of an archive, and downloads the member', async () => {
      put('packed.zip', ZIP)
      await signedIn()
      await page.goto('/packed.zip')
      await page.getByText('in.txt').click({ button: 'right' })
      const download = page.waitForEvent('download')
      await page.getByText('Download', { exact: true }).click()
      expect(readFileSync(await (await download).path(), 'utf8')).toBe('in the archive')
      await page.getByText('in.txt').click()
      await page.getByText('in the archive').first().waitFor()
      expect(complaints).toEqual([])
    })

    test.each([
      ['Move', ['target/way.txt']],
      ['Copy', ['target/way.txt', 'way.txt']],
    ])('does what its menu calls %s', async (item, left) => {
      const ways = () =>
        ['way.txt', 'target/way.txt'].filter((name) => existsSync(join(site.folder, name)))
      put('way.txt', 'on its way')
      rmSync(join(site.folder, 'target/way.txt'), { force: true })
      await signedIn()
      await page.goto('/?way')
      await page.getByText('way.txt').click({ button: 'right' })
      await page.getByText(item, { exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('target', { exact: true }).click()
      await dialog.getByRole('button', { name: 'OK' }).click()
      await vi.waitFor(() => expect(ways().toSorted()).toEqual(left), UPLOAD_WAIT)
      expect(readFileSync(join(site.folder, 'target/way.txt'), 'utf8')).toBe('on its way')
      expect(complaints).toEqual([])
    })

    // It writes 200 MB three times: here, through the browser, and at OpenList.
    test('uploads files, small and of 200 MB', async () => {
      await signedIn()
      for (const [name, bytes] of Object.entries({
        'small.bin': 60_000,
        'large.bin': 200 * MEBIBYTE,
      })) {
        const path = join(site.clone.folder, name)
        writeFileSync(path, Buffer.alloc(bytes, name))
        const sent = page.waitForResponse(
          (response) => response.request().method() === 'PUT',
          UPLOAD_WAIT,
        )
        // It asks for the list of the folder when it opens it, and after the upload.
        const listedAgain = sent.then(nextList)
        await chooseFile(path)
        await listedAgain
        expect(statSync(join(site.folder, 'folder', name)).size).toBe(bytes)
      }
      expect(complaints).toEqual([])
    })

    /** Takes the tour as an admin. @returns What the client complains of, each once. */
    async function complaintsOnTour(url: string, password: string): Promise<string[]> {
      const own = await newContext(browser, url)
      try {
        const found: string[] = []
        page = await own.newPage()
        noteComplaints(page, found)
        await signedIn('admin', password)
        for (const path of TOUR) {
          await page.goto(path)
          await page.waitForLoadState('networkidle')
        }
        return Array.from(new Set(found.map((text) => text.replaceAll(url, ''))))
      } finally {
        await own.close()
      }
    }

    // Scripts of previewed HTML are left out: Latchkey stops them, which the console tells.
    test('complains of nothing that it does not complain of before OpenList alone', async () => {
      put('plain.md', '# shown')
      const alone = await complaintsOnTour(site.openlist.client.url, OPENLIST_PASSWORD)
      // The path without a file: what is refused is noted.
      expect(alone.filter((text) => text.startsWith('/api/fs/get'))).not.toEqual([])
      const through = await complaintsOnTour(site.client.url, ADMIN_PASSWORD)
      expect(through.filter((text) => !alone.includes(text))).toEqual([])
    })

    // It has no button for that: who closes the page cancels.
    test('has no whole file of a cancelled upload, and uploads the next one', async () => {
      const bytes = 24 * MEBIBYTE
      const [cancelled, next] = ['cancelled.bin', 'next.bin'].map((name) => {
        const path = join(site.clone.folder, name)
        writeFileSync(path, Buffer.alloc(bytes, name))
        return { path, there: join(site.folder, 'folder', name) }
      })
      if (cancelled === undefined || next === undefined) throw new Error('no files')
      await signedIn()
      const network = await context.newCDPSession(page)
      await network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: MEBIBYTE,
      })
      const sending = page.waitForRequest((request) => request.method() === 'PUT')
      await chooseFile(cancelled.path)
      await sending
      await page.close()
      page = await newPage()
      await chooseFile(next.path)
      await vi.waitFor(() => expect(isSame(next)).toBe(true), UPLOAD_WAIT)
      expect(isSame(cancelled)).toBe(false)
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

    test('leads through closed folders to the one that is open', async () => {
      mkdirSync(join(site.folder, 'way', 'mine'), { recursive: true })
      put('way/hidden.txt', 'x')
      put('way/mine/own.txt', 'the text of an own file')
      await site.addUser('walker')
      const { id } = await site.user('walker')
      for (const [path, access] of Object.entries({ '/': 'none', '/way/mine': 'read' })) {
        const rule = { path, uid: id, access }
        const made = await site.asAdmin('POST', '/api/admin/folder_rule/create', rule)
        onTestFinished(async () => {
          await site.asAdmin('POST', `/api/admin/folder_rule/delete?id=${made.id}`)
        })
      }
      await signIn('walker')
      await page.getByText('way', { exact: true }).click()
      await page.getByText('mine', { exact: true }).click()
      await page.getByText('own.txt').click()
      await page.getByText('the text of an own file').first().waitFor()
      await page.goto('/way')
      await page.getByText('mine', { exact: true }).waitFor()
      expect(await page.getByText('hidden.txt').count()).toBe(0)
      expect(complaints).toEqual([])
    })

    test('opens a share with a password as a stranger', async () => {
      mkdirSync(join(site.folder, 'shared'))
      put('shared/inside.txt', 'what was shared')
      const token = await tokenOfAlice()
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
      }, UPLOAD_WAIT)
      expect(complaints).toEqual([])
    })

    test.each(SAVED_GROUPS)(
      'saves the page of settings “%s”, which changes nothing',
      async (group) => {
        const before = await site.openlist.asAdmin('GET', '/api/admin/setting/list')
        await signedIn('admin', ADMIN_PASSWORD)
        await page.goto(`/@manage/settings/${group}`)
        await page.waitForLoadState('networkidle')
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByText('Saved Successfully').first().waitFor()
        expect(await site.openlist.asAdmin('GET', '/api/admin/setting/list')).toEqual(before)
        expect(complaints).toEqual([])
      },
    )

    test('saves each setting of its other programs as OpenList alone does', async () => {
      await signedIn('admin', ADMIN_PASSWORD)
      await page.goto('/@manage/settings/other')
      await page.waitForLoadState('networkidle')
      const buttons = page.getByRole('button', { name: 'Save', exact: true })
      for (const button of await buttons.all()) {
        const answer = page.waitForResponse((response) => response.url().includes('/setting/set_'))
        await button.click()
        const { code } = await (await answer).json()
        // Programs that are not there.
        const isAbsent = /set_(?:aria2|qbit|transmission)$/.test((await answer).url())
        expect([(await answer).url(), code]).toEqual([(await answer).url(), isAbsent ? 500 : 200])
      }
    })

    test('makes an index, and finds a file in it', async () => {
      await signedIn('admin', ADMIN_PASSWORD)
      await site.asAdmin('POST', '/api/admin/setting/save', [
        { key: 'search_index', value: 'database', type: 'select', group: 6 },
      ])
      await page.goto('/@manage/indexes')
      await page.getByRole('button', { name: 'Build indexes' }).click()
      await vi.waitFor(async () => {
        const progress = await site.asAdmin('GET', '/api/admin/index/progress')
        expect(progress).toMatchObject({ is_done: true, error: '' })
        expect(progress.obj_count).toBeGreaterThan(1)
      }, UPLOAD_WAIT)
      complaints = []
      await page.goto('/')
      await page.getByText('note.txt').waitFor()
      await page.keyboard.press('Control+k')
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox').fill('worker')
      await page.keyboard.press('Enter')
      await dialog.getByText('worker.js').first().waitFor()
      expect(complaints).toEqual([])
    })

    test('adds a user and a meta, saves a storage, and restores a backup', async () => {
      await signedIn('admin', ADMIN_PASSWORD)
      await page.goto('/@manage/users/add')
      await page.locator('#username').fill('bob')
      await page.locator('#password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.waitForURL(({ pathname }) => pathname !== '/@manage/users/add')
      expect(await site.user('bob')).toMatchObject({ role: 0 })
      await page.goto('/@manage/metas/add')
      await page.locator('#path').fill('/target')
      await page.locator('#password').fill('of-a-meta')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await vi.waitFor(async () =>
        expect(await site.openlist.asAdmin('GET', '/api/admin/meta/list')).toMatchObject({
          content: [{ path: '/target', password: 'of-a-meta' }],
        }),
      )
      await page.waitForURL(({ pathname }) => pathname !== '/@manage/metas/add')
      await page.goto('/@manage/storages')
      await page.getByRole('button', { name: 'Edit' }).first().click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.waitForURL('**/@manage/storages')
      expect(complaints).toEqual([])
      await page.goto('/@manage/backup-restore')
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Backup' }).click()
      const backup = await (await download).path()
      const token = await site.openlist.token()
      expect(readFileSync(backup, 'utf8')).not.toContain(token)
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Restore' }).click()
      await (await chooser).setFiles(backup)
      await page.getByText('[ Settings ] Restore was successful').waitFor()
      await page.getByText('Finish Restore').waitFor()
      expect(await site.openlist.token()).toBe(token)
      expect(await site.list(await site.adminToken())).toMatchObject({ code: 200 })
    })

    describe('keeps what files do from the viewer', () => {
      test.each(Object.keys(ATTACKS))('previews %s', async (name) => {
        await signedIn()
        await open(`/${name}`)
        expect(stolen).toEqual([])
      })

      test.each(Object.keys(ATTACKS))('shows %s by its link', async (name) => {
        await signedIn()
        const token = await tokenOfAlice()
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
        sent.length = 0
        await page.goto('/form.html')
        await page.frameLocator('iframe').getByText('Show the photo').click()
        await page.waitForTimeout(ATTACK_MILLISECONDS)
        expect(sent).toEqual([])
      })

      test('makes no service worker of a file', async () => {
        await signedIn()
        const token = await tokenOfAlice()
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
    test('lets an HTML file act as its viewer, but take no token', async () => {
      const site = await FilesSite.start(program ?? '', {
        webClient: dist ?? '',
        vars: { FILES_PAGE_POLICY: 'off' },
      })
      const browser = await openBrowser()
      try {
        await site.addUser('alice')
        writeFileSync(join(site.folder, 'attack.html'), ATTACKS['attack.html'] ?? '')
        const page = await browser.newPage({ baseURL: site.client.url })
        await page.goto('/@login?redirect=/attack.html')
        const theft = page.waitForRequest((request) => request.url().includes('/stolen'))
        await page.locator('[name=username]').fill('alice')
        await page.locator('[name=password]').fill(PASSWORD)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        expect((await theft).url()).toMatch(/\/stolen\?cookie\.\d+$/)
      } finally {
        await browser.close()
        await site.remove()
      }
    })
  },
)
