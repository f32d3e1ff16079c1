import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, identities, users } from '../../schema/tables.ts'
import { BROWSER, ISSUER, passProvider } from '../support/identity-provider.ts'
import { loggedLines } from '../support/log.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { SsoSite } from '../support/sso-site.ts'
import { alertIn, problemAt, textOf, Visitor } from '../support/visitor.ts'

const LIST = '/api/admin/user/identity/list'
const DELETE = '/api/admin/user/identity/delete'
const WARNING = 'It is the only way in: the user has no password and no passkey'

let site: SsoSite
let token: string
let aliceId: number

const setUp = prepared(async (arranged: SsoSite) => {
  await arranged.addFirstUsers()
  const id = await arranged.addUser('alice', { password: 'alice-Passw0rd' })
  await arranged.setUp()
  return { id, admin: await arranged.token('admin', ADMIN_PASSWORD) }
})

beforeEach(async () => {
  site = new SsoSite()
  ;({ id: aliceId, admin: token } = await setUp(site))
})

async function link(subject: string, userId = aliceId) {
  const names = { platform: 'OIDC', name: `Name ${subject}`, linkedBy: 'import' }
  await site.db
    .insert(identities)
    .values({ issuer: ISSUER, subject, userId, ...names, linkedAt: site.now })
  await site.db.update(users).set({ ssoId: subject }).where(eq(users.id, userId))
}

const unlink = (subject: string, more: object = {}) =>
  site.post(`${DELETE}?uid=${aliceId}`, { issuer: ISSUER, subject, ...more }, { token })

const list = async () => (await site.get(`${LIST}?uid=${aliceId}`, { token })).data

const subjects = async () =>
  (await site.db.select().from(identities)).map((identity) => identity.subject)

const takePassword = () =>
  site.db.update(users).set({ passwordHash: null }).where(eq(users.id, aliceId))

describe('the API for operators', () => {
  test('lists the linked accounts of a user, and unlinks one with an event', async () => {
    await link('1')
    await link('2')
    await link('3', await site.addUser('bob'))
    expect(await list()).toEqual({
      content: ['1', '2'].map((subject) => ({
        issuer: ISSUER,
        subject,
        platform: 'OIDC',
        name: `Name ${subject}`,
        linked_at: expect.stringContaining('2026-11-21T'),
        linked_by: 'import',
        last_used_at: null,
        last_way_in: false,
      })),
      total: 2,
    })
    expect(await unlink('2')).toMatchObject({ code: 200, data: null })
    expect(await subjects()).toEqual(['1', '3'])
    expect((await site.get(`/api/admin/user/get?id=${aliceId}`, { token })).data.sso_id).toBe('1')
    const event = { kind: 'identity_unlinked', detail: 'OIDC: Name 2', userId: aliceId, actorId: 1 }
    expect((await site.db.select().from(auditEvents)).at(-1)).toMatchObject(event)
    expect(loggedLines('"identity_unlinked"')).toHaveLength(1)
    // The user can no longer sign in with it.
    const visitor = new Visitor(site)
    const person = { sub: '2', name: 'Name 2' }
    const start = '/api/auth/sso?method=sso_get_token'
    expect((await passProvider(site.providers, visitor, start, person)).location).toBe(
      '/account/sign-in/sso/step',
    )
  })

  test('names an account without a name by its id, in the event and the log', async () => {
    await link('583231')
    await site.db.update(identities).set({ name: '' })
    expect(await unlink('583231')).toMatchObject({ code: 200 })
    const event = { kind: 'identity_unlinked', detail: 'OIDC: 583231' }
    expect((await site.db.select().from(auditEvents)).at(-1)).toMatchObject(event)
    expect(loggedLines('"OIDC: 583231"')).toHaveLength(1)
  })

  test('unlinks nothing that another user has', async () => {
    await link('3', await site.addUser('bob'))
    expect(await unlink('3')).toMatchObject({ code: 404 })
    expect(await subjects()).toEqual(['3'])
  })

  test('unlinks the only way in on purpose alone', async () => {
    await link('1')
    await link('2')
    await takePassword()
    expect((await list()).content).toMatchObject([{ last_way_in: false }, { last_way_in: false }])
    expect(await unlink('1')).toMatchObject({ code: 200 })
    expect((await list()).content).toMatchObject([{ subject: '2', last_way_in: true }])
    expect(await unlink('2')).toMatchObject({ code: 400 })
    expect(await unlink('2', { last_way_in: 'yes' })).toMatchObject({ code: 400 })
    expect(await subjects()).toEqual(['2'])
    expect(await unlink('2', { last_way_in: true })).toMatchObject({ code: 200 })
    expect(await subjects()).toEqual([])
    expect((await site.get(`/api/admin/user/get?id=${aliceId}`, { token })).data.sso_id).toBe('')
  })

  test('serves admins alone, and unlinks in a fresh session alone', async () => {
    await link('1')
    const alice = await site.token('alice', 'alice-Passw0rd')
    expect(await site.get(`${LIST}?uid=${aliceId}`, { token: alice })).toMatchObject({ code: 403 })
    const body = { issuer: ISSUER, subject: '1' }
    expect(await site.post(`${DELETE}?uid=${aliceId}`, body, { token: alice })).toMatchObject({
      code: 403,
    })
    site.now += HOUR
    expect(await unlink('1')).toMatchObject({
      code: 403,
      message: 'Sign in again or confirm to do this',
    })
    expect(await subjects()).toEqual(['1'])
  })
})

