import { describe, expect, test } from 'vitest'
import { accessTeamSite, presetClient, presetSettings } from '../../src/openid/presets.ts'

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
      scopes: '["openid","profile"]',
      username_field: 'preferred_username',
    })
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
      'Email claim',
    ])
  })
})
