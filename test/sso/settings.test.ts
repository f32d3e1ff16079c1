import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents } from '../../schema/tables.ts'
import { ISSUER } from '../support/identity-provider.ts'
import { CLIENT_SECRET } from '../support/sso-client.ts'
import { loggedLines } from '../support/log.ts'
import { dbWithPause } from '../support/paused-db.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { SsoSite } from '../support/sso-site.ts'
import { alertIn, problemAt, textOf, Visitor } from '../support/visitor.ts'
import { checkProvider } from '../../src/capabilities/sso/check.ts'

const PATH = '/account/admin/settings/sso'

let site: SsoSite
let token: string

beforeEach(async () => {
  site = new SsoSite()
  await site.addFirstUsers()
  token = await site.token('admin', ADMIN_PASSWORD)
})

const save = (items: Record<string, string>) =>
  site.post(
    '/api/admin/setting/save',
    Object.entries(items).map(([key, value]) => ({ key, value })),
    { token },
  )

describe('the client secret', () => {
  test('is sealed at rest, and never shown or logged', async () => {
    expect(await save({ sso_client_secret: CLIENT_SECRET })).toMatchObject({ code: 200 })
    const { sso_client_secret: sealed = '' } = await site.stored()
    expect(sealed).toMatch(/^[\w-]+\.[\w-]+$/)
    expect(sealed).not.toContain(CLIENT_SECRET)
    const { data } = await site.get('/api/admin/setting/list', { token })
    expect(data.find(({ key }: { key: string }) => key === 'sso_client_secret')).toMatchObject({
      value: '',
      group: 7,
      flag: 1,
    })
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const page = await visitor.get(PATH)
    expect(page.html).not.toContain(CLIENT_SECRET)
    expect(page.html).not.toContain(sealed)
    expect(page.html).toMatch(/<input id="sso_client_secret"[^>]* type="password" value=""/)
    expect(JSON.stringify(await site.db.select().from(auditEvents))).not.toContain(CLIENT_SECRET)
    expect(loggedLines(CLIENT_SECRET)).toEqual([])
    expect(await (await site.fetch('GET', '/api/public/settings')).text()).not.toContain('client')
  })

  test('stays when the stock client saves the whole page, and goes with a reset', async () => {
    await save({ sso_client_secret: CLIENT_SECRET })
    const { sso_client_secret: before } = await site.stored()
    const { data: all } = await site.get('/api/admin/setting/list?group=7', { token })
    expect(await site.post('/api/admin/setting/save', all, { token })).toMatchObject({ code: 200 })
    expect((await site.stored())['sso_client_secret']).toBe(before)
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    await visitor.post(PATH, { reset: 'sso_client_secret' })
    expect(await site.stored()).not.toHaveProperty('sso_client_secret')
  })

  test('is set in a fresh session only', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    site.now += HOUR
    expect(await save({ sso_client_secret: CLIENT_SECRET })).toMatchObject({ code: 403 })
    const asked = await visitor.post(PATH, { sso_client_secret: CLIENT_SECRET })
    expect(problemAt(asked.html, 'settings-confirm_password')).toBe(
      'Confirm your identity to continue.',
    )
    expect(await site.stored()).not.toHaveProperty('sso_client_secret')
    const fields = { sso_client_secret: CLIENT_SECRET, confirm_password: ADMIN_PASSWORD }
    expect((await visitor.post(PATH, fields)).location).toBe(`${PATH}?done=settings-saved`)
    expect(await site.stored()).toHaveProperty('sso_client_secret')
  })
})

const SECRET_DROPPED =
  'The settings were saved. The client secret was that of the old provider, so it was deleted. Enter the one of the new provider.'

