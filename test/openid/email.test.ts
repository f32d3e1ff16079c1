import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { claimsIn, codeFor, exchangeCode, refreshWith, userInfo } from '../support/openid.ts'
import { alice, arrange, client, site } from './arranged.ts'

beforeEach(arrange)

const ADDRESS = 'alice@example.org'

const setAddress = (email: string, emailVerified: boolean) =>
  site.db.update(users).set({ email, emailVerified }).where(eq(users.username, 'alice'))

/** What a program learns of the address, as Cloudflare Access reads it and as Grafana does. */
async function learned(scope: string) {
  const got = await exchangeCode(site, client, await codeFor(alice, client, { scope }))
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
    expect(await learned('openid profile email')).toEqual([THE_ADDRESS, THE_ADDRESS])
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
    expect(await learned('openid email')).toEqual([THE_ADDRESS, THE_ADDRESS])
  })

  test('gives nothing any more after the address was replaced', async () => {
    await setAddress(ADDRESS, true)
    const scope = 'openid email offline_access'
    const got = await exchangeCode(site, client, await codeFor(alice, client, { scope }))
    await setAddress('other@example.org', false)
    const { body } = await userInfo(site, got.access_token)
    expect(body).toEqual({ sub: await site.subOf(3) })
    const again = await refreshWith(site, client, got.refresh_token)
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
