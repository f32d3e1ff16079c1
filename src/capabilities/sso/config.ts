import * as v from 'valibot'
import type { Deps } from '../../core/deps.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { isSsoPlatform, SSO_PLATFORMS, type SsoPlatform } from '../../core/base/sso-platforms.ts'
import { readGroupMap } from '../../core/accounts/group-lists.ts'
import type { SettingKey } from '../settings/defaults.ts'
import { openSetting } from '../settings/secret.ts'
import { selectSettings, withAllDefaults } from '../settings/store.ts'

/** The settings of single sign-on (docs/single-sign-on.md). */
export interface SsoConfig {
  platform: SsoPlatform
  clientId: string
  /** Empty for a public client. */
  clientSecret: string
  /** `sso_endpoint_name`; only OIDC and Casdoor have one. */
  endpoint: string
  extraScopes: string
  usernameClaim: string
  /** The claim with the groups of a user; empty when none is read. */
  groupsClaim: string
  /** The groups here, by values of that claim. */
  groupMap: ReadonlyMap<string, string>
  trustsMfa: boolean
  isCompatible: boolean
  /**
   * The fields of an account that is created for an unknown user; `undefined` when none is. An
   * empty base path stands for that of `usualFolder`.
   */
  newAccount: { basePath: string; permission: number } | undefined
}

const KEYS = [
  'sso_login_enabled',
  'sso_login_platform',
  'sso_client_id',
  'sso_client_secret',
  'sso_endpoint_name',
  'sso_extra_scopes',
  'sso_oidc_username_key',
  'sso_trust_mfa',
  'sso_compatibility_mode',
  'sso_auto_register',
  'sso_default_dir',
  'sso_default_permission',
  'sso_groups_claim',
  'sso_group_map',
] as const satisfies SettingKey[]

/**
 * Reads the settings of single sign-on from D1.
 *
 * @throws {Refusal} `ssoOff`; `ssoPlatformInvalid` when the platform, its client or its address is
 *   missing.
 */
export async function readSsoConfig(deps: Pick<Deps, 'db' | 'keyRing'>): Promise<SsoConfig> {
  const values = await readValues(deps)
  if (values.sso_login_enabled !== 'true') throw new Refusal('ssoOff')
  return configOf(deps, values)
}

/**
 * Reads the settings also while single sign-on is off, for operators.
 *
 * @throws {Refusal} `ssoPlatformInvalid`, as `readSsoConfig`.
 */
export async function readStoredSsoConfig(deps: Pick<Deps, 'db' | 'keyRing'>): Promise<SsoConfig> {
  return configOf(deps, await readValues(deps))
}

async function readValues({ db }: Pick<Deps, 'db'>): Promise<Record<SettingKey, string>> {
  return withAllDefaults(await selectSettings(db, [...KEYS]))
}

export const providerSchema = v.object({
  platform: v.picklist(SSO_PLATFORMS),
  clientId: v.string(),
  endpoint: v.string(),
})

/** Names a provider, and this site's client there. */
export type ProviderId = v.InferOutput<typeof providerSchema>

export function providerIdOf({ platform, clientId, endpoint }: SsoConfig): ProviderId {
  return { platform, clientId, endpoint }
}

/** Tells whether single sign-on is on, with this provider and client. */
export async function isInUse(deps: Pick<Deps, 'db'>, provider: ProviderId): Promise<boolean> {
  const values = await readValues(deps)
  return (
    values.sso_login_enabled === 'true' &&
    values.sso_login_platform === provider.platform &&
    values.sso_client_id === provider.clientId &&
    values.sso_endpoint_name === provider.endpoint
  )
}

async function configOf(
  deps: Pick<Deps, 'keyRing'>,
  values: Record<SettingKey, string>,
): Promise<SsoConfig> {
  const {
    sso_login_platform: platform,
    sso_client_id: clientId,
    sso_endpoint_name: endpoint,
  } = values
  if (!isSsoPlatform(platform)) throw new Refusal('ssoPlatformInvalid')
  if (clientId === '') throw invalid('sso_client_id is empty')
  if (endpoint === '' && (platform === 'OIDC' || platform === 'Casdoor'))
    throw invalid('sso_endpoint_name is empty')
  return {
    platform,
    clientId,
    clientSecret: await openSecret(deps, values.sso_client_secret),
    endpoint,
    extraScopes: values.sso_extra_scopes,
    usernameClaim: values.sso_oidc_username_key,
    groupsClaim: values.sso_groups_claim,
    groupMap: readGroupMap(values.sso_group_map) ?? new Map(),
    trustsMfa: values.sso_trust_mfa === 'true',
    isCompatible: values.sso_compatibility_mode === 'true',
    newAccount:
      values.sso_auto_register === 'true'
        ? { basePath: values.sso_default_dir, permission: Number(values.sso_default_permission) }
        : undefined,
  }
}

async function openSecret(deps: Pick<Deps, 'keyRing'>, sealed: string): Promise<string> {
  if (sealed === '') return ''
  const ring = await deps.keyRing()
  return openSetting(ring, 'sso_client_secret', sealed).catch((error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error)
    throw new Refusal('internal', { detail: `${detail}: set sso_client_secret again` })
  })
}

function invalid(detail: string): Refusal {
  return new Refusal('ssoPlatformInvalid', { detail })
}
