import * as base64url from 'jose/base64url'
import { beforeEach, describe, expect, test } from 'vitest'
import { sessions } from '../../schema/tables.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { KEY_NOTICE_SECONDS, rotateKey } from '../../src/capabilities/openid/keys.ts'
import { CheapSite } from '../support/cheap-site.ts'
import {
  answerIn,
  askToken,
  CALLBACK,
  claimsIn,
  codeFor,
  exchangeCode,
  FORM,
  ISSUER,
  PASSWORD,
  refreshWith,
  register,
  requestPath,
  signedIn,
  userInfo,
} from '../support/openid.ts'
import { rememberSecret } from '../support/log.ts'
import { NOW, SECOND } from '../support/site.ts'
import { refreshTo, textOf, Visitor } from '../support/visitor.ts'
import { alice, arrange, client, site } from './arranged.ts'

beforeEach(arrange)

async function tokens(changes: Record<string, string | undefined> = {}) {
  return exchangeCode(site, client, await codeFor(alice, client, changes))
}

/** The `kid` that signs now. */
async function usedKey(): Promise<string> {
  return JSON.parse(atob((await tokens()).id_token.split('.')[0] ?? '')).kid
}

/** Asks with a redirect URI of the request, and another one inside a request object. */
function askTwice(outside: string, inside: string) {
  const request = requestObject({ redirect_uri: inside })
  return alice.get(requestPath(client, { redirect_uri: outside, request }))
}

/** A request object without a signature. */
function requestObject(claims: object): string {
  return `eyJhbGciOiJub25lIn0.${base64url.encode(JSON.stringify(claims))}.`
}

/** The fields of the form that a page sends by itself, as they stand in the page. */
function fieldsAt({ html }: { html: string }): Record<string, string> {
  const [, form = ''] = /data-send[^>]*>([^]*?)<\/form>/.exec(html) ?? []
  const fields = Array.from(form.matchAll(/name="([^"]*)" value="([^"]*)"/g))
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
}

/**
 * Each test has the name of a module of the OpenID Foundation's plan, oidcc-basic-certification, as
 * of August 2026. The suite warns of `name` in the ID token; OpenList reads it nowhere else.
 *
 * @see https://gitlab.com/openid/conformance-suite, OIDCCBasicTestPlan.java
 */
