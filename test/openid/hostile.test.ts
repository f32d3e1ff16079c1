import * as fc from 'fast-check'
import * as base64url from 'jose/base64url'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, openidConsents, openidGrants } from '../../schema/tables.ts'
import { parseAuthorizationRequest } from '../../src/capabilities/openid/authorization-request.ts'
import { reason } from '../../src/core/base/reasons.ts'
import { clientUriSchema, clientUrisSchema } from '../../src/capabilities/openid/client-fields.ts'
import { parseHandle } from '../../src/capabilities/openid/handles.ts'
import * as v from 'valibot'
import {
  answerIn,
  askToken,
  basic,
  CALLBACK,
  claimsIn,
  codeFor,
  exchangeCode,
  FORM,
  ISSUER,
  PASSWORD,
  refreshWith,
  register,
  type Registered,
  requestPath,
  userInfo,
} from '../support/openid.ts'
import { refreshTo, textOf, Visitor } from '../support/visitor.ts'
import { alice, arrange, client, site } from './arranged.ts'

beforeEach(arrange)

async function postToken(body: string, headers: Record<string, string> = {}) {
  const response = await site.fetch('POST', '/oauth/token', {
    body,
    headers: { ...FORM, ...headers },
  })
  const { error } = await response.json<{ error: string }>()
  return { status: response.status, error }
}

const codeForm = (code: string, more: Record<string, string> = {}) =>
  new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more })

describe('twenty parallel exchanges of one code', () => {
  test('give one success at most, and end what came of it', async () => {
    const code = await codeFor(alice, client, { scope: 'openid offline_access' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => exchangeCode(site, client, code)),
    )
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(19)
    const [winner] = winners
    expect((await userInfo(site, winner?.access_token ?? '')).status).toBe(401)
    expect((await refreshWith(site, client, winner?.refresh_token)).error).toBe('invalid_grant')
    const events = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'access_replayed'))
    expect(events).toHaveLength(1)
  })

  test('the same for a refresh token', async () => {
    const code = await codeFor(alice, client, { scope: 'openid offline_access' })
    const { refresh_token: token } = await exchangeCode(site, client, code)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refreshWith(site, client, token)),
    )
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    expect((await userInfo(site, winners[0]?.access_token ?? '')).status).toBe(401)
    expect((await refreshWith(site, client, winners[0]?.refresh_token)).error).toBe('invalid_grant')
  })
})

describe('a refresh token that was replaced', () => {
  test('ends the newest one', async () => {
    const code = await codeFor(alice, client, { scope: 'openid offline_access' })
    const first = await exchangeCode(site, client, code)
    const second = await refreshWith(site, client, first.refresh_token)
    expect(second.status).toBe(200)
    expect((await refreshWith(site, client, first.refresh_token)).error).toBe('invalid_grant')
    expect((await refreshWith(site, client, second.refresh_token)).error).toBe('invalid_grant')
    expect((await userInfo(site, second.access_token)).status).toBe(401)
  })

  test('is not used up by a scope that was not granted', async () => {
    const code = await codeFor(alice, client, { scope: 'openid offline_access' })
    const { refresh_token: token = '' } = await exchangeCode(site, client, code)
    const form = { grant_type: 'refresh_token', refresh_token: token }
    for (const scope of ['openid groups', 'openid groups unknown', 'offline_access', 'unknown'])
      expect(await askToken(site, client, { ...form, scope })).toMatchObject({
        status: 400,
        error: 'invalid_scope',
      })
    const other = await register(site, { name: 'other' })
    const wider = { ...form, scope: 'openid groups' }
    expect((await askToken(site, other, wider)).error).toBe('invalid_grant')
    const narrower = await askToken(site, client, { ...form, scope: 'openid' })
    expect(narrower).toMatchObject({ status: 200, scope: 'openid' })
    expect((await askToken(site, client, wider)).error).toBe('invalid_grant')
  })

  test('may repeat a scope of which names were ignored', async () => {
    const scope = 'openid phone offline_access'
    const code = await codeFor(alice, client, { scope })
    const { refresh_token: token = '' } = await exchangeCode(site, client, code)
    const form = { grant_type: 'refresh_token', refresh_token: token }
    expect(await askToken(site, client, { ...form, scope })).toMatchObject({
      status: 200,
      scope: 'openid offline_access',
    })
  })

  // RFC 6749 section 6
  test('gives an access token of a narrower scope, and keeps its own scope', async () => {
    const granted = 'openid profile groups offline_access'
    const code = await codeFor(alice, client, { scope: granted })
    const { refresh_token: first = '' } = await exchangeCode(site, client, code)
    const form = { grant_type: 'refresh_token', refresh_token: first }
    const narrower = await askToken(site, client, { ...form, scope: ' openid  profile openid' })
    expect(narrower).toMatchObject({ status: 200, scope: 'openid profile' })
    expect(claimsIn(narrower.id_token)).not.toHaveProperty('groups')
    expect((await userInfo(site, narrower.access_token)).body).toEqual({
      sub: await site.subOf(3),
      name: 'alice',
      preferred_username: 'alice',
      updated_at: expect.any(Number),
    })
    const whole = await refreshWith(site, client, narrower.refresh_token)
    expect(whole).toMatchObject({ status: 200, scope: granted })
    expect(claimsIn(whole.id_token)).toMatchObject({ groups: ['user'] })
    const { body } = await userInfo(site, whole.access_token)
    expect(body).toMatchObject({ groups: ['user'] })
  })

  test('is not ended by a guess that knows the id of the row only', async () => {
    const code = await codeFor(alice, client, { scope: 'openid offline_access' })
    const { refresh_token: token = '' } = await exchangeCode(site, client, code)
    const guess = `${token.slice(0, 26)}${'A'.repeat(65)}`
    expect((await refreshWith(site, client, guess)).error).toBe('invalid_grant')
    expect((await refreshWith(site, client, token)).status).toBe(200)
  })
})

