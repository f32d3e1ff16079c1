import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import type { Envelope } from '../support/envelope.ts'
import { freePort } from '../support/free-port.ts'
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts'
import { execute, findProgram, stop } from './programs.ts'
import { findStockClient } from './stock-client.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const NAME = 'alice'
const PASSWORD = 'alice-Passw0rd'
const START_MILLISECONDS = 60_000

/** Set to a folder, it gets the pictures of the guide (docs/openlist-sign-in.md). */
const PICTURES = process.env['GUIDE_PICTURES']

/** OpenList reads a body as its content type says. */
class OpenListClient extends Client {
  override async call(...[method, path, { token = '', body } = {}]: Parameters<Client['call']>) {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { Authorization: token, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const envelope: Envelope = await response.json()
    return envelope
  }
}

async function picture(of: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return
  mkdirSync(PICTURES, { recursive: true })
  await of.screenshot({ path: join(PICTURES, `sign-in-${name}.png`) })
}

const program = findProgram('OPENLIST_BIN', 'openlist')
const dist = findStockClient()

describe.skipIf(program === undefined || dist === undefined)('a real OpenList', () => {
  let folder: string
  let clone: Clone
  /** As browsers have it: passkeys work at localhost, and the files are on another site. */
  let issuer: string
  let openlist: ChildProcess
  let files: OpenListClient
  let browser: Browser
  let page: Page
  let authenticator: VirtualAuthenticator

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-openid-'))
    clone = new Clone()
    const { url } = await clone.serve(ADMIN_PASSWORD)
    issuer = url.replace('127.0.0.1', 'localhost')
    const api = new Client(url)
    const token = (await api.signIn('admin', ADMIN_PASSWORD)).data.token
    const body = { username: NAME, password: PASSWORD, base_path: '/', permission: 0 }
    await api.call('POST', '/api/admin/user/create', { token, body })
    await clone.latchkey(['setting', 'set', 'webauthn_login_enabled', 'true'])
    await startOpenList()
    await registerAtBoth()
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await stop(openlist)
    await clone.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function startOpenList(): Promise<void> {
    const data = join(folder, 'data')
    const set = ['admin', 'set', ADMIN_PASSWORD, '--data', data]
    const { status, printed } = await execute(program ?? '', set, { cwd: folder })
    if (status !== 0) throw new Error(printed)
    const port = await freePort()
    const config = JSON.parse(readFileSync(join(data, 'config.json'), 'utf8'))
    config.scheme = { ...config.scheme, address: '127.0.0.1', http_port: Number(port) }
    config.dist_dir = resolve(dist ?? '')
    writeFileSync(join(data, 'config.json'), JSON.stringify(config))
    openlist = spawn(program ?? '', ['server', '--data', data, '--no-prefix'], {
      cwd: folder,
      stdio: 'ignore',
    })
    files = new OpenListClient(`http://127.0.0.1:${port}`)
    await vi.waitFor(() => files.call('GET', '/api/public/settings'), {
      timeout: START_MILLISECONDS,
      interval: 200,
    })
  }

  /** Writes what `client add` prints into OpenList's settings, and nothing else. */
  async function registerAtBoth(): Promise<void> {
    const add = ['--json', 'client', 'add', 'files', '--openlist', files.url, '--first-party']
    const added = await clone.latchkey([...add, '--issuer', issuer])
    expect(added, added.stderr).toMatchObject({ code: 0 })
    const { settings }: { settings: Record<string, string> } = JSON.parse(added.stdout)
    const token = (await files.signIn('admin', ADMIN_PASSWORD)).data.token
    const { data: all } = await files.call('GET', '/api/admin/setting/list', { token })
    const body = all
      .filter(({ key }: { key: string }) => key in settings)
      .map((item: { key: string }) => ({ ...item, value: settings[item.key] }))
    expect(body).toHaveLength(Object.keys(settings).length)
    const saved = await files.call('POST', '/api/admin/setting/save', { token, body })
    expect(saved).toMatchObject({ code: 200 })
  }

  beforeEach(async () => {
    clone.sql('delete from throttle_counters')
    const context = await browser.newContext({
      baseURL: files.url,
      locale: 'en',
      viewport: { width: 900, height: 640 },
    })
    // Its pages load pictures and fonts from elsewhere.
    const own = [files.url, issuer].map((url) => new URL(url).origin)
    await context.route(
      (url) => !own.includes(url.origin),
      (route) => route.abort(),
    )
    page = await context.newPage()
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

  async function me(): Promise<string> {
    await page.waitForURL((url) => url.pathname === '/')
    return page.evaluate(`fetch('/api/me', { headers: {
      Authorization: localStorage.getItem('token') ?? '',
    } }).then((response) => response.json()).then(({ data }) => data?.username ?? 'nobody')`)
  }

  test('signs alice in with her password, and then without a question', async () => {
    const popup = await openPopup()
    await popup.getByText('files (').waitFor()
    await picture(popup, 'popup')
    await popup.getByLabel('User name').fill(NAME)
    await popup.getByLabel('Password').fill(PASSWORD)
    await popup.getByRole('button', { name: 'Sign in', exact: true }).click()
    expect(await me()).toBe(NAME)
    await picture(page, 'done')
    await page.evaluate(`localStorage.removeItem('token')`)
    await openPopup()
    expect(await me()).toBe(NAME)
  })

  test('signs alice in with her passkey', async () => {
    const account = await page.context().newPage()
    authenticator = await VirtualAuthenticator.addTo(account)
    await account.goto(`${issuer}/account/sign-in`)
    await account.getByLabel('User name').fill(NAME)
    await account.getByLabel('Password').fill(PASSWORD)
    await account.getByRole('button', { name: 'Sign in', exact: true }).click()
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