describe('the basic certification plan', () => {
  test('oidcc-server: a code, tokens, and claims that agree', async () => {
    const { location } = await alice.get(requestPath(client, { nonce: 'n-0S6' }))
    const answer = answerIn(location)
    expect(answer).toMatchObject({ state: 'af0ifjsldkj', iss: ISSUER })
    expect(location?.startsWith(`${CALLBACK}&code=`)).toBe(true)
    const got = await exchangeCode(site, client, answer['code'] ?? '')
    expect(got).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 3600 })
    expect(got.headers.get('Cache-Control')).toBe('no-store')
    const claims = claimsIn(got.id_token)
    expect(claims).toMatchObject({
      iss: ISSUER,
      sub: await site.subOf(3),
      aud: client.clientId,
      nonce: 'n-0S6',
      name: 'alice',
      preferred_username: 'alice',
      amr: ['pwd'],
      auth_time: Math.floor(NOW / 1000),
    })
    expect(await userInfo(site, got.access_token)).toMatchObject({
      status: 200,
      body: { sub: await site.subOf(3), name: 'alice' },
    })
  })

  test('oidcc-response-type-missing: an error at the client', async () => {
    const { location } = await alice.get(requestPath(client, { response_type: undefined }))
    expect(answerIn(location)).toMatchObject({ error: 'invalid_request', state: 'af0ifjsldkj' })
  })

  test('oidcc-idtoken-signature and oidcc-idtoken-unsigned: RS256 with a kid of the key set', async () => {
    const { id_token: idToken } = await tokens()
    const header = JSON.parse(atob(idToken.split('.')[0] ?? ''))
    const { keys } = await (await site.fetch('GET', '/oauth/jwks')).json<{ keys: object[] }>()
    expect(keys).toEqual([expect.objectContaining({ kid: header.kid, alg: 'RS256', kty: 'RSA' })])
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: header.kid })
  })

  test('oidcc-userinfo-get: the token stands in the header', async () => {
    const { access_token: token } = await tokens()
    expect((await userInfo(site, token)).body).toMatchObject({ sub: await site.subOf(3) })
  })

  test('oidcc-userinfo-post-header: the token stands in the header of a POST', async () => {
    const { access_token: token } = await tokens()
    const response = await site.fetch('POST', '/oauth/userinfo', { token: `Bearer ${token}` })
    expect(await response.json()).toMatchObject({ sub: await site.subOf(3) })
  })

  test('oidcc-userinfo-post-body: the token stands in the form', async () => {
    const { access_token: token } = await tokens()
    const body = new URLSearchParams({ access_token: token }).toString()
    const response = await site.fetch('POST', '/oauth/userinfo', { body, headers: FORM })
    expect(await response.json()).toMatchObject({ sub: await site.subOf(3) })
  })

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    expect(claimsIn((await tokens()).id_token)).not.toHaveProperty('nonce')
  })

  test('oidcc-formpost: the answer stands in a form that the browser posts', async () => {
    const request = { response_mode: 'form_post', state: '"><b>' }
    const page = await alice.get(requestPath(client, request))
    expect(page).toMatchObject({ status: 200, location: null })
    expect(page.html).toContain(`<form method="post" action="${CALLBACK}" data-send`)
    expect(page.headers.get('Content-Security-Policy')).toContain('form-action https:;')
    const { code = '', ...rest } = fieldsAt(page)
    rememberSecret(code)
    expect(rest).toEqual({ state: '&quot;&gt;&lt;b&gt;', iss: ISSUER })
    expect((await exchangeCode(site, client, code)).status).toBe(200)
    const refused = await alice.get(requestPath(client, { ...request, response_type: 'token' }))
    expect(fieldsAt(refused)).toMatchObject({ error: 'unsupported_response_type', iss: ISSUER })
    const silent = await new Visitor(site).get(requestPath(client, { ...request, prompt: 'none' }))
    expect(fieldsAt(silent)).toMatchObject({ error: 'login_required' })
    const fragment = await alice.get(requestPath(client, { response_mode: 'fragment' }))
    expect(answerIn(fragment.location)).toMatchObject({ error: 'invalid_request' })
  })

  test('the scope openid alone names nobody', async () => {
    const got = await exchangeCode(site, client, await codeFor(alice, client, { scope: 'openid' }))
    const { body } = await userInfo(site, got.access_token)
    for (const name of ['name', 'preferred_username', 'updated_at', 'groups']) {
      expect(claimsIn(got.id_token)).not.toHaveProperty(name)
      expect(body).not.toHaveProperty(name)
    }
    expect(body).toEqual({ sub: await site.subOf(3) })
  })

  test('oidcc-ensure-request-with-acr-values-succeeds: acr says how many factors were shown', async () => {
    const discovery = await site.fetch('GET', '/.well-known/openid-configuration')
    const { acr_values_supported: values } = await discovery.json<Record<string, string[]>>()
    expect(values).toEqual(['1', '2'])
    const request = { acr_values: values?.join(' ') }
    const got = await exchangeCode(site, client, await codeFor(alice, client, request))
    expect(claimsIn(got.id_token)).toMatchObject({ amr: ['pwd'], acr: '1' })
    await site.db.update(sessions).set({ amr: 'pwd otp' })
    const strong = await exchangeCode(site, client, await codeFor(alice, client, request))
    expect(claimsIn(strong.id_token)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: '2' })
  })

  test('a POST to userinfo takes the token of the header, whatever its content type', async () => {
    const got = await exchangeCode(site, client, await codeFor(alice, client))
    const headers = { 'Content-Type': 'application/json' }
    const token = `Bearer ${got.access_token}`
    const response = await site.fetch('POST', '/oauth/userinfo', { token, headers, body: '{}' })
    expect(response.status).toBe(200)
    const none = await site.fetch('POST', '/oauth/userinfo', { headers, body: '{}' })
    expect(none.status).toBe(401)
  })

  test('an access token says that it lasts an hour, also when the clock moves meanwhile', async () => {
    const slow = new CheapSite({ now: () => (site.now += 7) })
    const got = await exchangeCode(slow, client, await codeFor(alice, client))
    expect(got.expires_in).toBe(3600)
  })

  test('discovery says that introspection takes the token of a server, not the secret of a program', async () => {
    const discovery = await site.fetch('GET', '/.well-known/openid-configuration')
    expect(await discovery.json()).toMatchObject({
      introspection_endpoint_auth_methods_supported: ['Bearer'],
    })
  })

  test('oidcc-scope-profile: name and preferred_username', async () => {
    const { access_token: token } = await tokens({ scope: 'openid profile' })
    expect((await userInfo(site, token)).body).toEqual({
      sub: await site.subOf(3),
      name: 'alice',
      preferred_username: 'alice',
      updated_at: Math.floor(NOW / 1000),
    })
  })

  test.each([
    ['oidcc-scope-email', 'openid email', 'openid email'],
    ['oidcc-scope-address', 'openid address', 'openid'],
    ['oidcc-scope-phone', 'openid phone', 'openid'],
    ['oidcc-scope-all', 'openid profile email address phone', 'openid profile email'],
  ])('%s: a scope that nothing is known for is left out', async (_, scope, granted) => {
    const got = await tokens({ scope })
    expect(got).toMatchObject({ status: 200, scope: granted })
    expect((await userInfo(site, got.access_token)).body).toMatchObject({
      sub: await site.subOf(3),
    })
  })

  test('oidcc-alternate-happy-flow: scopes and parameters in another order', async () => {
    const [path = '', query] = requestPath(client, { scope: 'email profile openid' }).split('?')
    const reversed = Array.from(new URLSearchParams(query)).toReversed()
    const { location } = await alice.get(`${path}?${new URLSearchParams(reversed).toString()}`)
    const got = await exchangeCode(site, client, answerIn(location)['code'] ?? '')
    expect(got).toMatchObject({ status: 200, scope: 'openid profile email' })
  })

  test.each(['oidcc-display-page', 'oidcc-display-popup'])('%s: is ignored', async (name) => {
    const display = name.replace('oidcc-display-', '')
    expect((await tokens({ display })).status).toBe(200)
  })

  test('oidcc-prompt-login: the user proves again who they are', async () => {
    const before = claimsIn((await tokens()).id_token)
    site.now += 60 * SECOND
    const page = await alice.get(requestPath(client, { prompt: 'login' }))
    expect(page.status).toBe(200)
    expect(textOf(page.html)).toContain('files asks you to prove again who you are.')
    const request = requestPath(client, { prompt: 'login' }).split('?')[1] ?? ''
    const form = { request, user: '3' }
    const wrong = await alice.post('/oauth/authorize/confirm', { ...form, confirm_password: 'no' })
    expect(wrong.status).toBe(403)
    const none = await alice.post('/oauth/authorize/confirm', form)
    expect(none.headers.get('Refresh')).toBeNull()
    const right = await alice.post('/oauth/authorize/confirm', {
      ...form,
      confirm_password: PASSWORD,
    })
    const { location } = await alice.get(refreshTo(right.headers))
    const got = await exchangeCode(site, client, answerIn(location)['code'] ?? '')
    const after = claimsIn(got.id_token)
    expect(Number(after['auth_time'])).toBe(Number(before['auth_time']) + 60)
    expect(after['sid']).toBe(before['sid'])
  })

  test('oidcc-prompt-none-not-logged-in: login_required', async () => {
    const { location } = await new Visitor(site).get(requestPath(client, { prompt: 'none' }))
    expect(answerIn(location)).toMatchObject({ error: 'login_required', state: 'af0ifjsldkj' })
  })

  test('oidcc-prompt-none-logged-in: the same user and the same auth_time', async () => {
    const before = claimsIn((await tokens()).id_token)
    site.now += 30 * SECOND
    const after = claimsIn((await tokens({ prompt: 'none' })).id_token)
    expect(after).toMatchObject({ sub: before['sub'], auth_time: before['auth_time'] })
  })

  test('oidcc-max-age-1: proves again, and says when', async () => {
    await tokens()
    site.now += 2 * SECOND
    const page = await alice.get(requestPath(client, { max_age: '1' }))
    expect(page.status).toBe(200)
    const request = requestPath(client, { max_age: '1' }).split('?')[1] ?? ''
    const confirmed = await alice.post('/oauth/authorize/confirm', {
      request,
      user: '3',
      confirm_password: PASSWORD,
    })
    const { location } = await alice.get(refreshTo(confirmed.headers))
    const { id_token: idToken } = await exchangeCode(site, client, answerIn(location)['code'] ?? '')
    expect(claimsIn(idToken)['auth_time']).toBe(Math.floor(site.now / 1000))
  })

  test('oidcc-max-age-10000: asks nothing, and has an auth_time', async () => {
    site.now += 9000 * SECOND
    expect(claimsIn((await tokens({ max_age: '10000' })).id_token)['auth_time']).toBe(
      Math.floor(NOW / 1000),
    )
  })

  test('oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
    expect((await tokens({ extra: 'foobar' })).status).toBe(200)
  })

  test('oidcc-id-token-hint: the user of the hint gets a code without a question', async () => {
    const { id_token: hint } = await tokens()
    expect((await tokens({ prompt: 'none', id_token_hint: hint })).status).toBe(200)
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await signedIn(site, 'bob', 'bob-Passw0rd')
    const { location } = await bob.get(requestPath(client, { prompt: 'none', id_token_hint: hint }))
    expect(answerIn(location)).toMatchObject({ error: 'login_required' })
  })

  test('oidcc-login-hint: stands in the field of the sign-in page', async () => {
    const visitor = new Visitor(site)
    const { location } = await visitor.get(requestPath(client, { login_hint: 'alice' }))
    const { html } = await visitor.get(location ?? '')
    expect(html).toContain('value="alice"')
    expect(textOf(html)).toContain('files (files.example.org) asks you to sign in.')
  })

  test('oidcc-ui-locales: the pages are in that language', async () => {
    const visitor = new Visitor(site)
    const path = requestPath(client, { ui_locales: 'fr zh-CN' })
    const { html } = await visitor.get((await visitor.get(path)).location ?? '')
    expect(html).toContain('lang="zh-Hans"')
  })

  test('oidcc-claims-locales and oidcc-ensure-request-with-acr-values-succeeds', async () => {
    expect((await tokens({ claims_locales: 'se', acr_values: '1 2' })).status).toBe(200)
  })

  test('oidcc-claims-essential: an unsupported claims parameter is ignored', async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
    expect((await tokens({ claims })).status).toBe(200)
  })

  test('oidcc-codereuse: a second use is refused, and ends what came of the first', async () => {
    const code = await codeFor(alice, client)
    const first = await exchangeCode(site, client, code)
    expect(await exchangeCode(site, client, code)).toMatchObject({
      status: 400,
      error: 'invalid_grant',
    })
    expect((await userInfo(site, first.access_token)).status).toBe(401)
  })

  test('oidcc-codereuse-30seconds', async () => {
    const code = await codeFor(alice, client)
    const first = await exchangeCode(site, client, code)
    site.now += 31 * SECOND
    expect((await exchangeCode(site, client, code)).error).toBe('invalid_grant')
    expect((await userInfo(site, first.access_token)).status).toBe(401)
  })

  test.each([
    'https://files.example.org/api/auth/other',
    'https://files.example.org/api/auth/sso_callback',
    `${CALLBACK}&more=1`,
    undefined,
  ])('oidcc-ensure-registered-redirect-uri: %s gets a page', async (uri) => {
    const { status, location, html } = await alice.get(requestPath(client, { redirect_uri: uri }))
    expect({ status, location }).toEqual({ status: 400, location: null })
    expect(html).not.toMatch(/(?:href|action)="https:/)
  })

  test('oidcc-ensure-post-request-succeeds', async () => {
    const form = new URLSearchParams(requestPath(client).split('?')[1])
    const headers = { Origin: 'https://files.example.org', 'Sec-Fetch-Site': 'cross-site' }
    const { status, location } = await alice.post(
      '/oauth/authorize',
      Object.fromEntries(form),
      headers,
    )
    expect(status).toBe(303)
    expect(answerIn((await alice.get(location ?? '')).location)).toHaveProperty('code')
  })

  test('oidcc-server-client-secret-post: the credentials stand in the form', async () => {
    const response = await site.fetch('POST', '/oauth/token', {
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: await codeFor(alice, client),
        redirect_uri: CALLBACK,
        client_id: client.clientId,
        client_secret: client.secret,
      }).toString(),
      headers: FORM,
    })
    expect(response.status).toBe(200)
  })

  test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const { location } = await alice.get(
      requestPath(client, { request: 'eyJhbGciOiJub25lIn0.e30.' }),
    )
    expect(answerIn(location)).toMatchObject({ error: 'request_not_supported' })
  })

  test('oidcc-unsigned-request-object of the plan form_post: the object says how the error goes', async () => {
    const claims = { response_mode: 'form_post', state: 'inside', nonce: 'n' }
    const request = requestObject(claims)
    const page = await alice.get(requestPath(client, { request, state: undefined }))
    expect(page).toMatchObject({ status: 200, location: null })
    expect(fieldsAt(page)).toEqual({
      error: 'request_not_supported',
      error_description: 'request is not supported',
      iss: ISSUER,
    })
    const plain = requestPath(client, { request, response_mode: 'query' })
    expect(answerIn((await alice.get(plain)).location)).toMatchObject({
      error: 'request_not_supported',
      state: 'af0ifjsldkj',
    })
  })

  test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', async () => {
    const { location } = await alice.get(
      requestPath(client, { request_uri: 'https://rp.example/r' }),
    )
    expect(answerIn(location)).toMatchObject({ error: 'request_uri_not_supported' })
  })

  test('oidcc-ensure-request-object-with-redirect-uri: the one inside is never used', async () => {
    const evil = 'https://evil.example/'
    expect(await askTwice(evil, CALLBACK)).toMatchObject({ status: 400, location: null })
    const { location } = await askTwice(CALLBACK, evil)
    expect(location?.startsWith(`${CALLBACK}&error=request_not_supported`)).toBe(true)
  })

  test('oidcc-refresh-token: new tokens for the same user, without a nonce', async () => {
    const first = await tokens({ scope: 'openid profile offline_access', nonce: 'n' })
    const second = await refreshWith(site, client, first.refresh_token)
    expect(second).toMatchObject({ status: 200, scope: 'openid profile offline_access' })
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const [before, after] = [claimsIn(first.id_token), claimsIn(second.id_token)]
    expect(after).toMatchObject({ sub: before['sub'], iss: before['iss'], aud: before['aud'] })
    expect(after).toMatchObject({ auth_time: before['auth_time'] })
    expect(after).not.toHaveProperty('nonce')
    expect((await userInfo(site, second.access_token)).status).toBe(200)
  })

  test('oidcc-refresh-token: a request with prompt=consent asks, and then gives one', async () => {
    const path = requestPath(client, { scope: 'openid offline_access', prompt: 'consent' })
    const { html } = await alice.get(path)
    expect(textOf(html)).toContain('Allow files?')
    const form = { request: path.split('?')[1] ?? '', user: '3', answer: 'allow' }
    const { headers } = await alice.post('/oauth/authorize/consent', form)
    const { code = '' } = answerIn(refreshTo(headers))
    const first = await exchangeCode(site, client, code)
    expect((await refreshWith(site, client, first.refresh_token)).status).toBe(200)
  })

  test('oidcc-refresh-token: another client can not use it', async () => {
    const { refresh_token: token } = await tokens({ scope: 'openid offline_access' })
    const other = await register(site, { name: 'other' })
    expect(await refreshWith(site, other, token)).toMatchObject({ error: 'invalid_grant' })
    expect((await refreshWith(site, client, token)).status).toBe(200)
  })

  test('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    // RFC 7636 appendix B.
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    const code = await codeFor(alice, client, pkce)
    expect((await exchangeCode(site, client, code)).error).toBe('invalid_grant')
    const wrong = await exchangeCode(site, client, code, { code_verifier: `${verifier}a` })
    expect(wrong.error).toBe('invalid_grant')
    expect((await exchangeCode(site, client, code, { code_verifier: verifier })).status).toBe(200)
  })

  test('a verifier that no challenge announced is refused', async () => {
    const code = await codeFor(alice, client)
    const got = await exchangeCode(site, client, code, { code_verifier: 'a'.repeat(43) })
    expect(got.error).toBe('invalid_grant')
  })
})

