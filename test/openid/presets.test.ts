import { describe, expect, test } from 'vitest'
import {
  accessTeamSite,
  pastedSettings,
  presetClient,
  presetSettings,
} from '../../src/openid/presets.ts'

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
      'GF_AUTH_GENERIC_OAUTH_SCOPES="openid profile groups"',
      'GF_AUTH_GENERIC_OAUTH_AUTH_URL=https://account.example.org/oauth/authorize',
      'GF_AUTH_GENERIC_OAUTH_TOKEN_URL=https://account.example.org/oauth/token',
      'GF_AUTH_GENERIC_OAUTH_API_URL=https://account.example.org/oauth/userinfo',
      'GF_AUTH_GENERIC_OAUTH_USE_PKCE=true',
      'GF_AUTH_GENERIC_OAUTH_LOGIN_ATTRIBUTE_PATH=preferred_username',
      'GF_AUTH_GENERIC_OAUTH_EMAIL_ATTRIBUTE_PATH=preferred_username',
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
      'Email claim',
    ])
  })
})
