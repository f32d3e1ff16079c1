import { beforeEach, expect, test } from 'vitest'
import { eq } from 'drizzle-orm'
import { auditEvents, sessions, users } from '../../schema/tables.ts'
import { ADMIN } from '../../src/core/accounts/roles.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { createUser } from '../../src/capabilities/users/manage-users.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'

let site: CheapSite
let token: string
beforeEach(async () => {
  site = new CheapSite()
  await site.addFirstUsers()
  await site.addUser('root', { password: ADMIN_PASSWORD, role: ADMIN })
  await site.addUser('alice', { password: 'alice-Passw0rd' })
  token = await site.token('admin', ADMIN_PASSWORD)
  await site.token('admin', ADMIN_PASSWORD)
})
const of = async (id: number) =>
  (await site.db.select().from(sessions).where(eq(sessions.userId, id))).length
const kinds = async () =>
  (await site.db.select().from(auditEvents))
    .map((e) => `${e.kind} ${e.userId}`)
    .filter((k) => !k.startsWith('sign_in'))
const post = (path: string, body?: unknown) => site.post(`/api/admin/user/${path}`, body, { token })

test('an admin who disables themselves is signed out', async () => {
  expect(await of(1)).toBe(2)
  expect(await post('update', { id: 1, disabled: true })).toMatchObject({ code: 200 })
  expect(await of(1)).toBe(0)
  expect(await kinds()).toEqual(['user_disabled 1'])
})
test('an admin who resets their own password is signed out', async () => {
  expect(await post('update', { id: 1, password: 'another-Passw0rd' })).toMatchObject({ code: 200 })
  expect(await of(1)).toBe(0)
  expect(await kinds()).toEqual(['password_reset 1'])
})
test('admin demotes self and disables with password', async () => {
  expect(
    await post('update', { id: 1, password: 'another-Passw0rd', disabled: true, username: 'adm2' }),
  ).toMatchObject({ code: 200 })
  expect(await of(1)).toBe(0)
  expect(await kinds()).toEqual(['user_disabled 1', 'password_reset 1', 'user_changed 1'])
})
test('refused for the name: sessions stay', async () => {
  await site.token('alice', 'alice-Passw0rd')
  expect(
    await post('update', { id: 4, password: 'another-Passw0rd', disabled: true, username: 'root' }),
  ).toMatchObject({ code: 409 })
  expect(await of(4)).toBe(1)
  expect(await kinds()).toEqual([])
})
test('own profile', async () => {
  const t = await site.token('alice', 'alice-Passw0rd')
  const up = (body: unknown, tk = t) => site.post('/api/me/update', body, { token: tk })
  expect(await up({ username: 'root', password: 'another-Passw0rd' })).toMatchObject({ code: 409 })
  expect(await of(4)).toBe(1)
  expect(await kinds()).toEqual([])
  expect(await up({ username: 'alicia', password: 'another-Passw0rd' })).toMatchObject({
    code: 200,
  })
  expect(await of(4)).toBe(0)
  expect(await kinds()).toEqual(['password_changed 4', 'profile_changed 4'])
})
test('admin cancels own 2fa, keeps session; deletes self', async () => {
  expect(await post('cancel_2fa?id=1')).toMatchObject({ code: 200 })
  expect(await of(1)).toBe(1)
  expect(await kinds()).toEqual(['two_factor_cancelled 1'])
  expect(await post('delete?id=1')).toMatchObject({ code: 200 })
  expect(await of(1)).toBe(0)
  expect(await kinds()).toEqual(['two_factor_cancelled 1', 'user_deleted 1'])
})
test('two creations of a name in one millisecond', async () => {
  const r = await Promise.allSettled(
    [1, 2, 3].map(() => createUser(site.deps, COMMAND_LINE, { username: 'bob' })),
  )
  expect(r.map((x) => x.status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
  const [bob] = await site.db.select().from(users).where(eq(users.username, 'bob'))
  expect(await kinds()).toEqual([`user_made ${bob?.id}`])
})