/** The plan oidcc-config-certification has one module. */
describe('the config certification plan', () => {
  test('oidcc-discovery-endpoint-verification: https, and all that is required', async () => {
    const issuer = 'https://account.example.org'
    const response = await site.fetch('GET', `${issuer}/.well-known/openid-configuration`)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    const found = await response.json<Record<string, unknown>>()
    const addresses = Object.entries(found).filter(([name]) => /_endpoint$|_uri$/.test(name))
    expect(addresses).toHaveLength(7)
    for (const [name, address] of addresses) expect(address, name).toMatch(/^https:\/\//)
    for (const [, address] of addresses) expect(String(address).startsWith(issuer)).toBe(true)
    expect(found['scopes_supported']).toContain('openid')
    expect(found['claims_supported']).toEqual(expect.arrayContaining(['sub', 'iss', 'auth_time']))
    expect(found['grant_types_supported']).toEqual(['authorization_code', 'refresh_token'])
    const keys = await site.fetch('GET', String(found['jwks_uri']))
    expect(await keys.json()).toMatchObject({ keys: [{ kty: 'RSA', alg: 'RS256', use: 'sig' }] })
  })

  test('oidcc-discovery-endpoint-verification: what OpenList reads', async () => {
    const response = await site.fetch('GET', '/.well-known/openid-configuration')
    expect(response.headers.get('Cache-Control')).toMatch(/max-age=\d+/)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
    expect(await response.json()).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/authorize`,
      token_endpoint: `${ISSUER}/oauth/token`,
      jwks_uri: `${ISSUER}/oauth/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    })
    expect(site.meter.roundTrips).toBe(0)
    const other = await site.fetch('GET', '/.well-known/oauth-authorization-server')
    expect(await other.json()).toMatchObject({ issuer: ISSUER })
  })
})

