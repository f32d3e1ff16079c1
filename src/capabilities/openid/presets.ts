import type { NewClient } from './clients.ts'

/** The programs whose settings are known. */
export const PRESETS = ['openlist', 'sftpgo', 'grafana', 'cloudflare-access'] as const

export type Preset = (typeof PRESETS)[number]

/**
 * Returns what is known of a program: its addresses, and where it reads the e-mail address.
 *
 * @param site The origin of the program's site; for Cloudflare Access, that of the team.
 */
export function presetClient(
  preset: Preset,
  site: string,
): Pick<NewClient, 'redirectUris'> & { postLogoutUris: string[]; emailInIdToken: boolean } {
  const { redirects, postLogouts } = ADDRESSES[preset]
  const at = (path: string) => `${site}${path}`
  return {
    redirectUris: redirects.map(at),
    postLogoutUris: postLogouts.map(at),
    // It has no setting for the address of userinfo.
    emailInIdToken: preset === 'cloudflare-access',
  }
}

const ADDRESSES: Record<Preset, { redirects: string[]; postLogouts: string[] }> = {
  openlist: {
    redirects: [
      '/api/auth/sso_callback?method=sso_get_token',
      '/api/auth/sso_callback?method=get_sso_id',
      // Its compatibility mode.
      '/api/auth/sso_get_token',
      '/api/auth/get_sso_id',
    ],
    postLogouts: [],
  },
  // It ends the session itself, with the ID token and no address to go back to.
  sftpgo: { redirects: ['/web/oidc/redirect'], postLogouts: [] },
  grafana: { redirects: ['/login/generic_oauth'], postLogouts: ['/login'] },
  'cloudflare-access': { redirects: ['/cdn-cgi/access/callback'], postLogouts: [] },
}

/** The origin of a Cloudflare Access team. */
export function accessTeamSite(team: string): string {
  return `https://${team}.cloudflareaccess.com`
}

/** The data from which the settings of a program are made. */
interface Registration {
  /** Empty when it is not known; not allowed with a preset. */
  issuer: string
  clientId: string
  /** Empty for a public client. */
  secret: string
  /** The origin of the program's site; not needed without a preset. */
  site: string
}

/** A setting by the name that the program has for it. */
export type PresetSetting = [name: string, value: string | string[]]

/**
 * Returns what an operator writes into the settings of a program. The names are those of the
 * program.
 *
 * @see https://docs.sftpgo.com/2.6/oidc
 * @see https://grafana.com/docs/grafana/latest/setup-grafana/configure-access/configure-authentication/generic-oauth/
 * @see https://developers.cloudflare.com/cloudflare-one/integrations/identity-providers/generic-oidc/
 */
export function presetSettings(
  preset: Preset | undefined,
  { issuer, clientId, secret, site }: Registration,
): PresetSetting[] {
  switch (preset) {
    case 'openlist':
      return [
        ['sso_login_enabled', 'true'],
        ['sso_login_platform', 'OIDC'],
        ['sso_client_id', clientId],
        ['sso_client_secret', secret],
        ['sso_endpoint_name', issuer],
        ['sso_auto_register', 'true'],
        ['sso_default_permission', '0'],
      ]
    case 'sftpgo':
      return [
        ['config_url', issuer],
        ['client_id', clientId],
        ['client_secret', secret],
        ['redirect_base_url', site],
        ['scopes', ['openid', 'profile']],
        ['username_field', 'preferred_username'],
      ]
    case 'grafana':
      return [
        // Grafana makes its redirect address from this one.
        ['GF_SERVER_ROOT_URL', `${site}/`],
        ['GF_AUTH_GENERIC_OAUTH_ENABLED', 'true'],
        ['GF_AUTH_GENERIC_OAUTH_NAME', 'Latchkey'],
        ['GF_AUTH_GENERIC_OAUTH_CLIENT_ID', clientId],
        ['GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET', secret],
        ['GF_AUTH_GENERIC_OAUTH_SCOPES', 'openid profile email groups'],
        ['GF_AUTH_GENERIC_OAUTH_AUTH_URL', `${issuer}/oauth/authorize`],
        ['GF_AUTH_GENERIC_OAUTH_TOKEN_URL', `${issuer}/oauth/token`],
        ['GF_AUTH_GENERIC_OAUTH_API_URL', `${issuer}/oauth/userinfo`],
        ['GF_AUTH_GENERIC_OAUTH_USE_PKCE', 'true'],
        ['GF_AUTH_GENERIC_OAUTH_LOGIN_ATTRIBUTE_PATH', 'preferred_username'],
        [
          'GF_AUTH_GENERIC_OAUTH_ROLE_ATTRIBUTE_PATH',
          "contains(groups[*], 'admin') && 'Admin' || 'Viewer'",
        ],
      ]
    case 'cloudflare-access':
      return [
        ['Client ID', clientId],
        ['Client secret', secret],
        ['Auth URL', `${issuer}/oauth/authorize`],
        ['Token URL', `${issuer}/oauth/token`],
        ['Certificate URL', `${issuer}/oauth/jwks`],
        ['Proof Key for Code Exchange (PKCE)', 'on'],
      ]
    default:
      return [
        ...(issuer === '' ? [] : [['issuer', issuer] satisfies PresetSetting]),
        ['client_id', clientId],
        ...(secret === '' ? [] : [['client_secret', secret] satisfies PresetSetting]),
      ]
  }
}

/**
 * The files into which settings are pasted as a whole. The settings of the other programs go into
 * the fields of a form.
 */
export const PRESET_FILES: Partial<Record<Preset, string>> = {
  sftpgo: 'sftpgo.json',
  grafana: 'grafana.env',
}

/** Returns settings as text: a member of `sftpgo.json`, an env file, or one line for each field. */
export function pastedSettings(
  preset: Preset | undefined,
  settings: readonly PresetSetting[],
): string {
  if (preset === 'sftpgo') {
    const object = JSON.stringify({ oidc: Object.fromEntries(settings) }, undefined, 2)
    const lines = object.split('\n').slice(1, -1)
    return lines.map((line) => line.slice(2)).join('\n')
  }
  if (preset === 'grafana')
    return settings.map(([name, value]) => `${name}=${quoted(String(value))}`).join('\n')
  return settings.map(([name, value]) => `${name}: ${String(value)}`).join('\n')
}

/** Quotes a value for a shell and for an env file, where it needs quotes. */
function quoted(value: string): string {
  return /^[\w.:/@-]*$/.test(value) ? value : `"${value.replaceAll(/[\\"$`]/g, '\\$&')}"`
}
