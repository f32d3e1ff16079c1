import { beforeEach, describe, expect, test } from 'vitest'
import { sessions, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { signInAlice } from '../support/signed-in.ts'
import { textOf } from '../support/visitor.ts'

const FORM = 'application/x-www-form-urlencoded'
const TYPES = [FORM, 'text/plain', 'application/json', 'multipart/form-data; boundary=x', 'x/y', '']
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
const HERE = 'http://localhost'
const ELSEWHERE = 'https://evil.example'
const PASSWORD = 'alice-Passw0rd'

let site: CheapSite
let token: string

beforeEach(async () => {
  site = new CheapSite()
  token = await signInAlice(site)
})

/** Sends what signs alice out, with her cookie, as a browser or something else would. */
async function signOut(headers: Record<string, string>, method = 'POST') {
  const { 'Content-Type': type = '', ...others } = headers
  const body = new TextEncoder().encode('x=1')
  const response = await site.fetch(method, '/account/sign-out', {
    headers: {
      Cookie: `session=${token}`,
      ...(type !== '' && { 'Content-Type': type }),
      ...others,
    },
    body,
  })
  return { status: response.status, text: textOf(await response.text()) }
}

const isSignedIn = async () => (await site.get('/api/me', { token })).code === 200

const foreign: [name: string, headers: Record<string, string>][] = [
  ['from another site', { 'Sec-Fetch-Site': 'cross-site', Origin: ELSEWHERE }],
  ['from another site, by an older browser', { Origin: ELSEWHERE }],
  ['from another host of the same site', { 'Sec-Fetch-Site': 'same-site', Origin: HERE }],
  ['that a browser says nobody sent', { 'Sec-Fetch-Site': 'none' }],
  ['with a word that no browser says', { 'Sec-Fetch-Site': 'SAME-ORIGIN,same-origin' }],
  ['from a sandbox', { Origin: 'null' }],
  ['of the same host by another scheme', { Origin: 'https://localhost' }],
  ['without a word of where it is from', {}],
]

describe.each(foreign)('a form %s', (_, headers) => {
  test.each(TYPES)('is refused whatever its type is: %s', async (type) => {
    const { status, text } = await signOut({ ...headers, 'Content-Type': type })
    expect(status).toBe(403)
    expect(text).toContain('This form was sent from another site')
    expect(await isSignedIn()).toBe(true)
  })
})

describe('a form of our own', () => {
  test.each([
    ['says a browser', { 'Sec-Fetch-Site': 'same-origin', Origin: HERE }],
    [
      'says a browser behind a proxy that ends https',
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://localhost' },
    ],
    ['says an older browser', { Origin: HERE }],
  ])('is taken, %s', async (_, headers) => {
    expect(await signOut({ ...headers, 'Content-Type': FORM })).toMatchObject({ status: 303 })
    expect(await isSignedIn()).toBe(false)
  })
})

describe('a request from another site', () => {
  test.each(METHODS)('is refused before its path is looked at: %s', async (method) => {
    for (const path of ['/account', '/account/', '/account/nothing', '/account/sign-in']) {
      const headers = { 'Sec-Fetch-Site': 'cross-site', Cookie: `session=${token}` }
      expect((await site.fetch(method, path, { headers })).status, path).toBe(403)
    }
  })

  test('is refused before its body is read or the database asked', async () => {
    const headers = { Origin: ELSEWHERE, 'Content-Type': 'text/plain' }
    const sent = { headers, body: 'x'.repeat(100_000) }
    expect((await site.fetch('POST', '/account/sign-in', sent)).status).toBe(403)
    expect(site.meter.rowsWritten).toBe(0)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
  })

  test('signs nobody in, nor makes a user, however it spells its body', async () => {
    await site.db.delete(sessions)
    for (const type of TYPES) {
      const headers = { Origin: ELSEWHERE, ...(type !== '' && { 'Content-Type': type }) }
      const body = new TextEncoder().encode(`username=alice&password=${PASSWORD}`)
      expect((await site.fetch('POST', '/account/sign-in', { headers, body })).status).toBe(403)
    }
    expect(await site.db.select().from(sessions)).toEqual([])
    expect(await site.db.select().from(users)).toHaveLength(3)
  })

  test('reads a page as before: links lead here from everywhere', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', Cookie: `session=${token}` }
    expect((await site.fetch('GET', '/account', { headers })).status).toBe(200)
  })
})
