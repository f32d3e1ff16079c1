import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { FakeProviders, passProvider } from '../support/identity-provider.ts'
import { OidcProvider, signInAt } from '../support/oidc-provider.ts'
import { ServedWorker } from '../support/served-worker.ts'
import { CLIENT_ID, CLIENT_SECRET } from '../support/sso-client.ts'
import { Visitor } from '../support/visitor.ts'
import { OpenListServer, succeeded } from './openlist-server.ts'
import { findProgram } from './programs.ts'

const ACTION_MILLISECONDS = 30_000
const START = '/api/auth/sso?method=sso_get_token'

const passwordOf = (name: string) => `${name}-Passw0rd`

const program = findProgram('OPENLIST_BIN', 'openlist')

describe.skipIf(program === undefined)('a site with single sign-on moves in from OpenList', () => {
  let openlist: OpenListServer
  let clone: Clone

  beforeEach(async () => {
    openlist = await OpenListServer.start(program ?? '')
    for (const name of ['alice', 'bob']) await openlist.addUser(name, passwordOf(name))
    clone = new Clone(inject('startedSite'))
    return async () => {
      await clone.remove()
      await openlist.remove()
    }
  })

  /** Binds an account as the stock client does in its profile. */
  async function bind(username: string, ssoId: string): Promise<void> {
    const { token } = (await openlist.client.signIn(username, passwordOf(username))).data
    const body = { username, password: '', sso_id: ssoId }
    succeeded(await openlist.client.call('POST', '/api/me/update', { token, body }))
  }

  async function move(): Promise<void> {
    await openlist.stop()
    const moved = await clone.latchkey(['import', openlist.database, '--json'])
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining('"refused":[]') })
  }

  /** The settings as an operator of OpenList enters them. */
  const settings = (values: Record<string, string>) =>
    openlist.set({
      sso_login_enabled: 'true',
      sso_client_id: CLIENT_ID,
      sso_client_secret: CLIENT_SECRET,
      ...values,
    })

  describe('with OpenID Connect', () => {
    let provider: OidcProvider
    let browser: Browser
    let page: Page

    beforeEach(async () => {
      const { url } = openlist.client
      provider = await OidcProvider.start(await freePort(), url, { requiresPkce: false })
      await settings({
        sso_login_platform: 'OIDC',
        sso_endpoint_name: provider.issuer,
        sso_auto_register: 'true',
      })
      browser = await openBrowser()
      return async () => {
        await browser.close()
        await provider.stop()
      }
    })

    /** Goes to the provider from a browser that nobody has used. */
    async function goAs(name: string, path: string): Promise<void> {
      const context = await browser.newContext({ baseURL: openlist.client.url, locale: 'en' })
      context.setDefaultTimeout(ACTION_MILLISECONDS)
      page = await context.newPage()
      await page.goto(path)
      await signInAt(page, name)
    }

    test('each user confirms the account once, and then signs in without a password', async () => {
      for (const name of ['alice', 'bob']) {
        await goAs(name, '/api/auth/sso?method=get_sso_id')
        const [, ssoId] = /\{"sso_id": "([^"]*)"\}/.exec(await page.content()) ?? []
        // A name, which users can change.
        expect(ssoId).toBe(`${name} Doe`)
        await bind(name, ssoId ?? '')
      }
      await goAs('bob', START)
      expect(await page.content()).toContain('postMessage({"token":"')

      await move()
      // The address of the site stays, and so do the redirect URIs that the provider knows.
      await clone.start({ PORT: openlist.port }).until('serves on')
      for (const name of ['alice', 'bob']) {
        await goAs(name, START)
        await page.waitForURL('**/account/sign-in/sso/step')
        await page.getByLabel('User name').fill(name)
        await page.getByLabel('Password').fill(passwordOf(name))
        await page.getByRole('button', { name: 'Sign in and link' }).click()
        await page.locator('[data-message*="token"]').waitFor({ state: 'attached' })

        await goAs(name, '/account/sign-in/sso?next=/account/security')
        await page.waitForURL('**/account/security')
        await page.getByRole('heading', { name: `${name} Doe` }).waitFor()
        await page.getByText('Linked by you just now').waitFor()
      }
      expect(
        clone.sql(`select username, subject, linked_by as "linkedBy"
          from identities join users on users.id = user_id order by username`),
      ).toEqual([
        { username: 'alice', subject: 'alice', linkedBy: 'user' },
        { username: 'bob', subject: 'bob', linkedBy: 'user' },
      ])
      // Nobody got a second account.
      expect(clone.sql('select count(*) as users from users')).toEqual([{ users: 4 }])
    })
  })

  test('with GitHub, each user signs in at once', async () => {
    await settings({ sso_login_platform: 'Github' })
    await bind('alice', '583231')
    await bind('bob', '7')
    await move()
    const providers = new FakeProviders(() => Math.floor(Date.now() / 1000))
    const [, secretKeys = ''] =
      /^SECRET_KEYS="?([^"\n]+)/m.exec(readFileSync(clone.path('.dev.vars'), 'utf8')) ?? []
    const served = await ServedWorker.start(inject('workerFolder'), {
      stateFolder: clone.path('.wrangler/state/v3'),
      databaseId: 'DB',
      secretKeys,
      outside: providers.fetch,
    })
    try {
      for (const [name, sub] of Object.entries({ alice: '583231', bob: '7' })) {
        const visitor = new Visitor({
          fetch: (method, path, call) =>
            served.fetch(path, { method, headers: { ...call?.headers } }),
        })
        const { html } = await passProvider(providers, visitor, START, { sub, name: `${name}-gh` })
        const [, token = ''] = /data-message="\{&quot;token&quot;:&quot;([^&]+)&/.exec(html) ?? []
        expect(await served.call('GET', '/api/me', { token })).toMatchObject({
          code: 200,
          data: { username: name, sso_id: sub },
        })
      }
    } finally {
      await served.stop()
    }
  })
})
