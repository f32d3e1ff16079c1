import { beforeEach, expect, test } from 'vitest'
import { auditEvents, sessions, settings, sshKeys, users } from '../../schema/tables.ts'
import { SETTING_KEYS } from '../../src/settings/defaults.ts'
import { usernameKey } from '../../src/users/username.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD, HOUR, NOW } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

/** Would end a text, an attribute and a textarea, were it not escaped. */
const MARKUP = `"'></textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>&amp;`
const ESCAPED =
  '&quot;&#39;&gt;&lt;/textarea&gt;&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;'

let site: CheapSite
let admin: Visitor

/** Everything that is kept as a text is markup, past every check at the edge. */
beforeEach(async () => {
  site = new CheapSite()
  await site.addFirstUsers()
  admin = new Visitor(site)
  await admin.signIn('admin', ADMIN_PASSWORD)
  const userId = await site.addUser(MARKUP, {
    usernameKey: usernameKey(MARKUP),
    basePath: `/${MARKUP}`,
  })
  const where = { network: MARKUP, userAgent: MARKUP }
  await site.db
    .insert(auditEvents)
    .values({ at: NOW, kind: 'key_used', userId, detail: MARKUP, ...where })
  await site.db.insert(auditEvents).values({ at: NOW, kind: MARKUP, userId, detail: '', ...where })
  await site.db
    .insert(sessions)
    .values({ id: MARKUP, userId, createdAt: NOW, expiresAt: NOW + HOUR, ...where })
  await site.db.insert(sshKeys).values({
    userId,
    title: MARKUP,
    fingerprint: MARKUP,
    type: MARKUP,
    bits: 256,
    line: MARKUP,
    addedAt: NOW,
    lastUsedAt: NOW,
  })
  for (const key of SETTING_KEYS.filter((one) => one !== 'version')) {
    await site.db.insert(settings).values({ key, value: MARKUP })
  }
})

function expectEscaped(html: string): void {
  expect(html).toContain(ESCAPED)
  expect(html).not.toContain('<script>')
  expect(html).not.toContain('<img src=x')
  expect(html.match(/<\/title>/g)).toHaveLength(1)
}

test.each([
  'users',
  'users/3',
  'events',
  'settings/site',
  'settings/style',
  'settings/preview',
  'settings/global',
  'settings/index',
  'settings/sso',
])('%s shows markup as text', async (path) => {
  const { status, html } = await admin.get(`/account/admin/${path}`)
  expect(status).toBe(200)
  expectEscaped(html)
})

test('a search, a filter and a refused form show markup as text', async () => {
  const query = encodeURIComponent(MARKUP)
  expectEscaped((await admin.get(`/account/admin/users?search=${query}x`)).html)
  expectEscaped((await admin.get(`/account/admin/events?user=${query}x`)).html)
  const form = { username: MARKUP, base_path: MARKUP, role: MARKUP, password: '' }
  for (const path of ['users/new', 'users/3/change']) {
    expectEscaped((await admin.post(`/account/admin/${path}`, form)).html)
  }
  const values = { logo: MARKUP, main_color: MARKUP, site_title: MARKUP, announcement: MARKUP }
  for (const group of ['site', 'style']) {
    expectEscaped((await admin.post(`/account/admin/settings/${group}`, values)).html)
  }
  expect(await site.db.select().from(users)).toHaveLength(3)
})

test('the page of a generated password shows a name with markup as text', async () => {
  const { status, html } = await admin.post('/account/admin/users/3/password', { password: '' })
  expect(status).toBe(200)
  expectEscaped(html)
})
