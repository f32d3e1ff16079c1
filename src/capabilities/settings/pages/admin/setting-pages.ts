import type { SettingKey } from '../../defaults.ts'

type Part = readonly [name: string, keys: readonly SettingKey[]]

/**
 * The pages of settings with their parts. The groups of the stock client know no accounts, and one
 * of them has eighteen settings.
 */
const SETTING_PAGES = {
  site: [
    [
      'general',
      [
        'site_title',
        'announcement',
        'security_contact',
        'event_retention_days',
        'setup_checklist',
        'version',
      ],
    ],
    ['engines', ['allow_indexed', 'robots_txt']],
  ],
  accounts: [
    [
      'signIn',
      [
        'require_second_factor',
        'webauthn_login_enabled',
        'passkey_related_origins',
        'max_devices',
        'device_evict_policy',
      ],
    ],
    [
      'registration',
      [
        'allow_register',
        'register_approval',
        'register_days',
        'register_base_path',
        'register_permission',
        'register_groups',
        'register_reserved_names',
      ],
    ],
    ['robots', ['turnstile_site_key', 'turnstile_secret']],
  ],
  style: [
    ['face', ['logo', 'favicon', 'main_color']],
    ['fileList', ['home_icon', 'home_container', 'settings_layout']],
  ],
  files: [
    ['list', ['pagination_type', 'default_page_size', 'hide_files', 'filename_char_mapping']],
    ['access', ['sftp_address', 'allow_mounted', 'package_download', 'forward_direct_link_params']],
    ['search', ['search_index', 'auto_update_index', 'ocr_api']],
  ],
  preview: [
    ['viewers', ['external_previews', 'iframe_previews']],
    ['media', ['audio_cover', 'audio_autoplay', 'video_autoplay']],
  ],
  sso: [
    [
      'provider',
      [
        'sso_login_enabled',
        'sso_login_platform',
        'sso_name',
        'sso_endpoint_name',
        'sso_client_id',
        'sso_client_secret',
        'sso_extra_scopes',
        'sso_trust_mfa',
        'sso_compatibility_mode',
      ],
    ],
    [
      'newAccounts',
      ['sso_auto_register', 'sso_oidc_username_key', 'sso_default_dir', 'sso_default_permission'],
    ],
    ['groups', ['sso_groups_claim', 'sso_group_map']],
  ],
} as const satisfies Record<string, readonly Part[]>

export type SettingPage = keyof typeof SETTING_PAGES

/** The names of all parts. */
export type SettingPart = (typeof SETTING_PAGES)[SettingPage][number][0]

export const PAGE_NAMES = Object.keys(SETTING_PAGES).filter(isSettingPage)

export function isSettingPage(name: string): name is SettingPage {
  return Object.hasOwn(SETTING_PAGES, name)
}

/** Returns the parts of a page. */
export function partsOf(
  page: SettingPage,
): readonly (readonly [name: SettingPart, keys: readonly SettingKey[]])[] {
  return SETTING_PAGES[page]
}

/** Returns the settings of a page. */
export function keysOf(page: SettingPage): SettingKey[] {
  return partsOf(page).flatMap(([, keys]) => keys)
}