/** The operators' page of alice. */
const page = () => `/account/admin/users/${aliceId}`

describe("the operators' page of a user", () => {
  let visitor: Visitor
  const seen = async () => textOf((await visitor.get(page())).html)
  const submit = (fields: Record<string, string>) =>
    visitor.post(`${page()}/unlink-identity`, { issuer: ISSUER, ...fields })

  beforeEach(async () => {
    visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
  })

  test('lists and unlinks the linked accounts', async () => {
    expect(await seen()).toMatch(/None: [^.]*Linked accounts/)
    await link('1')
    expect(await seen()).toContain(
      'Name 1 OpenID Linked just now, when this account was moved here',
    )
    expect(await seen()).not.toContain(WARNING)
    const unlinked = await submit({ subject: '1' })
    expect(unlinked.location).toBe(`${page()}?done=identity-unlinked`)
    expect(await subjects()).toEqual([])
  })

  test('is silent where there are none and can be none', async () => {
    await site.setUp({ sso_login_enabled: 'false' })
    expect(await seen()).not.toContain('Linked accounts')
  })

  test('warns of the only way in before it unlinks it', async () => {
    await link('1')
    // The page was read while the user had a password.
    await takePassword()
    const refused = await submit({ subject: '1' })
    expect(alertIn(refused.html)).toBe(
      'The user now has no other way to sign in. Read the warning, then try again.',
    )
    expect(textOf(refused.html)).toContain(WARNING)
    expect(refused.html).toContain('<input type="hidden" name="last_way_in" value="true"/>')
    expect(await subjects()).toEqual(['1'])
    expect((await submit({ subject: '1', last_way_in: 'true' })).location).toContain('?done=')
    expect(await subjects()).toEqual([])
  })

  test('asks for the password first in an old session', async () => {
    await link('1')
    site.now += HOUR
    const asked = await submit({ subject: '1' })
    expect(problemAt(asked.html, 'unlink-1-confirm_password')).toBe(
      'Confirm your identity to continue.',
    )
    const fields = { subject: '1', confirm_password: ADMIN_PASSWORD }
    expect((await submit(fields)).location).toContain('?done=identity-unlinked')
    expect(await subjects()).toEqual([])
  })

  test('escapes what the provider says', async () => {
    await link(`"><script>alert(1)</script>`)
    const { html } = await visitor.get(page(), BROWSER)
    expect(html).not.toContain('<script>alert')
  })
})
