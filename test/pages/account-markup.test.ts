import { beforeEach, expect, test } from 'vitest'
import { settings } from '../../schema/tables.ts'
import { usernameKey } from '../../src/core/accounts/username.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import { expectEscaped, expectSafe, fillWithMarkup, MARKUP } from '../support/markup.ts'
import { Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'

let site: CheapSite
let visitor: Visitor

/** Somebody whose name, folder, keys, sessions and events are markup, on a site of markup. */
beforeEach(async () => {
  site = new CheapSite()
  await site.addFirstUsers()
  const userId = await site.addUser(MARKUP, {
    usernameKey: usernameKey(MARKUP),
    basePath: `/${MARKUP}`,
    password: PASSWORD,
  })
  visitor = new Visitor(site, { 'User-Agent': MARKUP })
  await visitor.signIn(MARKUP, PASSWORD)
  await fillWithMarkup(site, userId)
})

test.each(['', '/security', '/keys', '/sessions', '/activity'])(
  '/account%s shows markup as text',
  async (path) => {
    const { status, html } = await visitor.get(`/account${path}`)
    expect(status).toBe(200)
    expectEscaped(html)
  },
)

test('a page that does not exist shows its address as text, if at all', async () => {
  const { status, html } = await visitor.get(`/account/${encodeURIComponent(MARKUP)}`)
  expect(status).toBe(404)
  expectSafe(html)
})

test('a refused form shows markup as text', async () => {
  const forms: Record<string, Record<string, string>> = {
    'keys/add': { title: MARKUP, key: MARKUP },
    'keys/delete': { id: MARKUP },
    'sessions/end': { id: MARKUP + MARKUP },
    'security/password': { old_password: MARKUP, password: MARKUP, repeat: 'x' },
  }
  for (const [path, fields] of Object.entries(forms)) {
    const { status, html } = await visitor.post(`/account/${path}`, fields)
    expect(status, path).toBeGreaterThanOrEqual(400)
    expectEscaped(html)
  }
})

test('setting up two-step verification and signing in with it show markup as text', async () => {
  // More would not fit into a QR code.
  await site.db.update(settings).set({ value: MARKUP.slice(0, 64) })
  const { html } = await visitor.post('/account/security/start')
  expectSafe(html)
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  const [, secret = ''] = /name="secret" value="([A-Z2-7]{32})"/.exec(html) ?? []
  rememberSecret(secret)
  const confirmed = await visitor.post('/account/security/confirm', {
    secret,
    code: site.code(secret),
  })
  expectSafe(confirmed.html)
  expect(confirmed.html).toContain('id="codes"')
  const other = new Visitor(site)
  await other.post('/account/sign-in', { username: MARKUP, password: PASSWORD })
  expectEscaped((await other.get('/account/sign-in/code')).html)
  expectEscaped((await other.post('/account/sign-in/code', { code: MARKUP })).html)
})

test('a refused sign-in shows the name as text', async () => {
  const form = { username: MARKUP, password: 'wrong-Passw0rd' }
  const { status, html } = await new Visitor(site).post('/account/sign-in', form)
  expect(status).toBe(403)
  expectEscaped(html)
})

test('neither the address nor the language makes markup of a page', async () => {
  expectEscaped((await visitor.get(`/account?done=${encodeURIComponent(MARKUP)}`)).html)
  const { html } = await visitor.get('/account', { 'Accept-Language': MARKUP })
  expectEscaped(html)
  const { location } = await visitor.post('/account/language', {
    language: 'zh',
    path: 'javascript:alert(1)',
  })
  expect(location).toBe('/account')
})

test.each([
  ['main_color', '#fff}</style><script>alert(1)</script>'],
  ['main_color', '#fff;background:url(https://evil.example)'],
  ['main_color', 'expression(alert(1))'],
  ['main_color', '#fff\\00007d'],
  ['logo', 'javascript:alert(1)'],
  ['logo', ' \tjavascript:alert(1)\njava\tscript:alert(1)'],
  ['logo', '/x" onerror="alert(1)'],
  ['logo', '//evil.example/x.svg\n/\t/evil.example'],
  ['logo', 'data:text/html,<script>alert(1)</script>'],
])('%s can smuggle nothing in with %j, written past the service', async (key, value) => {
  const plain = new CheapSite()
  await plain.db.delete(settings)
  await plain.db.insert(settings).values({ key, value })
  const guest = new Visitor(plain)
  const { html } = await guest.get('/account/sign-in')
  const [, theme = ''] = /<link rel="stylesheet" href="([^"]+theme[^"]+)"/.exec(html) ?? []
  const { html: css } = await guest.get(theme)
  expect(css).toContain('--site:#1890ff')
  for (const text of [html, css]) {
    expect(text).not.toMatch(/evil|alert\(|onerror|javascript:|expression/)
  }
  expect(html.match(/<img src="([^"]+)"/)?.[1]).toMatch(/^\/logo-[0-9a-f]{10}\.svg$/)
})
