import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, openidClients } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import {
  AFTER_LOGOUT,
  CALLBACK,
  codeFor,
  exchangeCode,
  type Registered,
  register,
  requestPath,
  signedIn,
  userInfo,
  withClient,
} from '../support/openid.ts'
import { ADMIN_PASSWORD, MINUTE } from '../support/site.ts'
import { problemAt, textOf, type Visitor } from '../support/visitor.ts'

const OTHER = 'https://new.example.org/callback'
const EDIT = '/account/admin/programs/edit'

let site: CheapSite
let client: Registered
let admin: Visitor
let alice: Visitor

beforeEach(async () => {
  site = new CheapSite()
  client = await withClient(site)
  admin = await signedIn(site, 'admin', ADMIN_PASSWORD)
  alice = await signedIn(site)
})

/** The form as it stands, with these fields changed. */
function edit(changed: Record<string, string> = {}, left: string[] = []) {
  const fields = {
    id: client.clientId,
    name: 'files',
    redirect_uris: CALLBACK,
    post_logout_uris: AFTER_LOGOUT,
    logout_uri: '',
    first_party: 'on',
    ...changed,
  }
  const sent = Object.entries(fields).filter(([name]) => !left.includes(name))
  return admin.post(EDIT, Object.fromEntries(sent))
}

const stored = async () => (await site.db.select().from(openidClients))[0]

/** The details of the events that tell of a change. */
async function changes(): Promise<string[]> {
  const events = await site.db.select().from(auditEvents)
  return events.filter(({ kind }) => kind === 'client_changed').map(({ detail }) => detail)
}

/** Alice signs in to the program. */
const signIn = async () => exchangeCode(site, client, await codeFor(alice, client))

describe('an app that is edited', () => {
  test('keeps its client ID and secret, with a new name, addresses and options', async () => {
    const before = await stored()
    const got = await signIn()
    const page = await admin.get(`${EDIT}?id=${client.clientId}`)
    expect(page.html).toContain(CALLBACK)
    const saved = await edit({
      name: 'wiki',
      redirect_uris: `${CALLBACK}\n${OTHER}`,
      post_logout_uris: '',
      logout_uri: 'https://new.example.org/logout',
      email_in_id_token: 'on',
    })
    expect(saved.location).toBe('/account/admin/programs?done=program-changed')
    expect(await stored()).toEqual({
      ...before,
      name: 'wiki',
      redirectUris: [CALLBACK, OTHER],
      postLogoutUris: [],
      logoutUri: 'https://new.example.org/logout',
      emailInIdToken: true,
    })
    expect(await changes()).toEqual(['files → wiki'])
    expect((await userInfo(site, got.access_token)).status).toBe(200)
    expect((await signIn()).status).toBe(200)
    const { html } = await admin.get('/account/admin/events')
    expect(textOf(html)).toContain('admin changed the app “files → wiki”')
  })

  test('writes no event, and ends nothing, when nothing changed', async () => {
    const got = await signIn()
    expect((await edit()).status).toBe(303)
    expect(await changes()).toEqual([])
    expect((await userInfo(site, got.access_token)).status).toBe(200)
  })

  test('loses the codes and tokens of an address that is taken away, and those alone', async () => {
    const other = await register(site, { name: 'other' })
    const kept = await exchangeCode(site, other, await codeFor(alice, other))
    const got = await signIn()
    const code = await codeFor(alice, client)
    expect((await edit({ redirect_uris: OTHER })).status).toBe(303)
    expect(await exchangeCode(site, client, code)).toMatchObject({ error: 'invalid_grant' })
    expect((await userInfo(site, got.access_token)).status).toBe(401)
    expect((await alice.get(requestPath(client))).status).toBe(400)
    expect((await userInfo(site, kept.access_token)).status).toBe(200)
  })

  test('for administrators alone keeps only what administrators have', async () => {
    const got = await signIn()
    const ofAdmin = await exchangeCode(site, client, await codeFor(admin, client))
    await edit({ admins_only: 'on' })
    expect((await userInfo(site, got.access_token)).status).toBe(401)
    expect((await userInfo(site, ofAdmin.access_token)).status).toBe(200)
  })

  test('that is no longer of the site has nothing to which its users did not agree', async () => {
    const got = await signIn()
    await edit({}, ['first_party'])
    expect((await userInfo(site, got.access_token)).status).toBe(401)
    expect(textOf((await alice.get(requestPath(client))).html)).toContain('Allow files?')
  })

  test('never gets or loses its secret', async () => {
    await edit({ is_public: 'on' })
    expect((await stored())?.secretHash).not.toBeNull()
    expect((await admin.get(`${EDIT}?id=${client.clientId}`)).html).not.toContain('is_public')
    const native = await register(site, { name: 'native', isPublic: true })
    await edit({ id: native.clientId, name: 'native' })
    const rows = await site.db.select().from(openidClients)
    expect(rows.find(({ name }) => name === 'native')?.secretHash).toBeNull()
  })

  test.each([
    ['an address without https', { redirect_uris: 'http://new.example.org/' }, 'redirect_uris'],
    ['no address', { redirect_uris: ' ' }, 'redirect_uris'],
    ['no name', { name: '' }, 'name'],
    ['an address with a fragment', { post_logout_uris: `${OTHER}#x` }, 'post_logout_uris'],
  ])('is not saved with %s', async (_, changed, field) => {
    const before = await stored()
    const got = await signIn()
    const { status, html } = await edit(changed)
    expect(status).toBe(400)
    expect(problemAt(html, `edit-${field}`)).not.toBe('')
    expect(await stored()).toEqual(before)
    expect((await userInfo(site, got.access_token)).status).toBe(200)
  })

  test('does not take the name of another one, and loses nothing by trying', async () => {
    await register(site, { name: 'other' })
    const got = await signIn()
    const { status, html } = await edit({ name: 'other', redirect_uris: OTHER })
    expect(status).toBe(409)
    expect(textOf(html)).toContain('There is already an app with this name.')
    expect(await changes()).toEqual([])
    expect((await userInfo(site, got.access_token)).status).toBe(200)
  })

  test('has to be there', async () => {
    expect((await edit({ id: 'x' })).status).toBe(404)
    expect((await admin.get(`${EDIT}?id=x`)).status).toBe(404)
  })

  test('needs an administrator, who confirms in an older session', async () => {
    expect((await alice.post(EDIT, { id: client.clientId, name: 'x' })).status).toBe(403)
    site.now += 11 * MINUTE
    expect((await edit({ redirect_uris: OTHER })).status).toBe(403)
    expect((await stored())?.redirectUris).toEqual([CALLBACK])
    expect((await edit({ redirect_uris: OTHER, confirm_password: ADMIN_PASSWORD })).status).toBe(
      303,
    )
    expect((await stored())?.redirectUris).toEqual([OTHER])
  })
})
