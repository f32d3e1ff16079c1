import { beforeEach, describe, expect, test } from 'vitest'
import { recoveryCodes, sessions, sshKeys } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const success = { code: 200, message: 'success', data: null }
const refused = (code: number, message: string) => ({ code, message, data: null })
const ALICE = 3
const PASSWORD = 'alice-Passw0rd'

let site: CheapSite
let admin: string
let alice: string

const signInBoth = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD, permission: 3, ssoId: 'sso-1' })
  const ofAdmin = await arranged.token('admin', ADMIN_PASSWORD)
  return { ofAdmin, ofAlice: await arranged.token('alice', PASSWORD) }
})

beforeEach(async () => {
  site = new CheapSite()
  const { ofAdmin, ofAlice } = await signInBoth(site)
  admin = ofAdmin
  alice = ofAlice
})

const post = (path: string, body?: unknown, token = admin) =>
  site.post(`/api/admin/user/${path}`, body, { token })
const get = (path: string, token = admin) => site.get(`/api/admin/user/${path}`, { token })

describe('GET /api/admin/user/list and get', () => {
  test('show what the stock client edits, and no hash or seed', async () => {
    const user = {
      id: ALICE,
      username: 'alice',
      password: '',
      base_path: '/',
      role: 0,
      disabled: false,
      permission: 3,
      sso_id: 'sso-1',
      otp: false,
    }
    expect((await get(`get?id=${ALICE}`)).data).toEqual(user)
    const { data } = await get('list?page=2&per_page=2')
    expect(data).toEqual({ content: [user], total: 3 })
    expect(await get('get?id=99')).toEqual(refused(404, 'user invalid'))
    expect(await get('get?id=x')).toEqual(refused(400, 'id format invalid'))
  })
})

describe('POST /api/admin/user/create', () => {
  test('makes a user who can sign in, with an id of the service’s choice', async () => {
    const body = {
      id: 5000,
      username: 'bob',
      password: 'bob-Passw0rd',
      base_path: '',
      role: 0,
      permission: 8,
      disabled: false,
    }
    expect(await post('create', body)).toEqual(success)
    const { data } = await site.get('/api/me', { token: await site.token('bob', 'bob-Passw0rd') })
    expect(data).toMatchObject({ id: 4, base_path: '/', permission: 8, role: 0 })
  })

  test('makes a user without a password who can not sign in', async () => {
    expect(await post('create', { username: 'bob' })).toEqual(success)
    expect(await site.login('bob', 'anything')).toMatchObject({ code: 401 })
  })

  test.each([
    [{ username: 'ALICE' }, 409, 'username is already taken'],
    [{ password: 'x' }, 400, 'username is required'],
    [{ username: 'bob', role: 2 }, 400, 'admin or guest user can not be created'],
    [{ username: 'bob', role: 3 }, 400, 'admin or guest user can not be created'],
    [{ username: 'bob', permission: -1 }, 400, 'permission must be 0 to 65535'],
    [{ username: 'bob', permission: 65536 }, 400, 'permission must be 0 to 65535'],
    [{ username: 'bob', permission: 1.5 }, 400, 'permission must be an integer'],
    [{ username: 'bob', permission: '8' }, 400, 'permission must be a number'],
    [{ username: 'bob', base_path: '/a/../../etc' }, 400, 'base_path must be an absolute path'],
    [{ username: 'bob', base_path: '/a\\..\\etc' }, 400, 'base_path must be an absolute path'],
    [{ username: 'bob', password: 'short' }, 400, 'password must have 8 to 1024 characters'],
    [{ username: 'bob', password: 'Password' }, 400, expect.stringMatching(/most common/)],
  ])('refuses %j', async (body, code, message) => {
    expect(await post('create', body)).toEqual({ code, message, data: null })
    expect((await get('list')).data.total).toBe(3)
  })
})

