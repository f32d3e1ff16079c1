import { beforeEach, describe, expect, test } from 'vitest'
import { sessions, settings } from '../../schema/tables.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { rememberSecret } from '../support/log.ts'
import { codeFor, exchangeCode, FORM, PASSWORD, refreshWith, userInfo } from '../support/openid.ts'
import { alice, arrange, client, site } from './arranged.ts'

let service: string

beforeEach(async () => {
  await arrange()
  service = (await addServiceToken(site.deps, 'files', 'introspect')) ?? ''
  rememberSecret(service)
})

const requireFactor = () =>
  site.db.insert(settings).values({ key: 'require_second_factor', value: 'everybody' })

async function introspect(token: string): Promise<Record<string, unknown>> {
  const body = new URLSearchParams({ token }).toString()
  const headers = { ...FORM, Authorization: `Bearer ${service}` }
  return (await site.fetch('POST', '/oauth/introspect', { body, headers })).json()
}

const OFFLINE = { scope: 'openid offline_access' }

describe('what came of a password alone, once the site demands a second factor', () => {
  test('is no active session token', async () => {
    const token = await site.token('alice', PASSWORD)
    expect(await introspect(token)).toMatchObject({ active: true })
    await requireFactor()
    expect(await introspect(token)).toEqual({ active: false })
  })

  test('is no code', async () => {
    const code = await codeFor(alice, client)
    await requireFactor()
    expect(await exchangeCode(site, client, code)).toMatchObject({ error: 'invalid_grant' })
  })

  test('is no access token', async () => {
    const { access_token: access } = await exchangeCode(site, client, await codeFor(alice, client))
    expect(await introspect(access)).toMatchObject({ active: true })
    await requireFactor()
    expect(await introspect(access)).toEqual({ active: false })
    expect((await userInfo(site, access)).status).toBe(401)
  })

  test('is no refresh token, and a refused use does not use it up', async () => {
    const code = await codeFor(alice, client, OFFLINE)
    const { refresh_token: refresh } = await exchangeCode(site, client, code)
    await requireFactor()
    expect(await refreshWith(site, client, refresh)).toMatchObject({ error: 'invalid_grant' })
    await site.db.delete(settings)
    expect(await refreshWith(site, client, refresh)).toMatchObject({ status: 200 })
  })
})

test('a session that has shown its second factor since keeps what came of it', async () => {
  const code = await codeFor(alice, client, OFFLINE)
  const { access_token: access, refresh_token: refresh } = await exchangeCode(site, client, code)
  await requireFactor()
  await site.db.update(sessions).set({ amr: 'pwd passkey' })
  expect(await introspect(access)).toMatchObject({ active: true })
  expect(await refreshWith(site, client, refresh)).toMatchObject({ status: 200 })
})
