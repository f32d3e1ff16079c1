import { readFileSync, writeFileSync } from 'node:fs'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Clone } from '../support/clone.ts'
import { freePort } from '../support/free-port.ts'
import { findProgram } from './programs.ts'
import { HttpsProxy } from './proxies.ts'

const ADMIN_PASSWORD = 'admin-Passw0rd'
const CALLBACK = 'https://wiki.example.org/callback'
const DISCOVERY = '/.well-known/openid-configuration'

const PROXIES = [
  { name: 'nginx', program: findProgram('NGINX_BIN', 'nginx') },
  { name: 'caddy', program: findProgram('CADDY_BIN', 'caddy') },
] as const

let clone: Clone
let port: string
let wiki: { client_id: string; client_secret: string }
let proxy: HttpsProxy | undefined

beforeAll(async () => {
  clone = new Clone()
  port = await freePort()
  await serve()
})
afterAll(() => clone.remove())
afterEach(async () => {
  await proxy?.stop()
  proxy = undefined
})

async function serve(): Promise<void> {
  const args = ['--behind-proxy', 'X-Forwarded-For']
  await clone.start({ PORT: port, ADMIN_PASSWORD }, { args }).until('serves')
}

/** Registers a program that was told this issuer. */
async function addProgram(name: string, issuer: string): Promise<void> {
  const add = ['--json', 'client', 'add', name, '--redirect', CALLBACK, '--first-party']
  wiki = JSON.parse((await clone.latchkey([...add, '--issuer', issuer])).stdout)
}

/** Signs in through the proxy with a browser's headers, and exchanges the code there. */
async function signIn(through: HttpsProxy): Promise<{ iss: unknown; claims: unknown }> {
  const form = { username: 'admin', password: ADMIN_PASSWORD }
  const { headers } = await through.request('POST', '/account/sign-in', {
    form,
    headers: { Origin: through.url },
  })
  const [cookie = ''] = (headers['set-cookie'] ?? []).map((line) => line.split(';')[0] ?? '')
  const query = new URLSearchParams({
    client_id: wiki.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile',
  })
  const path = `/oauth/authorize?${query.toString()}`
  const asked = await through.request('GET', path, { headers: { Cookie: cookie } })
  const { searchParams } = new URL(asked.headers.location ?? '', through.url)
  const exchange = {
    grant_type: 'authorization_code',
    code: searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    client_id: wiki.client_id,
    client_secret: wiki.client_secret,
  }
  const { text } = await through.request('POST', '/oauth/token', { form: exchange })
  const { id_token: idToken = '' }: Record<string, string> = JSON.parse(text)
  return { iss: searchParams.get('iss'), claims: decodeJwt(idToken) }
}

describe.each(PROXIES)(
  'behind $name, with the lines of docs/self-hosting.md',
  ({ name, program }) => {
    test.skipIf(program === undefined)(
      'the issuer is the https address that people use',
      async () => {
        proxy = await HttpsProxy.start({ name, program: program ?? '' }, port)
        await addProgram(`wiki ${name}`, proxy.url)
        const { text } = await proxy.request('GET', DISCOVERY)
        expect(JSON.parse(text)).toMatchObject({
          issuer: proxy.url,
          authorization_endpoint: `${proxy.url}/oauth/authorize`,
        })
        const { iss, claims } = await signIn(proxy)
        expect(iss).toBe(proxy.url)
        expect(claims).toMatchObject({ iss: proxy.url, name: 'admin' })
      },
    )
  },
)

const [{ program: nginx }] = PROXIES

test.skipIf(nginx === undefined)(
  'with ISSUER in wrangler.toml, the issuer is that address',
  async () => {
    await clone.stop()
    const file = clone.path('wrangler.toml')
    const set = 'https://account.example.org'
    writeFileSync(file, readFileSync(file, 'utf8').replace('ISSUER = ""', `ISSUER = "${set}"`))
    await serve()
    proxy = await HttpsProxy.start({ name: 'nginx', program: nginx ?? '' }, port)
    await addProgram('wiki', set)
    const { text } = await proxy.request('GET', DISCOVERY)
    expect(JSON.parse(text)).toMatchObject({ issuer: set, jwks_uri: `${set}/oauth/jwks` })
    const { iss, claims } = await signIn(proxy)
    expect(iss).toBe(set)
    expect(claims).toMatchObject({ iss: set })
  },
)