describe('POST /api/admin/user/update', () => {
  test('says what an id is, without quoting what was sent', async () => {
    expect(await post('update', { id: 1.5 })).toEqual({
      code: 400,
      message: 'id must be an integer',
      data: null,
    })
  })

  test('changes what it names and nothing else', async () => {
    expect(
      await post('update', {
        id: ALICE,
        username: 'alice',
        permission: 8,
        passwordHash: 'x',
        totp_seed: 'x',
      }),
    ).toEqual(success)
    expect((await get(`get?id=${ALICE}`)).data).toMatchObject({
      permission: 8,
      sso_id: 'sso-1',
      base_path: '/',
    })
    expect(await site.get('/api/me', { token: alice })).toMatchObject({ code: 200 })
    expect(await post('update', { id: ALICE })).toEqual(success)
  })

  test('puts the name into the base path, as the creation of a user does', async () => {
    const folderAfter = async (body: object) => {
      expect(await post('update', { id: ALICE, ...body })).toEqual(success)
      return (await get(`get?id=${ALICE}`)).data.base_path as unknown
    }
    const base_path = '/homes/{username}/{username}'
    expect(await folderAfter({ base_path })).toBe('/homes/alice/alice')
    expect(await folderAfter({ base_path, username: '$&' })).toBe('/homes/$&/$&')
    const long = {
      id: ALICE,
      base_path: `/${'x'.repeat(1000)}/{username}`,
      username: 'y'.repeat(99),
    }
    expect(await post('update', long)).toMatchObject({ code: 400 })
    expect(await post('update', { id: 99, base_path })).toMatchObject({ code: 404 })
    expect((await get(`get?id=${ALICE}`)).data).toMatchObject({ username: '$&' })
  })

  test('ends the sessions of a user who gets a new password or is disabled, for good', async () => {
    expect(await post('update', { id: ALICE, password: 'another-Passw0rd' })).toEqual(success)
    expect(await site.get('/api/me', { token: alice })).toEqual(
      refused(401, 'Password has been changed, login please'),
    )
    const token = await site.token('alice', 'another-Passw0rd')
    expect(await post('update', { id: ALICE, disabled: true })).toEqual(success)
    expect(await site.get('/api/me', { token })).toEqual(
      refused(401, 'Current user is disabled, replace please'),
    )
    expect(await post('update', { id: ALICE, disabled: false })).toEqual(success)
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 401 })
  })

  test.each([
    [{ id: 99, username: 'x' }, 404, 'user invalid'],
    [{ id: ALICE, role: 2 }, 400, 'role can not be changed'],
    [{ id: 1, disabled: true }, 400, 'admin user can not be disabled'],
    [{ id: 2, password: 'guest-Passw0rd' }, 400, 'Guest user has no password'],
    [{ id: ALICE, username: 'Admin' }, 409, 'username is already taken'],
    [{ username: 'x' }, 400, 'id is required'],
  ])('refuses %j', async (body, code, message) => {
    expect(await post('update', body)).toEqual({ code, message, data: null })
  })
})

describe('POST /api/admin/user/del_cache', () => {
  test('has nothing to do, but for a user whom nobody knows', async () => {
    expect(await post('del_cache?username=alice')).toEqual(success)
    expect(await post('del_cache?username=nobody')).toEqual(refused(404, 'user invalid'))
    expect(await post('del_cache?username=')).toEqual(refused(400, 'username is required'))
  })
})

describe('POST /api/admin/user/delete and cancel_2fa', () => {
  test('remove a user with keys and sessions, and never the built-in ones', async () => {
    expect(await post(`delete?id=${ALICE}`)).toEqual(success)
    expect(await site.get('/api/me', { token: alice })).toEqual(
      refused(401, 'token is invalidated'),
    )
    expect((await site.db.select().from(sessions)).map(({ userId }) => userId)).toEqual([1])
    expect(await site.db.select().from(sshKeys)).toEqual([])
    expect(await post(`delete?id=${ALICE}`)).toEqual(refused(404, 'user invalid'))
    for (const id of [1, 2]) {
      expect(await post(`delete?id=${id}`)).toEqual(refused(400, 'cannot delete admin or guest'))
    }
  })

  test('let a user in who has lost the phone', async () => {
    const secret = await site.enrol(alice)
    await site.post(
      '/api/auth/2fa/recovery_codes',
      { otp_code: site.code(secret) },
      { token: alice },
    )
    expect(await post(`cancel_2fa?id=${ALICE}`)).toEqual(success)
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 200 })
    expect(await site.db.select().from(recoveryCodes)).toEqual([])
    expect(await site.get('/api/me', { token: alice })).toMatchObject({ code: 401 })
    expect(await post('cancel_2fa?id=99')).toEqual(refused(404, 'user invalid'))
  })

  test('keep the session of an admin who cancels their own second factor, and end the others', async () => {
    const secret = await site.enrol(admin)
    const second = await site.token('admin', ADMIN_PASSWORD, site.code(secret, 1))
    expect(await post('cancel_2fa?id=1')).toEqual(success)
    expect((await site.get('/api/me', { token: admin })).data).toMatchObject({ otp: false })
    expect(await site.get('/api/me', { token: second })).toMatchObject({ code: 401 })
    const visitor = new Visitor(site)
    visitor.cookies.set('session', admin)
    const { location } = await visitor.post('/account/admin/users/1/cancel-two-factor')
    expect(location).toBe('/account/admin/users/1?done=two-factor-off')
    expect(await visitor.get('/account')).toMatchObject({ status: 200 })
  })
})
