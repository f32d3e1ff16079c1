import { eq } from 'drizzle-orm'
import { createLocalJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import {
  accessTeamSite,
  presetClient,
  presetSettings,
} from '../../src/capabilities/openid/presets.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import { basic, claimsIn, FORM, ISSUER, register, signedIn, withClient } from '../support/openid.ts'
import type { Visitor } from '../support/visitor.ts'

const ADDRESS = 'alice@example.org'

/** What a program knows of somebody who has signed in, or why it has refused. */
type Outcome = { email: string; login?: string; id?: string } | { refused: string }

let site: CheapSite
let alice: Visitor

beforeEach(async () => {
  site = new CheapSite()
  await withClient(site)
  // Cloudflare Access compares the times of ID tokens with its own clock.
  site.now = Date.now()
  alice = await signedIn(site)
})

const setAddress = (email: string, emailVerified: boolean) =>
  site.db.update(users).set({ email, emailVerified }).where(eq(users.username, 'alice'))

/** A program that has the settings which `client add` prints, and nothing else. */
abstract class PresetProgram {
  readonly id: string
  readonly secret: string
  readonly #redirectUri: string
  readonly #settings: ReadonlyMap<string, string>

  constructor(
    preset: 'grafana' | 'cloudflare-access',
    at: string,
    { clientId, secret }: Awaited<ReturnType<typeof register>>,
  ) {
    this.id = clientId
    this.secret = secret
    this.#redirectUri = presetClient(preset, at).redirectUris[0] ?? ''
    const values = presetSettings(preset, { issuer: ISSUER, clientId, secret, site: at })
    this.#settings = new Map(values.map(([name, value]) => [name, String(value)]))
  }

  /** What stands in its settings; empty for nothing. */
  setting(name: string): string {
    return this.#settings.get(name) ?? ''
  }

  get redirectUri(): string {
    return this.#redirectUri
  }

  abstract signIn(visitor: Visitor): Promise<Outcome>

  /** Sends the browser to the provider, and reads the code with which it comes back. */
  async authorize(visitor: Visitor, url: string, given: Record<string, string>): Promise<string> {
    const asked = new URL(url)
    for (const [name, value] of Object.entries(given)) asked.searchParams.set(name, value)
    const { location } = await visitor.get(asked.pathname + asked.search)
    const answer = new URL(location ?? '')
    if (answer.origin + answer.pathname !== this.redirectUri) throw new Error(answer.href)
    if (answer.searchParams.get('state') !== given['state']) throw new Error('another state')
    const code = answer.searchParams.get('code') ?? ''
    rememberSecret(code)
    return code
  }
}

/** Asks the site as a program's server does. */
function ask(method: string, url: string, headers: Record<string, string>, form?: object) {
  const body = form === undefined ? {} : { body: new URLSearchParams({ ...form }).toString() }
  return site.fetch(method, new URL(url).pathname, { headers, ...body })
}

async function tokensIn(response: Response) {
  if (response.status !== 200) throw new Error(await response.text())
  const tokens: { access_token: string; id_token: string } = await response.json()
  for (const token of Object.values(tokens)) rememberSecret(token)
  return tokens
}

/**
 * Does what Grafana's generic OAuth does. It knows users by `sub`, and lets nobody in without an
 * address; it never looks at `email_verified`.
 *
 * @see https://github.com/grafana/grafana/blob/main/pkg/login/social/connectors/generic_oauth.go
 * @see https://github.com/grafana/grafana/blob/main/pkg/services/authn/clients/oauth.go
 */
class Grafana extends PresetProgram {
  readonly #of = (name: string) => this.setting(`GF_AUTH_GENERIC_OAUTH_${name}`)

  async signIn(visitor: Visitor): Promise<Outcome> {
    const codeVerifier = oauth.generateRandomCodeVerifier()
    const code = await this.authorize(visitor, this.#of('AUTH_URL'), {
      client_id: this.id,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      redirect_uri: this.redirectUri,
      response_type: 'code',
      scope: this.#of('SCOPES'),
      // 32 bytes as base64url, with their padding.
      state: `${oauth.generateRandomState()}=`,
    })
    const { access_token: token, id_token: idToken } = await tokensIn(
      await ask(
        'POST',
        this.#of('TOKEN_URL'),
        { ...FORM, ...basic({ clientId: this.id, secret: this.secret }) },
        {
          code,
          code_verifier: codeVerifier,
          grant_type: 'authorization_code',
          redirect_uri: this.redirectUri,
        },
      ),
    )
    const bearer = { Authorization: `Bearer ${token}` }
    const told = await ask('GET', this.#of('API_URL'), bearer)
    const sources = [claimsIn(idToken), await told.json<Record<string, unknown>>()]
    /** The first text that one of these names has, in the ID token and then in the other answer. */
    const first = (...names: string[]) =>
      sources
        .flatMap((claims) => names.map((name) => claims[name]))
        .filter((value) => typeof value === 'string')
        .find((value) => value !== '') ?? ''
    const email = first('email', this.#of('EMAIL_ATTRIBUTE_PATH'), 'upn')
    if (email === '') return this.#askForAddresses(bearer)
    const login = first('login', this.#of('LOGIN_ATTRIBUTE_PATH'), 'username')
    return { id: first('sub'), login, email }
  }

  /** A list of addresses as GitHub has it: an error, or nothing in it, and the sign-in is refused. */
  async #askForAddresses(bearer: Record<string, string>): Promise<Outcome> {
    const { status } = await ask('GET', `${this.#of('API_URL')}/emails`, bearer)
    return { refused: status >= 300 ? 'Error getting email address' : 'no email address' }
  }
}

/**
 * Does what the generic OpenID connector of Cloudflare Access does: it asks for its three scopes,
 * checks the signature by the certificate URL, and reads the claims of the ID token alone.
 *
 * @see https://developers.cloudflare.com/cloudflare-one/integrations/identity-providers/generic-oidc/
 */
class CloudflareAccess extends PresetProgram {
  async signIn(visitor: Visitor): Promise<Outcome> {
    const codeVerifier = oauth.generateRandomCodeVerifier()
    const code = await this.authorize(visitor, this.setting('Auth URL'), {
      client_id: this.id,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      redirect_uri: this.redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
      state: oauth.generateRandomState(),
    })
    const { id_token: idToken } = await tokensIn(
      await ask('POST', this.setting('Token URL'), FORM, {
        client_id: this.id,
        client_secret: this.secret,
        code,
        code_verifier: codeVerifier,
        grant_type: 'authorization_code',
        redirect_uri: this.redirectUri,
      }),
    )
    const keys = await ask('GET', this.setting('Certificate URL'), {})
    const { payload } = await jwtVerify(idToken, createLocalJWKSet(await keys.json()), {
      algorithms: ['RS256'],
      audience: this.id,
    })
    const email = payload[this.setting('Email claim') || 'email']
    if (typeof email === 'string' && email !== '') return { email }
    return { refused: 'Failed to fetch user/group information' }
  }
}

describe('Grafana', () => {
  const at = 'https://graphs.example.org'
  let grafana: Grafana
  beforeEach(async () => {
    const { redirectUris } = presetClient('grafana', at)
    grafana = new Grafana('grafana', at, await register(site, { name: 'graphs', redirectUris }))
  })

  test('signs alice in with the address that she has confirmed', async () => {
    await setAddress(ADDRESS, true)
    expect(await grafana.signIn(alice)).toEqual({
      id: await site.subOf(3),
      login: 'alice',
      email: ADDRESS,
    })
  })

  test.each([
    ['an address that is not confirmed', ADDRESS],
    ['no address', ''],
  ])('gets none, and refuses, for %s', async (_, email) => {
    await setAddress(email, false)
    expect(await grafana.signIn(alice)).toEqual({ refused: 'Error getting email address' })
  })
})

describe('Cloudflare Access', () => {
  const at = accessTeamSite('team')
  let access: CloudflareAccess
  beforeEach(async () => {
    const preset = presetClient('cloudflare-access', at)
    const registered = await register(site, { name: 'access', ...preset })
    access = new CloudflareAccess('cloudflare-access', at, registered)
  })

  test('signs alice in with the address that she has confirmed', async () => {
    await setAddress(ADDRESS, true)
    expect(await access.signIn(alice)).toEqual({ email: ADDRESS })
  })

  test.each([
    ['an address that is not confirmed', ADDRESS],
    ['no address', ''],
  ])('gets none, and refuses, for %s', async (_, email) => {
    await setAddress(email, false)
    expect(await access.signIn(alice)).toEqual({
      refused: 'Failed to fetch user/group information',
    })
  })
})
