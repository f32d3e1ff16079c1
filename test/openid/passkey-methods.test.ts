import { beforeEach, describe, expect, test } from 'vitest'
import { settings } from '../../schema/tables.ts'
import {
  answerIn,
  claimsIn,
  codeFor,
  exchangeCode,
  type Registered,
  register,
  requestPath,
} from '../support/openid.ts'
import { PasskeySite } from '../support/passkey-user.ts'
import { signInAlice } from '../support/signed-in.ts'
import { refreshTo, Visitor } from '../support/visitor.ts'

let site: PasskeySite
let client: Registered
let password: string

beforeEach(async () => {
  site = new PasskeySite()
  password = await signInAlice(site)
  await site.switchOn()
  client = await register(site, { name: 'files' })
})

async function amrOf(token: string): Promise<unknown> {
  const visitor = new Visitor(site)
  visitor.cookies.set('session', token)
  const { id_token: idToken } = await exchangeCode(site, client, await codeFor(visitor, client))
  return claimsIn(idToken)['amr']
}

/** RFC 8176 section 2, and WebAuthn's backup eligibility. */
describe('amr', () => {
  test.each([
    ['hwk after a passkey that never leaves its device', false, 'hwk'],
    ['swk after a passkey that can be copied', true, 'swk'],
  ])('says %s', async (_, isSynced, method) => {
    const passkey = await site.passkeyOf(password, { isSynced })
    // The passkey that a session has made counts as shown in it.
    expect(await amrOf(password)).toEqual(['pwd', method, 'mfa'])
    const { token } = (await site.signInWith(passkey)).data
    expect(await amrOf(token)).toEqual([method, 'mfa'])
    const { data } = await site.get('/api/me/sessions', { token })
    expect(JSON.stringify(data)).toContain('"passkey"')
    expect(JSON.stringify(data)).not.toContain('hwk')
  })

  test('says only the passkey that was shown again', async () => {
    const passkey = await site.passkeyOf(password)
    const alice = new Visitor(site)
    alice.cookies.set('session', password)
    const path = requestPath(client, { prompt: 'login' })
    const { html } = await alice.get(path)
    const [, options = ''] = /data-passkey="([^"]*)"/.exec(html) ?? []
    const [, session = ''] = /name="passkey_session" value="([^"]*)"/.exec(html) ?? []
    const answer = await passkey.get(JSON.parse(options.replaceAll('&quot;', '"')))
    const done = await alice.post('/oauth/authorize/confirm', {
      request: path.split('?')[1] ?? '',
      user: '3',
      passkey_answer: JSON.stringify(answer),
      passkey_session: session,
    })
    const to = refreshTo(done.headers)
    const { code = '' } = answerIn((await alice.get(to)).location)
    const { id_token: idToken } = await exchangeCode(site, client, code)
    expect(claimsIn(idToken)['amr']).toEqual(['hwk', 'mfa'])
  })

  test('is never that of a password alone where the site requires the passkey', async () => {
    const passkey = await site.passkeyOf(password)
    await site.db.insert(settings).values({ key: 'require_second_factor', value: 'everybody' })
    const { token } = (await site.signInWith(passkey)).data
    const alice = new Visitor(site)
    alice.cookies.set('session', token)
    const request = requestPath(client, { prompt: 'login' }).split('?')[1] ?? ''
    const fields = { request, user: '3', confirm_password: 'alice-Passw0rd' }
    const { status, html, headers } = await alice.post('/oauth/authorize/confirm', fields)
    expect(status).toBe(403)
    expect(html).toContain('This site requires a second factor. Confirm with your passkey')
    expect(headers.get('Refresh')).toBeNull()
  })
})
