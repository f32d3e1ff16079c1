import { eq } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { openidGrants } from '../../schema/tables.ts'
import { codeFor, exchangeCode, signedIn } from '../support/openid.ts'
import { MINUTE } from '../support/site.ts'
import { alice, arrange, client, site } from './arranged.ts'

beforeEach(arrange)

const unused = () => site.db.select().from(openidGrants).where(eq(openidGrants.used, false))

test('a session has at most 20 unused codes, and the latest ones work', async () => {
  const other = await signedIn(site)
  const ofOther = await codeFor(other, client)
  const codes = []
  for (let i = 0; i < 22; i += 1) {
    site.now += 1
    codes.push(await codeFor(alice, client))
  }
  expect(await unused()).toHaveLength(21)
  const outcomes = []
  for (const code of [codes[1], codes[2], codes[21], ofOther])
    outcomes.push((await exchangeCode(site, client, code ?? '')).status)
  expect(outcomes).toEqual([400, 200, 200, 200])
})

const connected = async () => (await alice.get('/account/programs')).html.includes(client.clientId)

test('a program that used no code is not connected', async () => {
  const code = await codeFor(alice, client)
  expect(await connected()).toBe(false)
  await exchangeCode(site, client, code)
  expect(await connected()).toBe(true)
  site.now += 2 * MINUTE
  expect(await connected()).toBe(true)
})