describe('the settings of single sign-on', () => {
  /** Another value of each. With any of them a thief could keep a way in, or learn the secret. */
  const others = {
    sso_login_platform: 'Casdoor',
    sso_name: 'Another Company',
    sso_client_id: 'other',
    sso_endpoint_name: 'https://thief.example.org',
    sso_extra_scopes: 'email',
    sso_oidc_username_key: 'email',
    sso_trust_mfa: 'true',
    sso_groups_claim: 'groups',
    sso_auto_register: 'true',
    sso_default_permission: '65535',
    sso_compatibility_mode: 'true',
  }

  test('are all changed in a fresh session only', async () => {
    await site.setUp()
    const { data: all } = await site.get('/api/admin/setting/list?group=7', { token })
    const keys = all.map(({ key }: { key: string }) => key)
    // To turn it off, or to give a folder in the present one, takes access away:
    // `guarded-changes.test.ts` tries both ways, and a map of groups, which must be there.
    const beside = ['sso_client_secret', 'sso_default_dir', 'sso_group_map', 'sso_login_enabled']
    expect(Object.keys(others).concat(beside).toSorted()).toEqual(keys.toSorted())
    const before = await site.stored()
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    site.now += HOUR
    for (const [key, value] of Object.entries(others)) {
      expect(await save({ [key]: value, site_title: 'x' }), key).toEqual({
        code: 403,
        message: 'Sign in again or confirm to do this',
        data: null,
      })
      expect((await visitor.post(PATH, { [key]: value })).status, key).toBe(403)
    }
    for (const reset of Object.keys(before).filter((key) => key !== 'sso_login_enabled'))
      expect((await visitor.post(PATH, { reset })).status, reset).toBe(403)
    expect(await site.stored()).toEqual(before)
    // A client may send everything back as it was, with a change of another group.
    const same = all.filter(({ key }: { key: string }) => key !== 'sso_client_secret')
    const items = [...same, { key: 'site_title', value: 'x' }]
    expect(await site.post('/api/admin/setting/save', items, { token })).toMatchObject({
      code: 200,
    })
    expect(await site.stored()).toEqual({ ...before, site_title: 'x' })
    const fields = { ...others, confirm_password: ADMIN_PASSWORD }
    expect((await visitor.post(PATH, fields)).status).toBe(303)
    expect(await site.stored()).toMatchObject({ sso_default_permission: '65535' })
  })

  test('give the secret of one provider to no other', async () => {
    const kept: Record<string, string>[] = [
      { sso_endpoint_name: `${ISSUER}/other/tenant` },
      { sso_login_platform: 'Casdoor' },
      { sso_client_id: 'other' },
      { sso_login_platform: 'OIDC', sso_endpoint_name: ISSUER, sso_client_secret: '' },
    ]
    const dropped: Record<string, string>[] = [
      { sso_endpoint_name: 'https://thief.example.org' },
      { sso_endpoint_name: `${ISSUER}:444` },
      { sso_endpoint_name: '' },
      { sso_login_platform: 'Github' },
      { sso_login_platform: '' },
    ]
    for (const [isKept, changes] of [[true, kept] as const, [false, dropped] as const])
      for (const change of changes) {
        await site.setUp()
        expect(await save(change)).toMatchObject({ code: 200 })
        expect('sso_client_secret' in (await site.stored()), JSON.stringify(change)).toBe(isKept)
      }
    const events = await site.db.select().from(auditEvents)
    expect(events.at(-1)).toMatchObject({ detail: 'sso_login_platform, sso_client_secret' })
    await site.setUp({ sso_login_platform: '' })
    expect(await save({ sso_login_platform: 'Google' })).toMatchObject({ code: 200 })
    expect(await site.stored()).toHaveProperty('sso_client_secret')
    const moved = { sso_login_platform: 'Github', sso_client_secret: 'that of Github' }
    expect(await save(moved)).toMatchObject({ code: 200 })
    expect(await site.stored()).toHaveProperty('sso_client_secret')
    // The command line has the key of the secret, and sets one setting at a time.
    await site.setUp()
    await site.setUp({ sso_client_secret: '', sso_endpoint_name: 'https://new.example.org' })
    expect(await site.stored()).toHaveProperty('sso_client_secret')
  })

  test('give it to no other either while another admin changes the provider', async () => {
    const thief = { sso_endpoint_name: 'https://thief.example.org' }
    await site.setUp({ ...thief, sso_client_secret: 'that of the thief' })
    const slow = new SsoSite({ db: dbWithPause(() => site.setUp()) })
    const items = Object.entries(thief).map(([key, value]) => ({ key, value }))
    expect(await slow.post('/api/admin/setting/save', items, { token })).toMatchObject({
      code: 200,
    })
    expect(await site.stored()).toMatchObject(thief)
    expect(await site.stored()).not.toHaveProperty('sso_client_secret')
  })

  test('say on the page that the secret was deleted', async () => {
    await site.setUp()
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const { location } = await visitor.post(PATH, { sso_login_platform: 'Github' })
    expect(textOf((await visitor.get(location ?? '')).html)).toContain(SECRET_DROPPED)
    await site.setUp()
    const reset = await visitor.post(PATH, { reset: 'sso_endpoint_name' })
    expect(textOf(reset.html)).toContain(SECRET_DROPPED)
  })
})

