import { beforeEach, describe, expect, test } from 'vitest'
import { reservedNames } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import {
  claimsIn,
  codeFor,
  exchangeCode,
  PASSWORD,
  type Registered,
  register,
  requestPath,
  signedIn,
  userInfo,
  withClient,
} from '../support/openid.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { textOf, valueOf, type Visitor } from '../support/visitor.ts'

const ALICE = 3

let site: CheapSite
let client: Registered
let admin: string

beforeEach(async () => {
  site = new CheapSite()
  client = await withClient(site)
  admin = await site.token('admin', ADMIN_PASSWORD)
})

const create = (username: string) =>
  site.post('/api/admin/user/create', { username, password: 'other-Passw0rd' }, { token: admin })

async function rename(id: number, username: string) {
  const { data } = await site.get(`/api/admin/user/get?id=${id}`, { token: admin })
  return site.post('/api/admin/user/update', { ...data, username }, { token: admin })
}

describe('while a client is registered', () => {
  test('users do not rename themselves', async () => {
    const token = await site.token('alice', PASSWORD)
    expect(await site.post('/api/me/update', { username: 'alicia' }, { token })).toMatchObject({
      code: 403,
      message: 'apps know you by your user name, only an administrator can change it',
    })
    expect((await site.post('/api/me/update', { username: 'alice' }, { token })).code).toBe(200)
  })

  test('the name of a rejected registration is free again, and that of a renamed one', async () => {
    const waiting = { disabled: true, waiting: true }
    for (const [path, fields] of [
      ['reject?id=', undefined],
      ['delete?id=', undefined],
      ['update', { username: 'bobby' }],
    ] as const) {
      const id = await site.addUser('bob', { ...waiting, basePath: '/homes/bob' })
      const isRename = fields !== undefined
      const url = `/api/admin/user/${path}${isRename ? '' : id}`
      const body = isRename ? { id, ...fields } : undefined
      expect(await site.post(url, body, { token: admin })).toMatchObject({ code: 200 })
      expect(await site.db.select().from(reservedNames)).toEqual([])
    }
    expect((await create('bob')).code).toBe(200)
  })

  test('the name of a deleted account stays reserved until an operator releases it', async () => {
    await site.post(`/api/admin/user/delete?id=${ALICE}`, undefined, { token: admin })
    expect(await create('alice')).toMatchObject({ code: 409 })
    expect(await create('ALICE')).toMatchObject({
      code: 409,
      message: 'username belonged to another account',
    })
    const operator = await signedIn(site, 'admin', ADMIN_PASSWORD)
    const { html } = await operator.get('/account/admin/programs')
    expect(textOf(html)).toContain('Reserved names')
    await operator.post('/account/admin/programs/release', { username: 'alice' })
    expect((await create('alice')).code).toBe(200)
  })

  test('an operator who could rename an account is told what that means', async () => {
    const operator = await signedIn(site, 'admin', ADMIN_PASSWORD)
    const told = 'Apps know this account by its name'
    const shown = async () => textOf((await operator.get(`/account/admin/users/${ALICE}`)).html)
    expect(await shown()).toContain(told)
    await operator.post('/account/admin/programs/delete', { id: client.clientId })
    expect(await shown()).not.toContain(told)
  })

  test('the name of a renamed account is free for nobody but itself', async () => {
    expect((await rename(ALICE, 'alicia')).code).toBe(200)
    expect((await create('alice')).code).toBe(409)
    await site.addUser('bob')
    expect((await rename(4, 'Alice')).code).toBe(409)
    expect((await rename(ALICE, 'alice')).code).toBe(200)
    expect((await site.db.select().from(reservedNames)).map(({ username }) => username)).toEqual([
      'alicia',
    ])
  })
})

test('without a client, names are free at once', async () => {
  const other = new CheapSite()
  await other.db.delete(reservedNames)
  const { openidClients } = await import('../../schema/tables.ts')
  await other.db.delete(openidClients)
  await site.post(`/api/admin/user/delete?id=${ALICE}`, undefined, { token: admin })
  expect((await create('alice')).code).toBe(200)
})

