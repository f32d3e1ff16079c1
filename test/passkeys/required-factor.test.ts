import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { passkeys, sessions, settings, sshKeys, users } from '../../schema/tables.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { ED1 } from '../reference/keys.ts'
import { SoftwarePasskey } from '../support/passkey.ts'
import { PasskeySite } from '../support/passkey-user.ts'
import { signInAlice } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, MINUTE } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const missing = {
  code: 403,
  message:
    'This site requires a second factor: turn on two-step verification or add a passkey first',
  data: null,
}
const unused = {
  code: 403,
  message: 'This site requires a second factor: sign in with your passkey or your code',
  data: null,
}

let site: PasskeySite
let token: string

beforeEach(async () => {
  site = new PasskeySite()
  token = await signInAlice(site)
  await site.switchOn()
})

async function requireFactor(value: string): Promise<void> {
  await site.db
    .insert(settings)
    .values({ key: 'require_second_factor', value })
    .onConflictDoUpdate({ target: settings.key, set: { value } })
}

const get = (path: string, as = token) => site.get(path, { token: as })
const post = (path: string, body?: unknown, as = token) => site.post(path, body, { token: as })

/** Everything that a session may do only with its second factor. */
const GUARDED: [string, () => ReturnType<typeof get>][] = [
  ['list SSH keys', () => get('/api/me/sshkey/list')],
  ['list a page of SSH keys', () => get('/api/me/sshkey/list?page=1&per_page=5')],
  ['add an SSH key', () => post('/api/me/sshkey/add', { title: 'laptop', key: ED1 })],
  ['delete an SSH key', () => post('/api/me/sshkey/delete?id=1')],
  ['list sessions', () => get('/api/me/sessions')],
  ['end other sessions', () => post('/api/me/sessions/delete_others')],
  ['list events', () => get('/api/me/events')],
  ['change the name', () => post('/api/me/update', { username: 'alicia' })],
  ['set a password', () => post('/api/me/update', { username: 'alice', password: 'new-Passw0rd' })],
  ['turn two-step verification off', () => post('/api/auth/2fa/disable', { otp_code: '000000' })],
  ['list passkeys', () => get('/api/authn/getcredentials')],
  ['rename a passkey', () => post('/api/authn/rename_authn', { id: 'AAAA', name: 'x' })],
  ['delete a passkey', () => post('/api/authn/delete_authn', { id: 'AAAA' })],
]

describe('everybody who must use a second factor and has none', () => {
  beforeEach(() => requireFactor('everybody'))

  test.each(GUARDED)('may not %s, and changes nothing', async (_, act) => {
    const read = async () =>
      JSON.stringify(
        await site.db.batch([
          site.db.select().from(users),
          site.db.select().from(sessions),
          site.db.select().from(sshKeys),
        ]),
      )
    const before = await read()
    // The settings are in memory then.
    await site.beginLogin()
    expect(await act()).toEqual(missing)
    expect(site.meter.roundTrips, 'no trip of its own').toBe(1)
    expect(await read()).toBe(before)
  })

  test('may read who they are, and sign out', async () => {
    expect(await get('/api/me')).toMatchObject({ code: 200, data: { username: 'alice' } })
    expect(await get('/api/auth/logout')).toMatchObject({ code: 200 })
  })

  test('may do everything once two-step verification is on', async () => {
    const secret = await site.enrol(token)
    expect(await get('/api/me/sshkey/list')).toMatchObject({ code: 200 })
    site.now += MINUTE
    const next = await site.token('alice', PASSWORD, site.code(secret))
    expect(await get('/api/me/sshkey/list', next)).toMatchObject({ code: 200 })
  })

  test('may do everything once they have a passkey, in this session and with it', async () => {
    const passkey = await site.passkeyOf(token)
    expect(await get('/api/me/sshkey/list')).toMatchObject({ code: 200 })
    const { data } = await site.signInWith(passkey)
    expect(await get('/api/me/sshkey/list', data.token)).toMatchObject({ code: 200 })
  })

  test('may confirm an old session to enrol', async () => {
    site.now += 10 * MINUTE
    const { data } = await post('/api/auth/2fa/generate')
    const proof = { secret: data.secret, code: site.code(data.secret) }
    expect(await post('/api/auth/2fa/verify', proof)).toMatchObject({
      code: 403,
      message: 'Sign in again or confirm to do this',
    })
    expect(await post('/api/me/confirm', { password: PASSWORD })).toMatchObject({ code: 200 })
    expect(await post('/api/auth/2fa/verify', proof)).toMatchObject({ code: 200 })
  })

  test('is shown the security page, and led there from the others', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn('alice', PASSWORD)
    expect(await visitor.get('/account/security')).toMatchObject({ status: 200 })
    expect(await visitor.get('/account')).toMatchObject({
      status: 303,
      location: '/account/security',
    })
  })
})

