import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { beforeEach, describe, expect, test } from 'vitest'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { type Rotation, rotateKey } from '../../src/capabilities/openid/keys.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { loggedLines } from '../support/log.ts'
import {
  AFTER_LOGOUT,
  codeFor,
  exchangeCode,
  type Registered,
  withClientAndAlice,
} from '../support/openid.ts'
import { HOUR, SECOND } from '../support/site.ts'
import type { Visitor } from '../support/visitor.ts'

const AT_ONCE: Rotation = { noticeSeconds: 0, dropsOthers: false }
const STOLEN: Rotation = { noticeSeconds: 0, dropsOthers: true }

async function shownKeys(site: CheapSite): Promise<string[]> {
  const response = await site.fetch('GET', '/oauth/jwks')
  const { keys } = await response.json<{ keys: { kid: string }[] }>()
  return keys.map(({ kid }) => kid)
}

test('the key set of a new site has a key, before any program is registered', async () => {
  const site = new CheapSite()
  const [kid, ...others] = await shownKeys(site)
  expect(kid).toMatch(/^[\w-]{43}$/)
  expect(others).toEqual([])
  expect(await shownKeys(new CheapSite())).toEqual([kid])
})

describe('a new signing key', () => {
  let site: CheapSite
  let client: Registered
  let alice: Visitor

  beforeEach(async () => {
    site = new CheapSite()
    ;({ client, alice } = await withClientAndAlice(site))
  })

  const idToken = async () =>
    (await exchangeCode(site, client, await codeFor(alice, client))).id_token
  const usedKey = async () => decodeProtectedHeader(await idToken()).kid

  test('is shown by the isolate that has signed with it, whatever copies say', async () => {
    const [old] = await shownKeys(site)
    const kv: KVNamespace = Object.create(site.deps.kv, {
      put: { value: () => Promise.reject(new Error('KV is down')) },
    })
    const elsewhere = new CheapSite({ kv })
    elsewhere.now = site.now += SECOND
    const { kid } = await rotateKey(elsewhere.deps, COMMAND_LINE, AT_ONCE)
    expect(loggedLines('KV is down')).toHaveLength(1)
    expect(await shownKeys(site), 'the copy of a minute').toEqual([old])
    expect(await usedKey()).toBe(kid)
    expect(await shownKeys(site)).toEqual([kid, old])
  })

  test('takes the place of a stolen one, which is gone at once', async () => {
    const hint = await idToken()
    const [stolen] = await shownKeys(site)
    site.now += HOUR
    const { kid } = await rotateKey(site.deps, COMMAND_LINE, STOLEN)
    expect(kid).not.toBe(stolen)
    expect(await shownKeys(site)).toEqual([kid])
    expect(await usedKey()).toBe(kid)
    const query = { id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT }
    const page = await alice.get(`/oauth/end_session?${new URLSearchParams(query).toString()}`)
    expect(page.location, 'the hint may be a forgery').toBeNull()
  })

  test('drops one that waits as well, because a thief may have both', async () => {
    await rotateKey(site.deps, COMMAND_LINE, { noticeSeconds: 900, dropsOthers: false })
    const { kid } = await rotateKey(site.deps, COMMAND_LINE, STOLEN)
    site.now += HOUR
    expect(await usedKey()).toBe(kid)
    expect(await shownKeys(site)).toEqual([kid])
  })
})
