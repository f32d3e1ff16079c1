import type { SettingKey } from '../../defaults.ts'

type Part = readonly [name: string, keys: readonly SettingKey[]]

/**
 * The pages of settings with their parts: first what everybody sets. The groups of the stock client
 * know no accounts, and one of them has eighteen settings.
 */
const SETTING_PAGES = {
  site: [
    ['general', ['site_title', 'announcement', 'security_contact']],
    ['engines', ['allow_indexed', 'robots_txt']],
    ['more', ['event_retention_days', 'setup_checklist', 'version']],
  ],
  accounts: [
    ['signIn', ['require_second_factor', 'webauthn_login_enabled']],
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
    ['more', ['max_devices', 'device_evict_policy', 'passkey_related_origins']],
  ],
  style: [
    ['face', ['logo', 'favicon', 'main_color']],
    ['fileList', ['home_icon', 'home_container', 'settings_layout']],
  ],
  files: [
    ['sftp', ['sftp_address']],
    [
      'list',
      [
        'pagination_type',
        'default_page_size',
        'package_download',
        'allow_mounted',
        'filename_char_mapping',
      ],
    ],
    [
      'moreOfList',
      ['hide_files', 'search_index', 'auto_update_index', 'ocr_api', 'forward_direct_link_params'],
    ],
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
        'sso_endpoint_name',
        'sso_client_id',
        'sso_client_secret',
        'sso_name',
      ],
    ],
    ['newAccounts', ['sso_auto_register', 'sso_default_dir', 'sso_default_permission']],
    [
      'more',
      [
        'sso_oidc_username_key',
        'sso_extra_scopes',
        'sso_trust_mfa',
        'sso_groups_claim',
        'sso_group_map',
        'sso_compatibility_mode',
      ],
    ],
  ],
} as const satisfies Record<string, readonly Part[]>

/** The parts that few need: they open on a press. */
export const FOLDED: readonly SettingPart[] = [
  'engines',
  'robots',
  'more',
  'fileList',
  'moreOfList',
]

/** The parts that only the web client of the file server reads. */
export const OF_FILE_LIST: readonly SettingPart[] = [
  'fileList',
  'list',
  'moreOfList',
  'viewers',
  'media',
]

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