describe('a password alone', () => {
  let passkey: SoftwarePasskey
  let weak: string

  beforeEach(async () => {
    passkey = await site.passkeyOf(token)
    await requireFactor('everybody')
    weak = await site.token('alice', PASSWORD)
  })

  test('is not enough for a user with a passkey, not even to enrol', async () => {
    expect(await get('/api/me/sshkey/list', weak)).toEqual(unused)
    expect(await post('/api/auth/2fa/generate', undefined, weak)).toEqual(unused)
    expect(await site.beginRegistration(weak)).toEqual(unused)
    const { data } = await site.beginRegistration(token)
    const mine = await SoftwarePasskey.make()
    const answer = await mine.create(data.options.publicKey)
    expect(await site.finishRegistration(weak, answer, data.session)).toEqual(unused)
    expect(await site.db.select().from(passkeys)).toHaveLength(1)
  })

  test('is not made enough by the password again', async () => {
    await post('/api/me/confirm', { password: PASSWORD }, weak)
    expect(await get('/api/me/sshkey/list', weak)).toEqual(unused)
  })

  test('is made enough by the passkey', async () => {
    const { data } = await site.beginLogin()
    const assertion = await passkey.get(data.options.publicKey)
    const call = { token: weak, headers: { session: data.session } }
    expect(await site.post('/api/me/confirm', { assertion }, call)).toMatchObject({ code: 200 })
    expect(await get('/api/me/sshkey/list', weak)).toMatchObject({ code: 200 })
  })

  test('is enough again when nothing is required', async () => {
    await requireFactor('off')
    expect(await get('/api/me/sshkey/list', weak)).toMatchObject({ code: 200 })
  })
})

describe('a file server', () => {
  test('lets nobody in with a password who must use a second factor', async () => {
    await site.db.update(users).set({ permission: 0xc00 }).where(eq(users.username, 'alice'))
    const service = (await addServiceToken(site.deps, 'files', 'sftp')) ?? ''
    const body = { username: 'alice', password: PASSWORD, protocol: 'SSH', ip: '192.0.2.9' }
    const ask = async () =>
      (await site.fetch('POST', '/api/sftp/external_auth', { token: service, body })).json()
    expect(await ask()).toMatchObject({ username: 'alice' })
    await requireFactor('everybody')
    expect(await ask()).not.toMatchObject({ username: 'alice' })
  })

  test('lets a user with a passkey in with the password where nothing is required', async () => {
    await site.passkeyOf(token)
    await site.db.update(users).set({ permission: 0xc00 }).where(eq(users.username, 'alice'))
    const service = (await addServiceToken(site.deps, 'files', 'sftp')) ?? ''
    const body = { username: 'alice', password: PASSWORD, protocol: 'SSH', ip: '192.0.2.9' }
    const response = await site.fetch('POST', '/api/sftp/external_auth', { token: service, body })
    expect(await response.json()).toMatchObject({ username: 'alice' })
  })
})

describe('the value admins', () => {
  test('is about admins only', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    await requireFactor('admins')
    expect(await get('/api/me/sshkey/list')).toMatchObject({ code: 200 })
    expect(await get('/api/admin/user/list', admin)).toEqual(missing)
    const change = { id: 3, username: 'alice', disabled: true }
    expect(await post('/api/admin/user/update', change, admin)).toEqual(missing)
    expect(await get('/api/me')).toMatchObject({ code: 200, data: { disabled: false } })
    await site.enrol(admin)
    expect(await get('/api/admin/user/list', admin)).toMatchObject({ code: 200 })
  })

  test('holds for a user from the moment of being made an admin', async () => {
    await requireFactor('admins')
    await site.db.update(users).set({ role: 2 }).where(eq(users.username, 'alice'))
    expect(await get('/api/admin/user/list')).toEqual(missing)
  })

  test.each(['', 'nonsense', 'off'])('%j requires nothing', async (value) => {
    await requireFactor(value)
    expect(await get('/api/me/sshkey/list')).toMatchObject({ code: 200 })
  })

  test('is set by an admin, who is asked at once', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const save = (value: string) =>
      post('/api/admin/setting/save', [{ key: 'require_second_factor', value }], admin)
    expect(await save('some')).toMatchObject({ code: 400 })
    expect(await save('admins')).toMatchObject({ code: 200 })
    expect(await get('/api/admin/user/list', admin)).toEqual(missing)
  })
})
