import { isSsoPlatform } from '../../core/base/sso-platforms.ts'
import type { Database } from '../../core/deps.ts'
import type { WantedSettings } from './operator-store.ts'
import { selectSettings } from './store.ts'

/** A change of settings, after the decision on the client secret. */
interface DecidedChange {
  wanted: WantedSettings
  /**
   * The stored settings on which the secret may be kept: the write must delete it when others are
   * stored by then. `undefined` when the decision depends on nothing stored.
   */
  basis?: WantedSettings
}

export const NO_SECRET = { sso_client_secret: null } satisfies WantedSettings

const PLACE_KEYS = ['sso_login_platform', 'sso_endpoint_name'] as const

/**
 * Deletes the client secret with a change that would send it to another host, unless the change
 * brings the secret for that host. A secret is never shown again, so no admin may learn it in this
 * way; and a mistake must not tell one provider the secret of another. It stays when only the path
 * of the issuer changes, such as the tenant.
 *
 * The command line does not ask this: an operator who runs it has the key of the secret, and it
 * sets one setting at a time.
 */
export async function withoutForeignSecret(
  db: Database,
  wanted: WantedSettings,
): Promise<DecidedChange> {
  const isElsewhere = PLACE_KEYS.some((key) => wanted[key] !== undefined)
  if (!isElsewhere || wanted.sso_client_secret !== undefined) return { wanted }
  const stored = await selectSettings(db, [...PLACE_KEYS])
  const basis: WantedSettings = {}
  for (const key of PLACE_KEYS) basis[key] = stored.find((row) => row.key === key)?.value ?? null
  const place = secretReceiver(basis)
  const isKept = place === undefined || place === secretReceiver({ ...basis, ...wanted })
  return isKept ? { wanted, basis } : { wanted: { ...wanted, ...NO_SECRET } }
}

/** Returns where the client secret goes; `undefined` while that is not set. */
function secretReceiver({
  sso_login_platform: platform,
  sso_endpoint_name: endpoint,
}: WantedSettings): string | undefined {
  if (!platform || !isSsoPlatform(platform)) return undefined
  if (platform !== 'OIDC' && platform !== 'Casdoor') return platform
  return endpoint && URL.canParse(endpoint) ? new URL(endpoint).origin : undefined
}
