import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { Client } from '../support/client.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { findProgram } from './programs.ts'
import { SftpgoServer } from './sftpgo-server.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const NAME = 'alice'
const PASSWORD = 'alice-Passw0rd'
/** Bits 8 to 11. */
const FILES = 0xf << 8

const program = findProgram('SFTPGO_BIN', 'sftpgo')

describe.skipIf(program === undefined)('the web client of a real SFTPGo', () => {
  let clone: Clone
  let api: Client
  /** The address of the web client. */
  let files: string
  let server: SftpgoServer
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    clone = new Clone()
    const { url } = await clone.serve(ADMIN_PASSWORD)
    api = new Client(url)
    const token = (await api.signIn('admin', ADMIN_PASSWORD)).data.token
    const body = { username: NAME, password: PASSWORD, base_path: '/', permission: FILES }
    await api.call('POST', '/api/admin/user/create', { token, body })
    const port = Number(await freePort())
    files = `http://127.0.0.1:${port}`
    const oidc = await register(url.replace('127.0.0.1', 'localhost'))
    const { stdout: serviceToken } = await clone.latchkey(['service-token', 'add', 'sftpgo'])
    server = await SftpgoServer.start(program ?? '', url, serviceToken.trim(), { port, oidc })
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser.close()
    await server.stop()
    await clone.remove()
  })

  beforeEach(async () => {
    const context = await browser.newContext({ baseURL: files, locale: 'en' })
    page = await context.newPage()
    return () => context.close()
  })

  /** Returns what `client add` prints, as the settings of SFTPGo have it. */
  async function register(issuer: string): Promise<object> {
    const add = ['--json', 'client', 'add', 'sftp', '--sftpgo', files, '--first-party']
    const added = await clone.latchkey([...add, '--issuer', issuer])
    expect(added, added.stderr).toMatchObject({ code: 0 })
    const { settings }: { settings: object } = JSON.parse(added.stdout)
    return settings
  }

  async function signIn(): Promise<void> {
    await page.goto('/web/client/login')
    await page.getByRole('link', { name: 'Sign in with OpenID' }).click()
    await page.getByText('sftp (').waitFor()
    await page.getByLabel('User name').fill(NAME)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  test('turns alice away until SFTPGo knows her', async () => {
    await signIn()
    await page.waitForURL(`${files}/web/client/login`)
    expect(server.log).toContain('unable to get the sftpgo user associated with oidc token')
  })

  test('signs alice in once she has used SFTPGo with an app password', async () => {
    const token = (await api.signIn(NAME, PASSWORD)).data.token
    const body = { name: 'rclone', scopes: ['files:write'] }
    const made = await api.call('POST', '/api/me/tokens/create', { token, body })
    expect(await server.webdav(NAME, made.data.token)).toBe(207)
    await signIn()
    await page.waitForURL(`${files}/web/client/files`)
    expect(await page.locator('body').textContent()).toContain(NAME)
  })

  test('turns alice away after a password of the account, which opens no web pages', async () => {
    expect(await server.webdav(NAME, PASSWORD)).toBe(207)
    await signIn()
    await page.waitForURL(`${files}/web/client/login`)
    expect(server.log).toContain('protocol HTTP is not allowed')
  })
})