describe('the pages of programs', () => {
  let alice: Visitor

  beforeEach(async () => {
    alice = await signedIn(site)
  })

  test('show a user what has access, and take it away', async () => {
    expect(textOf((await alice.get('/account/programs')).html)).toContain('No apps')
    const scope = 'openid offline_access'
    const got = await exchangeCode(site, client, await codeFor(alice, client, { scope }))
    expect(textOf((await alice.get('/account/programs')).html)).toContain('files')
    const { location } = await alice.post('/account/programs/remove', { id: client.clientId })
    expect(location).toBe('/account/programs?done=program-removed')
    expect((await userInfo(site, got.access_token)).status).toBe(401)
    expect((await alice.post('/account/programs/remove', { id: client.clientId })).status).toBe(404)
    const { html } = await alice.get('/account/activity')
    expect(textOf(html)).toContain('You took the access from the app “files”')
  })

  test('show a user what each sees, the latest used first', async () => {
    const photos = await register(site, { name: 'a-photos', firstParty: false })
    const scope = 'openid email groups offline_access'
    await exchangeCode(site, client, await codeFor(alice, client, { scope }))
    const listed = async () => textOf((await alice.get('/account/programs')).html)
    expect(await listed()).toMatch(/Sees your user name, e-mail address, groups Stays signed in/)
    const request = requestPath(photos).split('?')[1] ?? ''
    const given = { request, user: String(ALICE), answer: 'allow' }
    await alice.post('/oauth/authorize/consent', given)
    expect(await listed()).toMatch(/files .*Sees your user name, .*a-photos .*Sees your user name/)
  })

  test('register an OpenList, replace its secret and delete it', async () => {
    const operator = await signedIn(site, 'admin', ADMIN_PASSWORD)
    const path = '/account/admin/programs'
    const form = { name: 'list', preset: 'openlist', site: 'https://list.example.org/' }
    const made = await operator.post(`${path}/add`, { ...form, first_party: 'on' })
    expect(made.status).toBe(200)
    expect(textOf(made.html)).toContain('sso_endpoint_name')
    expect(made.html).toMatch(/>lks_[\w-]{43}</)
    const { html: list } = await operator.get(path)
    expect(textOf(list)).toContain('list list.example.org')
    expect(list).not.toContain('lks_')
    const [, id = ''] = /edit\?id=([^"]+)"/.exec(list.slice(list.indexOf('list.example.org'))) ?? []
    const shown = await operator.get(`${path}/edit?id=${id}`)
    expect(shown.html).toContain(`<code id="client-id">${id}</code>`)
    expect(valueOf(shown.html, 'edit-redirect_uris')).toContain(
      'https://list.example.org/api/auth/sso_callback?method=sso_get_token',
    )
    expect((await operator.post(`${path}/add`, form)).status).toBe(409)
    const wrong = { ...form, name: 'x', site: 'http://list.example.org' }
    expect((await operator.post(`${path}/add`, wrong)).status).toBe(400)
    const replaced = await operator.post(`${path}/secret`, { id: client.clientId })
    const [, secret = ''] = />(lks_[\w-]{43})</.exec(replaced.html) ?? []
    const code = await codeFor(alice, client)
    expect((await exchangeCode(site, client, code)).status).toBe(401)
    const got = await exchangeCode(site, { ...client, secret }, code)
    expect(claimsIn(got.id_token)['name']).toBe('alice')
    await operator.post(`${path}/delete`, { id: client.clientId })
    expect((await userInfo(site, got.access_token)).status).toBe(401)
  })

  test('a program without a secret is not said to have one', async () => {
    const operator = await signedIn(site, 'admin', ADMIN_PASSWORD)
    const { html } = await operator.post('/account/admin/programs/add', {
      name: 'app',
      preset: 'other',
      redirect_uris: 'https://app.example.org/callback',
      is_public: 'on',
    })
    expect(textOf(html)).toContain('Copy them into the app. issuer')
    expect(textOf(html)).not.toContain('secret')
  })

  test('are for admins only, and need a fresh session', async () => {
    expect((await alice.get('/account/admin/programs')).status).toBe(403)
    const third = await register(site, { name: 'third' })
    const operator = await signedIn(site, 'admin', ADMIN_PASSWORD)
    site.now += 3_600_000
    const refused = await operator.post('/account/admin/programs/delete', { id: third.clientId })
    expect(refused.status).toBe(403)
    expect(textOf((await operator.get('/account/admin/programs')).html)).toContain('third')
  })
})
