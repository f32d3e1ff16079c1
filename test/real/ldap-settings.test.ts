import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { OPENLIST_PASSWORD, OpenListServer } from './openlist-server.ts'
import { findProgram } from './programs.ts'
import { findStockClient } from './stock-client.ts'

const program = findProgram('OPENLIST_BIN', 'openlist')
const dist = findStockClient()
/** The folder for pictures of the guide. */
const PICTURES = process.env['GUIDE_PICTURES']

const BASE = 'dc=accounts,dc=example,dc=org'
/** What docs/ldap.md says for accounts.example.org. */
const SETTINGS: Record<string, string> = {
  ldap_login_enabled: 'true',
  ldap_server: '127.0.0.1:3890',
  ldap_manager_dn: `cn=search,${BASE}`,
  ldap_manager_password: 'qb0u…',
  ldap_user_search_base: `ou=people,${BASE}`,
  ldap_user_search_filter: '(uid=%s)',
  ldap_default_permission: '3848',
  ldap_default_dir: '/',
}

async function fill(page: Page, name: string, value: string): Promise<void> {
  const field = page.locator(`#${name}`)
  if (value !== 'true') await field.fill(value)
  else if (!(await field.isChecked())) await page.locator(`label[for=${name}]`).last().click()
}

describe.skipIf(program === undefined || dist === undefined)(
  'the page for LDAP of a real OpenList',
  () => {
    let openlist: OpenListServer
    let browser: Browser

    beforeAll(async () => {
      const options = { host: '127.0.0.1', webClient: dist }
      openlist = await OpenListServer.start(program ?? '', options)
      browser = await openBrowser()
    })
    afterAll(async () => {
      await browser.close()
      await openlist.remove()
    })

    async function open(language: string): Promise<Page> {
      const { url } = openlist.client
      const viewport = { width: 1000, height: 960 }
      const context = await browser.newContext({ baseURL: url, locale: language, viewport })
      // For a busy machine.
      context.setDefaultTimeout(120_000)
      const { origin } = new URL(url)
      await context.route(
        (asked) => asked.origin !== origin,
        (route) => route.abort(),
      )
      const page = await context.newPage()
      const { token } = (await openlist.client.signIn('admin', OPENLIST_PASSWORD)).data
      await page.addInitScript(`localStorage.setItem('lang', '${language}')`)
      await page.addInitScript(`localStorage.setItem('token', '${token}')`)
      return page
    }

    test.each([
      ['en', 'Ldap server', 'ldap-settings.png'],
      ['zh-CN', 'LDAP 服务器', 'ldap-settings-zh.png'],
    ])('has every setting of the guide, and saves it: %s', async (language, label, file) => {
      const page = await open(language)
      await page.goto('/@manage/settings/ldap')
      // Its texts come late, and the page is made again with them.
      await page.getByText(label, { exact: true }).waitFor()
      for (const [name, value] of Object.entries(SETTINGS)) await fill(page, name, value)
      if (PICTURES !== undefined) {
        mkdirSync(PICTURES, { recursive: true })
        await page.screenshot({ path: join(PICTURES, file), animations: 'disabled' })
      }
      const saved = page.waitForResponse((response) => response.url().endsWith('/setting/save'))
      await page.getByRole('button', { name: /^(?:Save|保存)$/ }).click()
      expect(await (await saved).json()).toMatchObject({ code: 200 })
      for (const [key, value] of Object.entries(SETTINGS))
        expect(await openlist.asAdmin('GET', `/api/admin/setting/get?key=${key}`)).toMatchObject({
          value,
        })
      await page.context().close()
    })
  },
)
