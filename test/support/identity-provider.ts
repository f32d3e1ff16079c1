import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { rememberSecret } from './log.ts'
import { CLIENT_ID, CLIENT_SECRET } from './sso-client.ts'
import type { Visitor } from './visitor.ts'

export const ISSUER = 'https://idp.example.org'

/** A user of an identity provider. */
export interface Person {
  sub: string
  name?: string
  tid?: string
  [claim: string]: unknown
}

/** The faults of a provider. */
export interface Mischief {
  /** Claims of the ID token that replace the right ones; `undefined` leaves one out. */
  claims?: Record<string, unknown>
  /** Signs with a key that the provider does not publish. */
  isForged?: boolean
  /** The header says `alg: none`, and there is no signature. */
  isUnsigned?: boolean
  /** Takes a code again. */
  keepsCodes?: boolean
  /** Answers to the path instead of the right one. */
  answers?: Record<string, () => Response | Promise<Response>>
}

const makeKeys = () => generateKeyPair('RS256', { extractable: true })
const keys = await makeKeys()

/** The parts of a request that a provider looks at. */
interface Asked {
  url: URL
  form: URLSearchParams
  headers: Headers
  json: () => Record<string, string>
}

/** Identity providers of all platforms, in place of the network. */
export class FakeProviders {
  mischief: Mischief = {}
  /** Every request, as `POST https://…`. */
  readonly asked: string[] = []
  /** The site is a client without a secret. */
  isPublic = false
  /** Seconds since 1970. */
  now: () => number
  /** The key that signs, and is published. */
  #signing = { kid: 'k', pair: keys }
  /** The sign-ins, by their codes. */
  readonly #codes = new Map<
    string,
    { person: Person; nonce: string; challenge: string; redirectUri: string }
  >()

  constructor(now: () => number) {
    this.now = now
  }

  /** In place of `Deps.fetch`. */
  readonly fetch = async (address: string, init: RequestInit): Promise<Response> => {
    const url = new URL(address)
    const body = await textOfBody(init.body)
    this.asked.push(`${init.method ?? 'GET'} ${url.origin}${url.pathname}`)
    const wrong = this.mischief.answers?.[url.pathname]
    if (wrong !== undefined) return wrong()
    const asked = {
      url,
      form: new URLSearchParams(body),
      headers: new Headers(init.headers),
      json: (): Record<string, string> => JSON.parse(body),
    }
    return this.#answer(asked)
  }

