import { addClient, type NewClient } from '../../src/capabilities/openid/clients.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { type CheapSite } from './cheap-site.ts'
import { rememberSecret } from './log.ts'
import { prepared } from './prepared.ts'
import { Visitor } from './visitor.ts'

export const ISSUER = 'http://localhost'
export const CALLBACK = 'https://files.example.org/api/auth/sso_callback?method=sso_get_token'
export const AFTER_LOGOUT = 'https://files.example.org/'
export const PASSWORD = 'alice-Passw0rd'

/** A program as it is registered. */
export interface Registered {
  clientId: string
  secret: string
}

/** The tokens, or the error, that the token endpoint answers. */
export interface TokenAnswer {
  status: number
  headers: Headers
  access_token: string
  refresh_token?: string
  id_token: string
  expires_in: number
  scope: string
  token_type: string
  error?: string
}

/** Admin, guest and alice (id 3), and a first-party client. The signing key is made once a file. */
export const withClient = prepared(async (site: CheapSite): Promise<Registered> => {
  await site.addFirstUsers()
  await site.addUser('alice', { password: PASSWORD })
  return register(site, { name: 'files' })
})

export async function register(
  site: CheapSite,
  given: Partial<NewClient> & { name: string },
): Promise<Registered> {
  const client = {
    redirectUris: [CALLBACK],
    postLogoutUris: [AFTER_LOGOUT],
    firstParty: true,
    adminsOnly: false,
    ...given,
  }
  const { clientId, secret = '' } = await addClient(site.deps, COMMAND_LINE, client)
  rememberSecret(secret)
  return { clientId, secret }
}

/** The path of an authorization request, as OpenList sends it. */
export function requestPath(
  { clientId }: Pick<Registered, 'clientId'>,
  changes: Record<string, string | undefined> = {},
): string {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'openid profile',
    state: 'af0ifjsldkj',
    ...changes,
  }
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return `/oauth/authorize?${new URLSearchParams(given).toString()}`
}

/** Somebody at a browser who is signed in as alice. */
export async function signedIn(site: CheapSite, name = 'alice', password = PASSWORD) {
  const visitor = new Visitor(site)
  await visitor.signIn(name, password)
  return visitor
}

const arrangeClientAndAlice = prepared(async (site: CheapSite) => {
  const client = await withClient(site)
  return { client, cookies: (await signedIn(site)).cookies }
})

/** Fills empty storage with a client and alice, who is signed in at a browser. */
export async function withClientAndAlice(
  site: CheapSite,
): Promise<{ client: Registered; alice: Visitor }> {
  const { client, cookies } = await arrangeClientAndAlice(site)
  const alice = new Visitor(site)
  for (const [name, value] of cookies) alice.cookies.set(name, value)
  return { client, alice }
}

/** The parameters of the answer that a browser takes to the client; empty when it goes elsewhere. */
export function answerIn(location: string | null): Record<string, string> {
  if (location === null || !location.startsWith('https://')) return {}
  const { searchParams } = new URL(location)
  searchParams.delete('method')
  rememberSecret(searchParams.get('code') ?? undefined)
  return Object.fromEntries(searchParams)
}

/** Gets a code for a user who need not be asked. */
export async function codeFor(
  visitor: Visitor,
  client: Registered,
  changes: Record<string, string | undefined> = {},
): Promise<string> {
  const { location, status } = await visitor.get(requestPath(client, changes))
  const { code } = answerIn(location)
  if (code === undefined) throw new Error(`no code: ${status} ${location}`)
  return code
}

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

export function basic({ clientId, secret }: Registered): Record<string, string> {
  return { Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` }
}

/** Calls the token endpoint with HTTP Basic, as golang.org/x/oauth2 does first. */
export async function askToken(
  site: CheapSite,
  client: Registered,
  form: Record<string, string>,
): Promise<TokenAnswer> {
  const response = await site.fetch('POST', '/oauth/token', {
    body: new URLSearchParams(form).toString(),
    headers: { ...FORM, ...basic(client) },
  })
  const answer: TokenAnswer = await response.json()
  for (const secret of [answer.access_token, answer.refresh_token, answer.id_token])
    rememberSecret(secret)
  return { ...answer, status: response.status, headers: response.headers }
}

export function exchangeCode(
  site: CheapSite,
  client: Registered,
  code: string,
  more: Record<string, string> = {},
): Promise<TokenAnswer> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more }
  return askToken(site, client, form)
}

export function refreshWith(site: CheapSite, client: Registered, token = ''): Promise<TokenAnswer> {
  return askToken(site, client, { grant_type: 'refresh_token', refresh_token: token })
}

/** The claims of an ID token, without any check. */
export function claimsIn(idToken: string): Record<string, unknown> {
  const [, payload = ''] = idToken.split('.')
  const bytes = Uint8Array.from(
    atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
    (character) => character.charCodeAt(0),
  )
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** The HTTP status of `/oauth/userinfo`, and the name in it. */
export async function userInfo(site: CheapSite, token: string) {
  const response = await site.fetch('GET', '/oauth/userinfo', { token: `Bearer ${token}` })
  const body: Record<string, unknown> =
    response.status === 200 ? await response.json() : { error: await response.text() }
  return { status: response.status, headers: response.headers, body }
}