describe('the token endpoint', () => {
  test('refuses what is no request, and keeps the code', async () => {
    const code = await codeFor(alice, client)
    const headers = basic(client)
    const form = codeForm(code)
    const refused = [
      await postToken(`${form.toString()}&code=x`, headers),
      await postToken(JSON.stringify({ code }), { ...headers, 'Content-Type': 'application/json' }),
      await postToken(String(form), { ...headers, 'Content-Type': 'text/plain' }),
      await postToken('', headers),
      await postToken('%', headers),
      await postToken(String(codeForm(code, { client_secret: client.secret })), headers),
      await postToken(String(codeForm(code, { client_id: 'other' })), headers),
    ]
    expect(refused).toEqual(refused.map(() => ({ status: 400, error: 'invalid_request' })))
    expect((await exchangeCode(site, client, code)).status).toBe(200)
  })

  test.each([
    'Basic',
    'Basic !!!',
    'Basic Og==',
    'Basic JTpjJQ==',
    'Bearer x',
    'Digest a=b',
    'Basic //8=',
  ])('answers the broken credentials %s with invalid_client', async (Authorization) => {
    const code = await codeFor(alice, client)
    expect(await postToken(String(codeForm(code)), { Authorization })).toEqual({
      status: 401,
      error: 'invalid_client',
    })
    expect((await exchangeCode(site, client, code)).status).toBe(200)
  })

  test('refuses 100 KB with 413 and a long parameter with a plain error', async () => {
    const big = await site.fetch('POST', '/oauth/token', {
      body: `code=${'a'.repeat(100_000)}`,
      headers: { ...FORM, ...basic(client) },
    })
    expect(big.status).toBe(413)
    const long = await postToken(String(codeForm('a'.repeat(60_000))), basic(client))
    expect(long).toEqual({ status: 400, error: 'invalid_grant' })
  })

  test('refuses a code for another redirect URI, and for another client', async () => {
    const code = await codeFor(alice, client)
    const elsewhere = await exchangeCode(site, client, code, { redirect_uri: `${CALLBACK}x` })
    expect(elsewhere.error).toBe('invalid_grant')
    const other = await register(site, { name: 'other' })
    expect((await exchangeCode(site, other, code)).error).toBe('invalid_grant')
    expect((await exchangeCode(site, client, code)).status).toBe(200)
  })

  test('never answers 500, whatever the form is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.string()), fc.string(), async (form, auth) => {
        const given = { grant_type: 'authorization_code', redirect_uri: 'x', ...form }
        const headers = { ...FORM, Authorization: `Basic ${btoa(encodeURIComponent(auth))}` }
        const body = new URLSearchParams(given).toString()
        const response = await site.fetch('POST', '/oauth/token', { body, headers })
        expect([400, 401]).toContain(response.status)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a public client', () => {
  test('needs PKCE and no secret', async () => {
    const page = await register(site, { name: 'page', isPublic: true })
    const { location } = await alice.get(requestPath(page))
    expect(answerIn(location)).toMatchObject({ error: 'invalid_request' })
    const plain = { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }
    expect(answerIn((await alice.get(requestPath(page, plain))).location)).toMatchObject({
      error: 'invalid_request',
    })
    const code = await codeFor(alice, page, {
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const form = codeForm(code, {
      client_id: page.clientId,
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    })
    const guessed = new URLSearchParams([...form, ['client_secret', 'x']])
    expect((await postToken(String(guessed))).error).toBe('invalid_client')
    const response = await site.fetch('POST', '/oauth/token', { body: String(form), headers: FORM })
    expect(response.status).toBe(200)
  })
})

async function withVerifier(verifier: string) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const code = await codeFor(alice, client, {
    code_challenge: base64url.encode(new Uint8Array(hash)),
    code_challenge_method: 'S256',
  })
  const { status, error } = await exchangeCode(site, client, code, { code_verifier: verifier })
  return { status, error }
}

/** RFC 7636 section 4.1: 43 to 128 unreserved characters. */
describe('a code_verifier', () => {
  test.each(['a', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}!`, `${'a'.repeat(43)}\n`])(
    '%j is refused',
    async (verifier) => {
      expect(await withVerifier(verifier)).toEqual({ status: 400, error: 'invalid_grant' })
    },
  )

  test.each(['a'.repeat(43), 'Aa0-._~'.repeat(18)])('%s is taken', async (verifier) => {
    expect(await withVerifier(verifier)).toMatchObject({ status: 200 })
  })
})

describe('the redirect URI', () => {
  test.each([
    'https://FILES.example.org/api/auth/sso_callback?method=sso_get_token',
    'https://files.example.org:443/api/auth/sso_callback?method=sso_get_token',
    'https://files.example.org:8443/api/auth/sso_callback?method=sso_get_token',
    'https://files.example.org/api/auth/%73so_callback?method=sso_get_token',
    'https://files.example.org/api/auth/../auth/sso_callback?method=sso_get_token',
    'https://files.example.org/API/auth/sso_callback?method=sso_get_token',
    'https://files.example.org/api/auth/sso_callback/?method=sso_get_token',
    'http://files.example.org/api/auth/sso_callback?method=sso_get_token',
    'https://evil@files.example.org/api/auth/sso_callback?method=sso_get_token',
    'https://files.example.org.evil.example/api/auth/sso_callback?method=sso_get_token',
    `${CALLBACK}#`,
    `${CALLBACK}%00`,
    ` ${CALLBACK}`,
    'javascript:alert(1)',
    '/cb',
    '//rp.example/cb',
    'https://',
    'https://[files.example.org/cb',
  ])('%s is another one: a page, for errors too', async (uri) => {
    for (const more of [{}, { response_type: 'token' }, { prompt: 'none' }]) {
      const path = requestPath(client, { redirect_uri: uri, ...more })
      const { status, location } = await alice.get(path)
      expect({ status, location }).toEqual({ status: 400, location: null })
      expect((await new Visitor(site).get(path)).location).toBeNull()
    }
  })

  test('is a page, whatever text it is, and no fault', async () => {
    const texts = fc.oneof(fc.string(), fc.webUrl(), fc.webPath(), fc.constant('//rp.example/cb'))
    await fc.assert(
      fc.asyncProperty(texts, async (uri) => {
        const request = { redirect_uri: uri }
        const path = requestPath(client, request)
        const query = path.split('?')[1] ?? ''
        const form = { request: query, user: '3', answer: 'allow', confirm_password: PASSWORD }
        for (const { status, location } of [
          await alice.get(path),
          await alice.post('/oauth/authorize/consent', form),
          await alice.get(`/oauth/end_session?post_logout_redirect_uri=${encodeURIComponent(uri)}`),
        ]) {
          expect([200, 400]).toContain(status)
          expect(location).toBeNull()
        }
      }),
      { numRuns: 30 },
    )
  })

  test.each([
    'http://files.example.org/cb',
    'https://files.example.org/cb#part',
    'https://*.example.org/cb',
    'https://files.example.org/a/../cb',
    'https://FILES.example.org/cb',
    'https://me:pw@files.example.org/cb',
    'javascript:alert(1)',
    'files.example.org/cb',
    'https://files.example.org/c b',
    'https://files.example.org/ä',
  ])('%s can not be registered', (uri) => {
    expect(v.is(clientUriSchema, uri)).toBe(false)
  })

  test.each(['code', 'state', 'error', 'error_description', 'iss', '%63ode', 'a=b&iss'])(
    'with %s in its query can not be registered',
    (name) => {
      const uri = `https://files.example.org/cb?${name}=1`
      const { issues } = v.safeParse(clientUrisSchema, [CALLBACK, uri])
      expect(issues?.map(({ message }) => message)).toEqual([reason('clientUriQuery')])
    },
  )

  test.each([
    'https://files.example.org',
    CALLBACK,
    'http://localhost:8080/cb',
    'http://127.0.0.1:5244/api/auth/sso_callback?method=get_sso_id',
  ])('%s can be registered', (uri) => {
    expect(v.is(clientUriSchema, uri)).toBe(true)
  })
})

describe('an authorization request', () => {
  test('with a repeated parameter is refused, and with a repeated client gets a page', async () => {
    const path = requestPath(client)
    expect(answerIn((await alice.get(`${path}&scope=openid`)).location)).toMatchObject({
      error: 'invalid_request',
    })
    expect((await alice.get(`${path}&client_id=${client.clientId}`)).status).toBe(400)
    expect((await alice.get(`${path}&redirect_uri=x`)).status).toBe(400)
  })

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ scope: 'profile' }, 'invalid_scope'],
    [{ scope: undefined }, 'invalid_scope'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ max_age: 'NaN' }, 'invalid_request'],
    [{ registration: '{}' }, 'registration_not_supported'],
    [{ nonce: 'n'.repeat(3000) }, 'invalid_request'],
    [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
  ])('%o answers %s', async (changes, error) => {
    const { location } = await alice.get(requestPath(client, changes))
    expect(answerIn(location)).toMatchObject({ error, iss: ISSUER })
  })

  test.each(['state', 'nonce', 'login_hint', 'id_token_hint', 'unknown'])(
    'whose %s has 4,000 characters or more is answered with an error',
    async (name) => {
      for (const characters of [4000, 12_000]) {
        const path = requestPath(client, { [name]: 'a'.repeat(characters) })
        const { error, state } = answerIn((await alice.get(path)).location)
        expect(error).toBe('invalid_request')
        expect(state).toBe(name === 'state' ? 'a'.repeat(characters) : 'af0ifjsldkj')
        const elsewhere = requestPath(client, {
          [name]: 'a'.repeat(characters),
          redirect_uri: `${CALLBACK}x`,
        })
        expect((await alice.get(elsewhere)).location).toBeNull()
      }
    },
  )

  test.each([
    ['no JWT', 'x'],
    ['no JSON', `eyJhbGciOiJub25lIn0.${btoa('{"response_mode":')}.`],
    ['no object', `eyJhbGciOiJub25lIn0.${btoa('["form_post"]')}.`],
    ['no base64', 'eyJhbGciOiJub25lIn0.%%%.'],
    ['nothing', '..'],
    ['nested', `eyJhbGciOiJub25lIn0.${btoa('['.repeat(2000))}.`],
    ['encrypted', 'a.b.c.d.e'],
    ['another type', `eyJhbGciOiJub25lIn0.${btoa('{"response_mode":["form_post"]}')}.`],
    ['a prototype', `eyJhbGciOiJub25lIn0.${btoa('{"__proto__":{"response_mode":"form_post"}}')}.`],
    ['a fragment', `eyJhbGciOiJub25lIn0.${btoa('{"response_mode":"fragment"}')}.`],
  ])('with a request object that is %s gets its error in the address', async (_, request) => {
    const { location } = await alice.get(requestPath(client, { request }))
    expect(answerIn(location)).toMatchObject({ state: 'af0ifjsldkj', iss: ISSUER })
    expect(answerIn(location)['error']).toMatch(/^(?:request_not_supported|invalid_request)$/)
  })

  test('of 100 KB gets a page', async () => {
    expect((await alice.get(requestPath(client, { state: 'a'.repeat(100_000) }))).status).toBe(400)
  })

  test('does nothing for HEAD', async () => {
    const headers = { Cookie: `session=${alice.cookies.get('session')}` }
    const { status, headers: got } = await site.fetch('HEAD', requestPath(client), { headers })
    expect({ status, to: got.get('Location') }).toEqual({ status: 405, to: null })
    expect(await site.db.select().from(openidGrants)).toEqual([])
  })

  test('as JSON gets a page', async () => {
    const { status } = await alice.post(
      '/oauth/authorize',
      {},
      { 'Content-Type': 'application/json' },
    )
    expect(status).toBe(400)
  })

  test('is read without a failure, whatever it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (given) => {
        const params = new URLSearchParams({ client_id: 'c', redirect_uri: 'r:', ...given })
        const { sender } = parseAuthorizationRequest(params)
        expect(sender?.clientId).not.toBe('')
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseHandle('refresh', text)).toBeUndefined()
      }),
    )
  })
})

