import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { openidClients } from '../../schema/tables.ts'
import {
  accessTeamSite,
  pastedSettings,
  presetClient,
  presetSettings,
} from '../../src/capabilities/openid/presets.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import { register } from '../support/openid.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'
import { problemAt, textOf, Visitor } from '../support/visitor.ts'

const registration = {
  issuer: 'https://account.example.org',
  clientId: 'id',
  secret: 'secret',
  site: 'https://it.example.org',
}

/** The names and addresses are those of the documents that `presetSettings` names. */
describe('the settings of a program', () => {
  test('name the site of SFTPGo, without its redirect path', () => {
    expect(presetClient('sftpgo', registration.site).redirectUris).toEqual([
      'https://it.example.org/web/oidc/redirect',
    ])
    expect(Object.fromEntries(presetSettings('sftpgo', registration))).toEqual({
      config_url: 'https://account.example.org',
      client_id: 'id',
      client_secret: 'secret',
      redirect_base_url: 'https://it.example.org',
      scopes: ['openid', 'profile'],
      username_field: 'preferred_username',
    })
  })

  test('are the member of sftpgo.json', () => {
    const settings = presetSettings('sftpgo', registration)
    const pasted = pastedSettings('sftpgo', settings)
    expect(JSON.parse(`{${pasted}}`)).toEqual({ oidc: Object.fromEntries(settings) })
  })

  test('are lines of an env file for Grafana, in quotes where a shell needs them', () => {
    const site = 'https://it.example.org/$a&b'
    const pasted = pastedSettings('grafana', presetSettings('grafana', { ...registration, site }))
    expect(pasted.split('\n')).toEqual([
      String.raw`GF_SERVER_ROOT_URL="https://it.example.org/\$a&b/"`,
      'GF_AUTH_GENERIC_OAUTH_ENABLED=true',
      'GF_AUTH_GENERIC_OAUTH_NAME=Latchkey',
      'GF_AUTH_GENERIC_OAUTH_CLIENT_ID=id',
      'GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET=secret',
      'GF_AUTH_GENERIC_OAUTH_SCOPES="openid profile email groups"',
      'GF_AUTH_GENERIC_OAUTH_AUTH_URL=https://account.example.org/oauth/authorize',
      'GF_AUTH_GENERIC_OAUTH_TOKEN_URL=https://account.example.org/oauth/token',
      'GF_AUTH_GENERIC_OAUTH_API_URL=https://account.example.org/oauth/userinfo',
      'GF_AUTH_GENERIC_OAUTH_USE_PKCE=true',
      'GF_AUTH_GENERIC_OAUTH_LOGIN_ATTRIBUTE_PATH=preferred_username',
      `GF_AUTH_GENERIC_OAUTH_ROLE_ATTRIBUTE_PATH="contains(groups[*], 'admin') && 'Admin' || 'Viewer'"`,
    ])
  })

  test('name the address from which Grafana makes its redirect address', () => {
    expect(presetClient('grafana', registration.site).redirectUris).toEqual([
      'https://it.example.org/login/generic_oauth',
    ])
    expect(Object.fromEntries(presetSettings('grafana', registration))).toMatchObject({
      GF_SERVER_ROOT_URL: 'https://it.example.org/',
      GF_AUTH_GENERIC_OAUTH_API_URL: 'https://account.example.org/oauth/userinfo',
    })
  })

  test('are the fields of the form of Cloudflare Access', () => {
    expect(presetClient('cloudflare-access', accessTeamSite('team')).redirectUris).toEqual([
      'https://team.cloudflareaccess.com/cdn-cgi/access/callback',
    ])
    expect(presetSettings('cloudflare-access', registration).map(([name]) => name)).toEqual([
      'Client ID',
      'Client secret',
      'Auth URL',
      'Token URL',
      'Certificate URL',
      'Proof Key for Code Exchange (PKCE)',
    ])
  })
})

describe('the page of registered programs', () => {
  test('gives a file of settings to copy as a whole, and says where it goes', async () => {
    const site = new CheapSite()
    await site.addFirstUsers()
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const add = (preset: string) =>
      visitor.post('/account/admin/programs/add', {
        name: preset,
        preset,
        site: 'https://it.example.org',
        redirect_uris: '',
        post_logout_uris: '',
      })
    const { html } = await add('sftpgo')
    const pasted = textOf(/<textarea[^>]*>(.*?)<\/textarea>/s.exec(html)?.[1] ?? '')
    const { oidc } = JSON.parse(`{${pasted}}`)
    rememberSecret(oidc.client_secret)
    expect(oidc).toMatchObject({ config_url: 'http://localhost', scopes: ['openid', 'profile'] })
    expect(html.match(/data-copy=/g)).toHaveLength(1)
    expect(textOf(html)).toContain('It is a member of httpd.bindings[] in sftpgo.json.')
    const openlist = await add('openlist')
    expect(openlist.html.match(/data-copy=/g)).toHaveLength(8)
    expect(textOf(openlist.html)).toContain('For another Latchkey, enter it only if')
  })

  test('puts the e-mail address into the ID token for Cloudflare Access, and where the operator says so', async () => {
    const site = new CheapSite()
    await site.addFirstUsers()
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const add = async (name: string, preset: string, fields = {}) => {
      const its = preset === 'other' ? { redirect_uris: 'https://it.example.org/cb' } : {}
      const given = { name, preset, site: 'https://it.example.org', ...its, ...fields }
      const { status, html } = await visitor.post('/account/admin/programs/add', given)
      expect(status).toBe(200)
      for (const [secret] of html.matchAll(/lks_[\w-]+/g)) rememberSecret(secret)
    }
    await add('access', 'cloudflare-access')
    await add('files', 'openlist')
    await add('graphs', 'grafana')
    await add('wiki', 'other')
    await add('reader', 'other', { email_in_id_token: 'on' })
    const { name, emailInIdToken } = openidClients
    const having = site.db.select({ name }).from(openidClients).where(eq(emailInIdToken, true))
    const rows = await having.orderBy(name)
    expect(rows).toEqual([{ name: 'access' }, { name: 'reader' }])
    const { html } = await visitor.get('/account/admin/programs')
    expect(textOf(html).split('E-mail address in the ID token')).toHaveLength(3)
  })

  test.each([
    ['en', 'There can be at most 20 addresses.'],
    ['zh', '最多 20 个地址。'],
  ])('says in %s how many addresses a program may have', async (language, sentence) => {
    const site = new CheapSite()
    await site.addFirstUsers()
    const visitor = new Visitor(site, { 'Accept-Language': language })
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const { html } = await visitor.post('/account/admin/programs/add', {
      name: 'wiki',
      preset: 'other',
      redirect_uris: 'https://wiki.example.org/callback',
      post_logout_uris: Array.from({ length: 21 }, (_, i) => `https://it.example.org/${i}`).join(
        ' ',
      ),
    })
    expect(problemAt(html, 'new-post_logout_uris')).toBe(sentence)
  })

  test('shows whom a program asks and lets in', async () => {
    const site = new CheapSite()
    await site.addFirstUsers()
    await register(site, { name: 'own', adminsOnly: true })
    const visitor = new Visitor(site)
    await visitor.signIn('admin', ADMIN_PASSWORD)
    const [row = ''] =
      /<ul class="rows">.*?<\/ul>/s.exec((await visitor.get('/account/admin/programs')).html) ?? []
    expect(textOf(row)).toContain('Belongs to this site: no consent asked')
    expect(textOf(row)).toContain('Administrators only')
  })
})