test('settings that weaken sign-ins or name the place for passwords need a fresh session too', async () => {
  site.now += HOUR
  const guarded = {
    require_second_factor: 'everybody',
    passkey_related_origins: 'https://thief.example.org',
    sftp_address: 'thief.example.org',
  }
  for (const [key, value] of Object.entries(guarded))
    expect(await save({ [key]: value }), key).toMatchObject({ code: 403 })
  expect(await save({ site_title: 'x', announcement: 'y', logo: '/x.svg' })).toMatchObject({
    code: 200,
  })
  expect(await site.stored()).toEqual({ site_title: 'x', announcement: 'y', logo: '/x.svg' })
})

test('settings with wrong values are refused', async () => {
  const wrong = {
    sso_endpoint_name: [
      'accounts.example.org',
      'http://example.org',
      'https://a.b/?x',
      'https://u:p@a.b',
    ],
    sso_default_dir: ['home', '/../x'],
    sso_default_permission: ['-1', '65536', '1.5', ''],
    sso_extra_scopes: ['a"b', 'ä'],
    sso_oidc_username_key: ['', 'a b', '__proto__ x'],
    sso_auto_register: ['yes'],
  }
  for (const [key, values] of Object.entries(wrong)) {
    for (const value of values)
      expect(await save({ [key]: value }), `${key} ${value}`).toMatchObject({ code: 400 })
  }
  const right = {
    sso_endpoint_name: 'http://127.0.0.1:8080/realms/a',
    sso_default_permission: '65535',
  }
  expect(await save(right)).toMatchObject({ code: 200 })
})

describe('the page for operators', () => {
  test('shows the redirect URIs of the mode, and asks the provider', async () => {
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const incomplete = await visitor.post(`${PATH}/check`)
    expect(alertIn(incomplete.html)).toBe(
      'Single sign-on is not set up completely. An administrator can finish it in the site settings.',
    )
    await site.setUp()
    const page = textOf((await visitor.get(PATH)).html)
    expect(page).toContain('http://localhost/api/auth/sso_callback?method=sso_get_token')
    expect(page).toContain('http://localhost/api/auth/sso_callback?method=get_sso_id')
    const good = textOf((await visitor.post(`${PATH}/check`)).html)
    expect(good).toContain(
      'The provider answers, and accepts client ID and client secret. Users are sent to idp.example.org.',
    )
    await site.setUp({ sso_client_secret: 'another' })
    const wrong = textOf((await visitor.post(`${PATH}/check`)).html)
    expect(wrong).toContain('The provider does not accept the client ID or the client secret.')
    await site.setUp({
      sso_compatibility_mode: 'true',
      sso_endpoint_name: 'https://other.example.org/x',
    })
    expect(textOf((await visitor.get(PATH)).html)).toContain('http://localhost/api/auth/get_sso_id')
    const bad = textOf((await visitor.post(`${PATH}/check`)).html)
    expect(bad).toContain('The provider does not answer as an OpenID provider')
  })

  test('asks nothing for users who are no admins', async () => {
    await site.addUser('alice', { password: 'alice-Passw0rd' })
    await site.setUp()
    const visitor = new Visitor(site)
    await visitor.signIn('alice', 'alice-Passw0rd')
    expect((await visitor.post(`${PATH}/check`)).status).toBe(403)
    expect(site.providers.asked).toEqual([])
  })
})