  /**
   * Signs a person in at the provider.
   *
   * @param location Where the site has sent the browser.
   * @returns The path with which the browser comes back.
   */
  signIn(location: string, person: Person, parameters: Record<string, string> = {}): string {
    const { searchParams } = new URL(location)
    const code = crypto.randomUUID()
    rememberSecret(code)
    this.#codes.set(code, {
      person,
      nonce: searchParams.get('nonce') ?? '',
      challenge: searchParams.get('code_challenge') ?? '',
      redirectUri: searchParams.get('redirect_uri') ?? '',
    })
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    back.searchParams.set('state', searchParams.get('state') ?? '')
    back.searchParams.set(location.includes('dingtalk') ? 'authCode' : 'code', code)
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
    return `${back.pathname}${back.search}`
  }

  /** Signs with another key from now on. @param kid Some providers give it the name of the old one. */
  async changeKey(kid: string): Promise<void> {
    this.#signing = { kid, pair: await makeKeys() }
  }

  async #answer({ url, form, headers, json }: Asked): Promise<Response> {
    const { host, pathname } = url
    const isUserAgent = headers.get('User-Agent') === 'Latchkey'
    if (!isUserAgent) return new Response('who are you', { status: 403 })
    if (host === 'api.dingtalk.com') return this.#dingtalk(pathname, headers, json)
    if (pathname.endsWith('/.well-known/openid-configuration'))
      return Response.json(metadataOf(url.origin))
    if (pathname.endsWith('/keys')) {
      const { kid, pair } = this.#signing
      const jwk = await exportJWK(pair.publicKey)
      return Response.json({ keys: [{ ...jwk, kid, alg: 'RS256', use: 'sig' }] })
    }
    if (host === 'api.github.com') {
      const [, code = ''] = /^Bearer gho_(.*)$/i.exec(headers.get('Authorization') ?? '') ?? []
      const person = this.#codes.get(code)?.person
      if (person === undefined) return new Response('{}', { status: 401 })
      return Response.json({ id: Number(person.sub), login: person.name })
    }
    return this.#token(url, form, headers)
  }

  async #token(url: URL, form: URLSearchParams, headers: Headers): Promise<Response> {
    const code = form.get('code') ?? ''
    const begun = this.#codes.get(code)
    const isClient =
      (this.isPublic && form.get('client_id') === CLIENT_ID) ||
      (form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET) ||
      headers.get('Authorization') ===
        `Basic ${btoa(`${CLIENT_ID.replace('-', '%2D')}:${CLIENT_SECRET.replaceAll('-', '%2D')}`)}`
    const verifier = new TextEncoder().encode(form.get('code_verifier') ?? '')
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', verifier))
    const challenge = btoa(String.fromCharCode(...digest))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
    // GitHub answers errors with the status 200.
    const isGithub = url.host === 'github.com'
    if (!isClient)
      return isGithub
        ? Response.json({ error: 'incorrect_client_credentials' })
        : Response.json({ error: 'invalid_client' }, { status: 401 })
    if (!isGithub && form.get('redirect_uri') === null)
      return Response.json({ error: 'invalid_request' }, { status: 400 })
    const isRight =
      begun !== undefined &&
      begun.challenge === challenge &&
      begun.redirectUri === form.get('redirect_uri')
    if (!isRight)
      return isGithub
        ? Response.json({ error: 'bad_verification_code' })
        : Response.json({ error: 'invalid_grant' }, { status: 400 })
    if (isGithub)
      return Response.json({
        access_token: `gho_${code}`,
        token_type: 'bearer',
        scope: 'read:user',
      })
    if (this.mischief.keepsCodes !== true) this.#codes.delete(code)
    const idToken = await this.#idToken(url, begun.person, begun.nonce)
    return Response.json({ access_token: 'at', token_type: 'Bearer', id_token: idToken })
  }

  async #idToken(url: URL, person: Person, nonce: string): Promise<string> {
    const { claims = {}, isForged = false, isUnsigned = false } = this.mischief
    const { tid = '' } = person
    const iss = url.host.startsWith('login.microsoft') ? `${url.origin}/${tid}/v2.0` : url.origin
    const payload: Record<string, unknown> = {
      iss,
      aud: CLIENT_ID,
      iat: this.now(),
      exp: this.now() + 300,
      nonce,
      ...person,
      ...claims,
    }
    if (isUnsigned) {
      return `${part({ alg: 'none' })}.${part(payload)}.`
    }
    const { privateKey } = isForged ? await makeKeys() : this.#signing.pair
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: this.#signing.kid })
      .sign(privateKey)
  }

  #dingtalk(path: string, headers: Headers, json: () => Record<string, string>): Response {
    if (path === '/v1.0/oauth2/accessToken') {
      const { appKey, appSecret } = json()
      if (appKey === CLIENT_ID && appSecret === CLIENT_SECRET)
        return Response.json({ accessToken: 'ding-app', expireIn: 7200 })
      return Response.json({ code: 'invalidClientIdOrSecret', message: 'x' }, { status: 400 })
    }
    if (path === '/v1.0/oauth2/userAccessToken') {
      const { clientId, clientSecret, code = '', grantType } = json()
      const isRight =
        clientId === CLIENT_ID &&
        clientSecret === CLIENT_SECRET &&
        grantType === 'authorization_code' &&
        this.#codes.has(code)
      if (!isRight) return Response.json({ code: 'invalid' }, { status: 400 })
      return Response.json({ accessToken: `ding-${code}`, expireIn: 7200 })
    }
    const code = (headers.get('x-acs-dingtalk-access-token') ?? '').replace('ding-', '')
    const person = this.#codes.get(code)?.person
    if (person === undefined) return new Response('{}', { status: 401 })
    return Response.json({ unionId: person.sub, nick: person.name, openId: 'other' })
  }
}

/** A part of a JWT. */
function part(json: object): string {
  return btoa(JSON.stringify(json)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Reads the body of a request that the site sends. Of a form, `text()` of workerd warns. */
export async function textOfBody(body: RequestInit['body']): Promise<string> {
  return new TextDecoder().decode(await new Response(body).arrayBuffer())
}

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'none'],
  }
}

/** Goes to the provider with a button, signs in there and comes back. */
export async function passProvider(
  providers: FakeProviders,
  visitor: Visitor,
  path: string,
  person: Person,
) {
  const { location } = await visitor.get(path, BROWSER)
  return visitor.get(providers.signIn(location ?? '', person), BROWSER)
}

/** The headers with which browsers open a page. */
export const BROWSER = { Accept: 'text/html,application/xhtml+xml' }
