/** The identity providers of the setting `sso_login_platform`, in OpenList's spelling and order. */
export const SSO_PLATFORMS = [
  'Casdoor',
  'Github',
  'Microsoft',
  'Google',
  'Dingtalk',
  'OIDC',
] as const

export type SsoPlatform = (typeof SSO_PLATFORMS)[number]

export function isSsoPlatform(text: string): text is SsoPlatform {
  return SSO_PLATFORMS.some((platform) => platform === text)
}

/** The issuers of platforms whose ids of users an import knows from OpenList. */
export const DINGTALK_ISSUER = 'https://login.dingtalk.com'
export const GITHUB_ISSUER = 'https://github.com/login/oauth'
export const GOOGLE_ISSUER = 'https://accounts.google.com'
