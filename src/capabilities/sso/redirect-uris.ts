/**
 * Returns the redirect URIs to register at the provider.
 *
 * @param site Any address of the site.
 */
export function redirectUrisOf(site: string, isCompatible: boolean): string[] {
  const paths = isCompatible
    ? ['sso_get_token', 'get_sso_id']
    : ['sso_callback?method=sso_get_token', 'sso_callback?method=get_sso_id']
  return paths.map((path) => new URL(`/api/auth/${path}`, site).href)
}
