import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { beforeEach, describe, expect, test } from 'vitest'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import {
  AFTER_LOGOUT,
  CALLBACK,
  ISSUER,
  type Registered,
  register,
  signedIn,
  withClient,
} from '../support/openid.ts'
import type { Visitor } from '../support/visitor.ts'

const WIKI = 'https://wiki.example.org/callback'

/** What both libraries pass to `fetch`. */
interface Sent {
  method?: string
  headers?: HeadersInit
  body?: unknown
}

let site: CheapSite
let client: Registered
let alice: Visitor

beforeEach(async () => {
  site = new CheapSite()
  // They compare the times of ID tokens with their own clock.
  client = await withClient(site)
  site.now = Date.now()
  alice = await signedIn(site)
})

function formText(body: unknown): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('the libraries send forms only')
}

async function fetchFromSite(url: string | URL, { method = 'GET', headers, body }: Sent = {}) {
  const { pathname, search } = new URL(url)
  const given = Object.fromEntries(new Headers(headers))
  return site.fetch(method, pathname + search, {
    headers: given,
    ...(body !== undefined && body !== null && { body: formText(body) }),
  })
}

/** Lets alice open an address, and returns the one at which the client gets its answer. */
async function open(url: URL): Promise<URL> {
  const { location } = await alice.get(url.pathname + url.search)
  const answer = new URL(location ?? '')
  rememberSecret(answer.searchParams.get('code') ?? undefined)
  return answer
}

describe('openid-client', () => {
  test('signs in, reads claims, refreshes, revokes and signs out', async () => {
    // It takes everything after `?` off the address, so its redirect URI has no query.
    client = await register(site, { name: 'wiki', redirectUris: [WIKI] })
    const config = await openid.discovery(
      new URL(ISSUER),
      client.clientId,
      client.secret,
      openid.ClientSecretBasic(client.secret),
      { execute: [openid.allowInsecureRequests], [openid.customFetch]: fetchFromSite },
    )
    const verifier = openid.randomPKCECodeVerifier()
    const [state, nonce] = [openid.randomState(), openid.randomNonce()]
    const answer = await open(
      openid.buildAuthorizationUrl(config, {
        redirect_uri: WIKI,
        scope: 'openid profile groups offline_access',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        max_age: '3600',
      }),
    )
    const tokens = await openid.authorizationCodeGrant(config, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      maxAge: 3600,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    expect(claims).toMatchObject({ sub: await site.subOf(3), name: 'alice', groups: ['user'] })
    for (const one of [tokens.access_token, tokens.refresh_token, tokens.id_token])
      rememberSecret(one)
    expect(
      await openid.fetchUserInfo(config, tokens.access_token, await site.subOf(3)),
    ).toMatchObject({
      preferred_username: 'alice',
      groups: ['user'],
    })
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(refreshed.claims()).toMatchObject({
      sub: await site.subOf(3),
      auth_time: claims?.auth_time,
    })
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '')
    await expect(
      openid.fetchUserInfo(config, refreshed.access_token, await site.subOf(3)),
    ).rejects.toThrow('challenge')
    const end = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: AFTER_LOGOUT,
    })
    expect((await alice.get(end.pathname + end.search)).location).toBe(AFTER_LOGOUT)
  })
})

describe('oauth4webapi', () => {
  const options = {
    [oauth.customFetch]: fetchFromSite,
    [oauth.allowInsecureRequests]: true,
  }

  async function discover() {
    const url = new URL(ISSUER)
    const response = await oauth.discoveryRequest(url, options)
    return oauth.processDiscoveryResponse(url, response)
  }

  test('validates at_hash, auth_time, nonce, iss, alg and the signature', async () => {
    const server = await discover()
    const program: oauth.Client = {
      client_id: client.clientId,
      id_token_signed_response_alg: 'RS256',
      require_auth_time: true,
    }
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: client.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid profile',
      state,
      nonce,
    }).toString()
    const params = oauth.validateAuthResponse(server, program, await open(url), state)
    const authentication = oauth.ClientSecretPost(client.secret)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      program,
      authentication,
      params,
      CALLBACK,
      oauth.nopkce,
      options,
    )
    const result = await oauth.processAuthorizationCodeResponse(server, program, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    for (const one of [result.access_token, result.id_token]) rememberSecret(one)
    await oauth.validateApplicationLevelSignature(server, response, options)
    expect(oauth.getValidatedIdTokenClaims(result)).toMatchObject({
      sub: await site.subOf(3),
      amr: ['pwd'],
    })
    const user = await oauth.userInfoRequest(server, program, result.access_token, options)
    expect(
      await oauth.processUserInfoResponse(server, program, await site.subOf(3), user),
    ).toMatchObject({
      name: 'alice',
    })
  })

  test('refuses the answer of another issuer (mix-up)', async () => {
    const server = await discover()
    const other = await register(site, { name: 'other' })
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: other.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
    }).toString()
    const answer = await open(url)
    answer.searchParams.set('iss', 'https://evil.example')
    const program = { client_id: other.clientId }
    expect(() => oauth.validateAuthResponse(server, program, answer, oauth.expectNoState)).toThrow(
      'iss',
    )
  })
})
