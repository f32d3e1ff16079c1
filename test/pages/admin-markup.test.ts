import { beforeEach, expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { usernameKey } from '../../src/core/accounts/username.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { expectEscaped, fillWithMarkup, MARKUP } from '../support/markup.ts'
import { preparedVisit } from '../support/signed-in.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import type { Visitor } from '../support/visitor.ts'

let site: CheapSite
let admin: Visitor

const signInAdmin = preparedVisit(async (arranged, visitor) => {
  await arranged.addFirstUsers()
  await visitor.signIn('admin', ADMIN_PASSWORD)
  const userId = await arranged.addUser(MARKUP, {
    usernameKey: usernameKey(MARKUP),
    basePath: `/${MARKUP}`,
  })
  await fillWithMarkup(arranged, userId)
})

beforeEach(async () => {
  site = new CheapSite()
  admin = await signInAdmin(site)
})

test.each([
  'users',
  'users/3',
  'events',
  'settings/site',
  'settings/style',
  'settings/preview',
  'settings/accounts',
  'settings/files',
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