/** What the page of alice's programs says. */
const listed = async () => textOf((await alice.get('/account/programs')).html)
const stored = () => site.db.select().from(openidConsents)

describe('consent', () => {
  let third: Registered

  beforeEach(async () => {
    third = await register(site, { name: 'third', firstParty: false })
  })

  const consent = (fields: Record<string, string>, headers = {}) =>
    alice.post(
      '/oauth/authorize/consent',
      { request: requestPath(third).split('?')[1] ?? '', user: '3', ...fields },
      headers,
    )

  test('names what the program learns, and what else it wants', async () => {
    const { html } = await alice.get(requestPath(third, { scope: 'openid profile offline_access' }))
    const list = /<ul class="may">(.*?)<\/ul>/s.exec(html)?.[1] ?? ''
    expect(Array.from(list.matchAll(/<li>(.*?)<\/li>/gs), ([, text]) => text)).toEqual([
      'See your user name, and when and how you signed in',
      'Stay signed in after you sign out here',
    ])
    const plain = await alice.get(requestPath(third))
    expect(textOf(plain.html)).not.toContain('Stay signed in')
  })

  test('stands on the page of programs, with the last sign-in', async () => {
    const given = await consent({ answer: 'allow' })
    expect(await listed()).toContain('third files.example.org Not used yet Allowed just now')
    const { code = '' } = answerIn(refreshTo(given.headers))
    await exchangeCode(site, third, code)
    expect(await listed()).toContain(
      'third files.example.org Last sign-in just now Allowed just now',
    )
  })

  test('is asked once, and leads on without a redirect of the form', async () => {
    const page = await alice.get(requestPath(third))
    expect(page.status).toBe(200)
    expect(textOf(page.html)).toContain('You are signed in as alice.')
    expect(page.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
    expect(page.headers.get('Cross-Origin-Opener-Policy')).toBeNull()
    const given = await consent({ answer: 'allow' })
    expect(given.status).toBe(200)
    const to = refreshTo(given.headers)
    expect((await exchangeCode(site, third, answerIn(to)['code'] ?? '')).status).toBe(200)
    expect(answerIn((await alice.get(requestPath(third))).location)).toHaveProperty('code')
    const more = requestPath(third, { scope: 'openid profile groups' })
    expect((await alice.get(more)).status).toBe(200)
    const again = requestPath(third, { prompt: 'consent' })
    expect((await alice.get(again)).status).toBe(200)
  })

  test('is missing: prompt=none answers consent_required', async () => {
    const { location } = await alice.get(requestPath(third, { prompt: 'none' }))
    expect(answerIn(location)).toMatchObject({ error: 'consent_required' })
  })

  test('denied: access_denied, and nothing is remembered', async () => {
    const denied = await consent({ answer: 'deny' })
    const to = refreshTo(denied.headers)
    expect(answerIn(to)).toMatchObject({ error: 'access_denied', state: 'af0ifjsldkj' })
    expect(await stored()).toEqual([])
  })

  test('from another site, or for another user, changes nothing', async () => {
    const evil = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    expect((await consent({ answer: 'allow' }, evil)).status).toBe(403)
    expect((await consent({ answer: 'allow', user: '1' })).location).toMatch(
      /^\/oauth\/authorize\?/,
    )
    const swapped =
      requestPath(third, { redirect_uri: 'https://evil.example/' }).split('?')[1] ?? ''
    expect((await consent({ answer: 'allow', request: swapped })).status).toBe(400)
    expect(await stored()).toEqual([])
    expect(await site.db.select().from(openidGrants)).toEqual([])
  })

  test('for a program that the user may not use, or before a new proof, is not remembered', async () => {
    const admins = await register(site, { name: 'admins', adminsOnly: true, firstParty: false })
    const page = await register(site, { name: 'page', isPublic: true, firstParty: false })
    const requests: [Registered, Record<string, string>][] = [
      [admins, {}],
      [page, {}],
      [third, { prompt: 'login' }],
      [third, { max_age: '0' }],
    ]
    for (const [program, changes] of requests) {
      const request = requestPath(program, changes).split('?')[1] ?? ''
      const { headers } = await consent({ answer: 'allow', request })
      expect(headers.get('Refresh') ?? '').not.toContain('code=')
    }
    expect(await stored()).toEqual([])
    const events = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'access_given'))
    expect(events).toEqual([])
  })

  test('of a visitor who is not signed in leads to the sign-in', async () => {
    const visitor = new Visitor(site)
    const { location } = await visitor.post('/oauth/authorize/consent', {
      request: requestPath(third).split('?')[1] ?? '',
      user: '3',
      answer: 'allow',
    })
    expect(location).toMatch(/^\/account\/sign-in/)
    expect(await stored()).toEqual([])
  })
})