describe('the signing keys', () => {
  test('oidcc-server-rotate-keys of the dynamic plan: both keys are shown, and the new one signs after a while', async () => {
    const { kid } = await rotateKey(site.deps, COMMAND_LINE, {
      noticeSeconds: KEY_NOTICE_SECONDS,
      dropsOthers: false,
    })
    const { keys } = await (await site.fetch('GET', '/oauth/jwks')).json<{ keys: object[] }>()
    expect(keys).toHaveLength(2)
    expect(await usedKey()).not.toBe(kid)
    site.now += 16 * 60 * SECOND
    expect(await usedKey()).toBe(kid)
  })

  test('JWKS reads nothing but the memory of the isolate', async () => {
    await site.fetch('GET', '/oauth/jwks')
    const response = await site.fetch('GET', '/oauth/jwks')
    expect(site.meter.roundTrips).toBe(0)
    expect(response.headers.get('Cache-Control')).toMatch(/max-age=\d+/)
  })
})

describe('the price of a sign-in', () => {
  test('is one round trip each for authorize, token and userinfo', async () => {
    const code = await codeFor(alice, client)
    expect(site.meter.roundTrips).toBe(1)
    const { access_token: token } = await exchangeCode(site, client, code)
    expect(site.meter.roundTrips).toBe(1)
    await userInfo(site, token)
    expect(site.meter.roundTrips).toBe(1)
  })
})

test('x/oauth2 tries Basic, then the form: the code is still good', async () => {
  const code = await codeFor(alice, client)
  const wrong = { ...client, secret: 'wrong' }
  const refused = await exchangeCode(site, wrong, code)
  expect(refused).toMatchObject({ status: 401, error: 'invalid_client' })
  expect(refused.headers.get('WWW-Authenticate')).toMatch(/^Basic/)
  expect((await exchangeCode(site, client, code)).status).toBe(200)
})

test('a code ends after a minute', async () => {
  const code = await codeFor(alice, client)
  site.now += 60 * SECOND
  expect((await exchangeCode(site, client, code)).error).toBe('invalid_grant')
})

test('the password grant does not exist', async () => {
  const form = { grant_type: 'password', username: 'alice', password: PASSWORD }
  expect(await askToken(site, client, form)).toMatchObject({ error: 'unsupported_grant_type' })
})
