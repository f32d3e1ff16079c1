import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import {
  claimsIn,
  codeFor,
  exchangeCode,
  refreshWith,
  register,
  userInfo,
} from '../support/openid.ts'
import { alice, arrange, client, site } from './arranged.ts'

beforeEach(arrange)

const ADDRESS = 'alice@example.org'

const setAddress = (email: string, emailVerified: boolean) =>
  site.db.update(users).set({ email, emailVerified }).where(eq(users.username, 'alice'))

/** What a program learns of the address: from the ID token, and from userinfo. */
async function learned(scope: string, program = client) {
  const got = await exchangeCode(site, program, await codeFor(alice, program, { scope }))
  const { body } = await userInfo(site, got.access_token)
  return [claimsIn(got.id_token), body].map(({ email, email_verified: isVerified }) => ({
    email,
    isVerified,
  }))
}

const NOTHING = { email: undefined, isVerified: undefined }
const THE_ADDRESS = { email: ADDRESS, isVerified: true }

describe('the scope email', () => {
  test('gives the address that its user has confirmed', async () => {
    await setAddress(ADDRESS, true)
    expect(await learned('openid profile email')).toEqual([NOTHING, THE_ADDRESS])
  })

  test('gives it in the ID token too where the operator has said so', async () => {
    const reader = await register(site, { name: 'reader', emailInIdToken: true })
    await setAddress(ADDRESS, true)
    expect(await learned('openid profile email', reader)).toEqual([THE_ADDRESS, THE_ADDRESS])
    expect(await learned('openid profile', reader)).toEqual([NOTHING, NOTHING])
    const scope = 'openid email offline_access'
    const first = await exchangeCode(site, reader, await codeFor(alice, reader, { scope }))
    const second = await refreshWith(site, reader, first.refresh_token)
    expect(claimsIn(second.id_token)).toMatchObject({ email: ADDRESS, email_verified: true })
    await setAddress(ADDRESS, false)
    expect(await learned('openid profile email', reader)).toEqual([NOTHING, NOTHING])
  })

  test.each([
    ['an address that is not confirmed', ADDRESS, false],
    ['no address', '', false],
  ])('gives nothing for %s: programs ignore email_verified', async (_, email, isVerified) => {
    await setAddress(email, isVerified)
    expect(await learned('openid profile email')).toEqual([NOTHING, NOTHING])
  })

  test('alone gives it, and no other scope does', async () => {
    await setAddress(ADDRESS, true)
    expect(await learned('openid profile groups')).toEqual([NOTHING, NOTHING])
    expect(await learned('openid email')).toEqual([NOTHING, THE_ADDRESS])
  })

  test('gives nothing any more after the address was replaced', async () => {
    await setAddress(ADDRESS, true)
    const scope = 'openid email offline_access'
    const reader = await register(site, { name: 'reader', emailInIdToken: true })
    const got = await exchangeCode(site, reader, await codeFor(alice, reader, { scope }))
    await setAddress('other@example.org', false)
    const { body } = await userInfo(site, got.access_token)
    expect(body).toEqual({ sub: await site.subOf(3) })
    const again = await refreshWith(site, reader, got.refresh_token)
    expect(claimsIn(again.id_token)).not.toHaveProperty('email')
  })

  test('stands in the discovery document, with its claims', async () => {
    const response = await site.fetch('GET', '/.well-known/openid-configuration')
    const { scopes_supported: scopes, claims_supported: claims } =
      await response.json<Record<string, string[]>>()
    expect(scopes).toContain('email')
    expect(claims).toEqual(expect.arrayContaining(['email', 'email_verified']))
  })
})
