import { beforeEach, describe, expect, test } from 'vitest'
import {
  answerIn,
  CALLBACK,
  codeFor,
  type Registered,
  register,
  requestPath,
} from '../support/openid.ts'
import { refreshTo } from '../support/visitor.ts'
import { alice, arrange, site } from './arranged.ts'

beforeEach(arrange)

const LOOPBACK = ['http://localhost:8123/cb', 'http://127.0.0.1:8123/cb', 'http://[::1]:8123/cb']

/** Asks for a code, as a program without a secret does. */
const ask = (redirectUri: string) => ({
  redirect_uri: redirectUri,
  code_challenge: 'A'.repeat(43),
  code_challenge_method: 'S256',
})

const native = (redirectUri: string, given = {}): Promise<Registered> =>
  register(site, { name: 'native', redirectUris: [redirectUri], isPublic: true, ...given })

/** The user says yes. @returns Where the browser goes. */
async function allow(client: Registered, changes: Record<string, string>): Promise<string> {
  const request = requestPath(client, changes).split('?')[1] ?? ''
  const fields = { request, user: '3', answer: 'allow' }
  return refreshTo((await alice.post('/oauth/authorize/consent', fields)).headers)
}

describe.each(LOOPBACK)('a public program on this machine (%s)', (uri) => {
  test.each([true, false])('asks for consent each time, first-party: %s', async (firstParty) => {
    const client = await native(uri, { firstParty })
    for (let time = 0; time < 2; time++) {
      const page = await alice.get(requestPath(client, ask(uri)))
      expect(page).toMatchObject({ status: 200, location: null })
      expect(page.html).toContain('action="/oauth/authorize/consent"')
      expect(await allow(client, ask(uri))).toContain(`${uri}?code=`)
    }
  })

  test('gets an error where it allows no page', async () => {
    const client = await native(uri)
    await allow(client, ask(uri))
    const { location } = await alice.get(requestPath(client, { ...ask(uri), prompt: 'none' }))
    expect(location).toContain(`${uri}?error=consent_required`)
  })
})

test('a program with a secret on this machine, and a public one elsewhere, ask as before', async () => {
  const [uri = ''] = LOOPBACK
  const secret = await register(site, { name: 'secret', redirectUris: [uri] })
  const { location } = await alice.get(requestPath(secret, ask(uri)))
  expect(location).toContain(`${uri}?code=`)
  const elsewhere = await native(CALLBACK)
  expect(await codeFor(alice, elsewhere, ask(CALLBACK))).not.toBe('')
  expect(answerIn(location)).toEqual({})
})
