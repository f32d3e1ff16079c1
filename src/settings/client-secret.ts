import { isSsoPlatform } from '../base/sso-platforms.ts'
import type { Database } from '../deps.ts'
import type { SettingKey } from './defaults.ts'
import type { WantedSettings } from './operator-store.ts'
import { selectSettings, withAllDefaults } from './store.ts'

/**
 * Deletes the client secret with a change that would send it to another host, unless the change
 * brings the secret for that host. A secret is never shown again, so no admin may learn it in this
 * way; and a mistake must not tell one provider the secret of another. It stays when only the path
 * of the issuer changes, such as the tenant.
 *
 * The command line is not asked: whoever runs it has the key of the secret, and it sets one setting
 * at a time.
 */
export async function withoutForeignSecret(
  db: Database,
  wanted: WantedSettings,
): Promise<WantedSettings> {
  const { sso_login_platform: platform, sso_endpoint_name: endpoint } = wanted
  const isElsewhere = platform !== undefined || endpoint !== undefined
  if (!isElsewhere || wanted.sso_client_secret !== undefined) return wanted
  const before = withAllDefaults(
    await selectSettings(db, ['sso_login_platform', 'sso_endpoint_name']),
  )
  const after = {
    sso_login_platform: platform === undefined ? before.sso_login_platform : (platform ?? ''),
    sso_endpoint_name: endpoint === undefined ? before.sso_endpoint_name : (endpoint ?? ''),
  }
  const place = placeOf(before)
  const isKept = place === undefined || place === placeOf(after)
  return isKept ? wanted : { ...wanted, sso_client_secret: null }
}

/** Returns where the client secret goes; `undefined` while that is not set. */
function placeOf({
  sso_login_platform: platform,
  sso_endpoint_name: endpoint,
}: Pick<Record<SettingKey, string>, 'sso_login_platform' | 'sso_endpoint_name'>) {
  if (!isSsoPlatform(platform)) return undefined
  if (platform !== 'OIDC' && platform !== 'Casdoor') return platform
  return URL.canParse(endpoint) ? new URL(endpoint).origin : undefined
}
