import { beforeEach, expect, test } from 'vitest'
import { checkProvider } from '../../src/capabilities/sso/check.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { passProvider, textOfBody } from '../support/identity-provider.ts'
import { ISSUER, register } from '../support/openid.ts'
import { SsoSite } from '../support/sso-site.ts'
import { textOf, Visitor } from '../support/visitor.ts'

let provider: CheapSite
let site: SsoSite
let client: { clientId: string; secret: string }

beforeEach(async () => {
  provider = new CheapSite()
  await provider.addFirstUsers()
  client = await register(provider, { name: 'files' })
  site = new SsoSite({
    sendOut: async (address, { method = 'GET', headers, body }) => {
      const { pathname } = new URL(address)
      const text = await textOfBody(body)
      return provider.fetch(method, pathname, {
        headers: Object.fromEntries(new Headers(headers)),
        ...(method === 'POST' && { body: text }),
      })
    },
  })
})

const setUp = (values: Record<string, string> = {}) =>
  site.setUp({
    sso_endpoint_name: ISSUER,
    sso_client_id: client.clientId,
    sso_client_secret: client.secret,
    ...values,
  })

test('a check of another Latchkey tells whether client ID and client secret are right', async () => {
  await setUp()
  expect(await checkProvider(site.deps)).toMatchObject({ isClientAccepted: true })
  for (const wrong of [{ sso_client_id: 'other' }, { sso_client_secret: 'other' }]) {
    await setUp(wrong)
    expect(await checkProvider(site.deps)).toEqual({ platform: 'OIDC', problem: 'client' })
  }
})

test.each([
  ['a Latchkey', { 'WWW-Authenticate': 'Basic realm="Latchkey"' }, 401],
  ['a provider without a challenge', {}, 400],
])('a client that %s refuses is a fault of the site, in words and in the log', async (...given) => {
  const [, headers, status] = given
  const refusing = new SsoSite()
  await refusing.setUp()
  refusing.providers.mischief = {
    answers: { '/token': () => Response.json({ error: 'invalid_client' }, { status, headers }) },
  }
  const faults: string[] = []
  const { error } = console
  console.error = (line: string) => faults.push(line)
  const path = '/api/auth/sso?method=sso_get_token'
  const seen = await passProvider(refusing.providers, new Visitor(refusing), path, { sub: '1' })
  console.error = error
  expect(seen.status).toBe(400)
  expect(textOf(seen.html)).toContain(
    'The provider refuses this site: single sign-on is set up wrongly. Tell an administrator.',
  )
  // Errors are logged by `npm start` also without --json.
  expect(faults.map((line) => JSON.parse(line))).toEqual([
    {
      event: 'sso_refused',
      reason: 'client',
      detail: 'the provider refuses client ID or secret',
      network: expect.any(String),
    },
  ])
})
