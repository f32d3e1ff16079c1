import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import {
  claimsIn,
  codeFor,
  exchangeCode,
  PASSWORD,
  type Registered,
  signedIn,
  userInfo,
  withClient,
} from '../support/openid.ts'

let site: CheapSite
let client: Registered

beforeEach(async () => {
  site = new CheapSite()
  client = await withClient(site)
})

async function subAtProgram(): Promise<unknown> {
  const visitor = await signedIn(site)
  const got = await exchangeCode(site, client, await codeFor(visitor, client))
  const { body } = await userInfo(site, got.access_token)
  const { sub } = claimsIn(got.id_token)
  expect(body).toMatchObject({ sub })
  return sub
}

describe('the sub of a user', () => {
  test('is 128 random bits, the same at each sign-in', async () => {
    const sub = await subAtProgram()
    expect(sub).toMatch(/^[0-9a-f]{32}$/)
    expect(await subAtProgram()).toBe(sub)
    const all = await site.db.select({ sub: users.sub }).from(users)
    expect(new Set(all.map((user) => user.sub)).size).toBe(3)
  })

  test('is another one when an account gets the row number of a deleted one', async () => {
    const before = await subAtProgram()
    await site.db.delete(users).where(eq(users.id, 3))
    await site.addUser('alice', { id: 3, password: PASSWORD })
    expect(await subAtProgram()).not.toBe(before)
  })

  test('stays when an operator renames the account', async () => {
    const before = await subAtProgram()
    const token = await site.token('admin', ADMIN_PASSWORD)
    const body = { id: 3, username: 'alicia', role: 0, permission: 0, base_path: '/' }
    expect(await site.post('/api/admin/user/update', body, { token })).toMatchObject({ code: 200 })
    expect(await site.subOf(3)).toBe(before)
  })
})
