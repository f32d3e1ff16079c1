import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { groups, users } from '../../schema/tables.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { addGroup } from '../support/groups.ts'
import { claimsIn, codeFor, exchangeCode, refreshWith, userInfo } from '../support/openid.ts'
import { alice, arrange, client, site } from './arranged.ts'

const ALICE = 3

beforeEach(arrange)

const signIn = async (scope: string) =>
  exchangeCode(site, client, await codeFor(alice, client, { scope }))

describe('the scope groups', () => {
  test('names the own groups after the built-in one, in the ID token and at userinfo', async () => {
    await addGroup(site, 'hr')
    await addGroup(site, 'Ärzte & Co', ALICE)
    await addGroup(site, 'finance', ALICE)
    const got = await signIn('openid groups')
    const named = { groups: ['user', 'finance', 'Ärzte & Co'] }
    expect(claimsIn(got.id_token)).toMatchObject(named)
    expect((await userInfo(site, got.access_token)).body).toMatchObject(named)
    expect(site.meter.roundTrips).toBe(1)
  })

  test('follows the groups at each renewal', async () => {
    const finance = await addGroup(site, 'finance', ALICE)
    const got = await signIn('openid groups offline_access')
    await site.db.update(groups).set({ name: 'money' }).where(eq(groups.id, finance))
    const second = await refreshWith(site, client, got.refresh_token)
    expect(claimsIn(second.id_token)).toMatchObject({ groups: ['user', 'money'] })
    await site.db.delete(groups).where(eq(groups.id, finance))
    await site.db.update(users).set({ role: 2 }).where(eq(users.id, ALICE))
    const third = await refreshWith(site, client, second.refresh_token)
    expect(claimsIn(third.id_token)).toMatchObject({ groups: ['admin'] })
  })

  test('alone gives them, also at introspection', async () => {
    await addGroup(site, 'finance', ALICE)
    const service = (await addServiceToken(site.deps, 'files', 'introspect')) ?? ''
    const introspect = async (token: string) => {
      const body = new URLSearchParams({ token }).toString()
      const headers = {
        Authorization: `Bearer ${service}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      }
      return (await site.fetch('POST', '/oauth/introspect', { body, headers })).json()
    }
    const without = await signIn('openid profile email')
    expect(claimsIn(without.id_token)).not.toHaveProperty('groups')
    expect((await userInfo(site, without.access_token)).body).not.toHaveProperty('groups')
    expect(await introspect(without.access_token)).not.toHaveProperty('groups')
    const { access_token: token } = await signIn('openid groups')
    expect(await introspect(token)).toMatchObject({ active: true, groups: ['user', 'finance'] })
    await env.DB.prepare('delete from "groups"').run()
    expect(await introspect(token)).toMatchObject({ groups: ['user'] })
  })
})