test('a browser that withholds the cookie comes back once', async () => {
  const visitor = new Visitor(site)
  const from = await visitor.get(requestPath(client), { 'Sec-Fetch-Site': 'cross-site' })
  expect(from.status).toBe(200)
  const again = refreshTo(from.headers)
  expect(again).toMatch(/^\/oauth\/authorize\?response_type=code/)
  const { location } = await visitor.get(again, { 'Sec-Fetch-Site': 'same-origin' })
  expect(location).toMatch(/^\/account\/sign-in\?next=/)
  const page = await visitor.get(location ?? '')
  expect(page.headers.get('Cross-Origin-Opener-Policy')).toBeNull()
  const next = new URL(location ?? '', ISSUER).searchParams.get('next') ?? ''
  const done = await visitor.post('/account/sign-in', {
    username: 'alice',
    password: 'alice-Passw0rd',
    next,
  })
  expect(done).toMatchObject({ status: 200, location: null })
  const to = refreshTo(done.headers)
  expect(answerIn((await visitor.get(to)).location)).toHaveProperty('code')
})

test('the guest and users who are no admins get nothing of a client for admins', async () => {
  const admins = await register(site, { name: 'admins', adminsOnly: true })
  const { location } = await alice.get(requestPath(admins))
  expect(answerIn(location)).toMatchObject({ error: 'access_denied' })
})

test('userinfo refuses what is no access token', async () => {
  const code = await codeFor(alice, client)
  const { access_token: token } = await exchangeCode(site, client, code)
  for (const wrong of [`${token}x`, 'x', code, 'lka_', alice.cookies.get('session') ?? '']) {
    const { status, headers } = await userInfo(site, wrong)
    expect(status).toBe(401)
    expect(headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
  }
  const none = await site.fetch('GET', '/oauth/userinfo')
  expect(none.headers.get('WWW-Authenticate')).toBe('Bearer realm="Latchkey"')
  const two = await site.fetch('POST', '/oauth/userinfo', {
    token: `Bearer ${token}`,
    body: `access_token=${token}`,
    headers: FORM,
  })
  expect(two.status).toBe(400)
})

test('an access token opens nothing of the API', async () => {
  const { access_token: token } = await exchangeCode(site, client, await codeFor(alice, client))
  expect((await site.get('/api/me', { token: `Bearer ${token}` })).code).toBe(401)
})