describe('a check of the provider', () => {
  const platforms: Record<string, { host: string; asked: string[] }> = {
    OIDC: {
      host: 'idp.example.org',
      asked: [
        'GET https://idp.example.org/.well-known/openid-configuration',
        'POST https://idp.example.org/token',
        'POST https://idp.example.org/token',
      ],
    },
    Casdoor: {
      host: 'idp.example.org',
      asked: [
        'GET https://idp.example.org/.well-known/openid-configuration',
        'POST https://idp.example.org/token',
        'POST https://idp.example.org/token',
      ],
    },
    Google: {
      host: 'accounts.google.com',
      asked: [
        'GET https://accounts.google.com/.well-known/openid-configuration',
        'POST https://accounts.google.com/token',
        'POST https://accounts.google.com/token',
      ],
    },
    Microsoft: {
      host: 'login.microsoftonline.com',
      asked: Array(2).fill('POST https://login.microsoftonline.com/common/oauth2/v2.0/token'),
    },
    Github: {
      host: 'github.com',
      asked: Array(2).fill('POST https://github.com/login/oauth/access_token'),
    },
    Dingtalk: {
      host: 'login.dingtalk.com',
      asked: ['POST https://api.dingtalk.com/v1.0/oauth2/accessToken'],
    },
  }

  test.each(Object.entries(platforms))(
    'tells with %s whether client ID and client secret are right',
    async (platform, { host, asked }) => {
      await site.setUp({ sso_login_platform: platform, sso_login_enabled: 'false' })
      expect(await checkProvider(site.deps)).toEqual({ platform, host, isClientAccepted: true })
      expect(site.providers.asked).toEqual(asked)
      for (const wrong of [{ sso_client_id: 'other' }, { sso_client_secret: 'other' }]) {
        await site.setUp({ sso_login_platform: platform, ...wrong })
        expect(await checkProvider(site.deps)).toEqual({ platform, problem: 'client' })
      }
    },
  )

  test.each([
    ['OIDC', '/token'],
    ['Github', '/login/oauth/access_token'],
    ['Dingtalk', '/v1.0/oauth2/accessToken'],
  ])('says so when %s does not tell', async (platform, path) => {
    await site.setUp({ sso_login_platform: platform })
    for (const answer of [
      () => new Response('<html>', { status: 502 }),
      () => Response.json({ error: 'invalid_request', code: 'Forbidden' }, { status: 403 }),
      // It looks at the code first, whatever the client.
      () => Response.json({ error: 'invalid_grant', code: 'Other' }, { status: 400 }),
    ]) {
      site.providers.mischief = { answers: { [path]: answer } }
      expect(await checkProvider(site.deps)).toMatchObject({ isClientAccepted: false })
    }
    site.providers.mischief = { answers: { [path]: () => Promise.reject(new Error('down')) } }
    expect(await checkProvider(site.deps)).toEqual({ platform, problem: 'no answer' })
  })

  test('tells whether a client without a secret is known', async () => {
    await site.setUp({ sso_client_secret: '' })
    site.providers.isPublic = true
    expect(await checkProvider(site.deps)).toMatchObject({ isClientAccepted: true })
    await site.setUp({ sso_client_secret: '', sso_client_id: 'other' })
    expect(await checkProvider(site.deps)).toEqual({ platform: 'OIDC', problem: 'client' })
  })

  test('does not take what was read before for an answer', async () => {
    await site.setUp()
    await new Visitor(site).get('/api/auth/sso?method=sso_get_token')
    site.providers.mischief = {
      answers: { '/.well-known/openid-configuration': () => Promise.reject(new Error('down')) },
    }
    expect(await checkProvider(site.deps)).toEqual({ platform: 'OIDC', problem: 'no answer' })
  })
})
