/** The version of Latchkey, which clients show; a test compares it with package.json. */
export const VERSION = '1.0.0'

/** The public settings with their defaults; every value is a text (docs/interface.md, Values). */
export const DEFAULT_SETTINGS = {
  allow_indexed: 'false',
  allow_mounted: 'true',
  announcement: '',
  audio_autoplay: 'true',
  audio_cover: '/logo.svg',
  auto_update_index: 'false',
  default_page_size: '30',
  external_previews: '{}',
  favicon: '/logo.svg',
  filename_char_mapping: '{"/": "|"}',
  forward_direct_link_params: 'false',
  hide_files: '/\\/README.md/i',
  home_container: 'max_980px',
  home_icon: '🏠',
  iframe_previews: JSON.stringify(
    {
      'doc,docx,xls,xlsx,ppt,pptx': {
        Microsoft: 'https://view.officeapps.live.com/op/view.aspx?src=$e_url',
        Google: 'https://docs.google.com/gview?url=$e_url&embedded=true',
      },
      // The stock client brings this page with it. It shows PDF without any viewer.
      epub: { 'EPUB.js': '/static/epub.js/viewer.html?url=$e_url' },
    },
    undefined,
    2,
  ),
  logo: '/logo.svg',
  main_color: '#1890ff',
  ocr_api: '',
  package_download: 'true',
  pagination_type: 'all',
  robots_txt: 'User-agent: *\nAllow: /',
  search_index: 'none',
  settings_layout: 'list',
  site_title: 'Latchkey',
  sso_login_enabled: 'false',
  sso_login_platform: '',
  version: VERSION,
  video_autoplay: 'true',
}

/**
 * Capabilities that the stock client looks for in the public settings. Each is among them only
 * while it is `true`.
 */
const CAPABILITY_SETTINGS = {
  allow_register: 'false',
  sso_compatibility_mode: 'false',
  webauthn_login_enabled: 'false',
}

/** Settings that only this service reads; they are not among the public settings. */
const OPERATOR_SETTINGS = {
  sso_name: '',
  sso_client_id: '',
  sso_client_secret: '',
  sso_oidc_username_key: 'name',
  sso_endpoint_name: '',
  sso_extra_scopes: '',
  sso_auto_register: 'false',
  sso_default_dir: '',
  sso_default_permission: '0',
  sso_groups_claim: '',
  sso_group_map: '',
  sso_trust_mfa: 'false',
  security_contact: '',
  require_second_factor: 'off',
  passkey_related_origins: '',
  sftp_address: '',
  event_retention_days: '90',
  setup_checklist: 'true',
  max_devices: '0',
  device_evict_policy: 'evict_oldest',
  register_approval: 'false',
  register_permission: '0',
  register_base_path: '',
  register_days: '0',
  register_groups: '',
  register_reserved_names: '',
  turnstile_site_key: '',
  turnstile_secret: '',
}

export const ALL_DEFAULTS = { ...DEFAULT_SETTINGS, ...CAPABILITY_SETTINGS, ...OPERATOR_SETTINGS }

type CapabilityKey = keyof typeof CAPABILITY_SETTINGS

/** The values of the public settings, by key. */
export type Settings = Record<keyof typeof DEFAULT_SETTINGS, string> &
  Partial<Record<CapabilityKey, string>>
/** The key of any setting, public or not. */
export type SettingKey = keyof typeof ALL_DEFAULTS

/** The keys of the settings that are always public. */
export const SETTING_KEYS = Object.keys(DEFAULT_SETTINGS).filter(isSpecifiedKey)

/** The keys of the settings that are public while they are `true`. */
export const CAPABILITY_KEYS = Object.keys(CAPABILITY_SETTINGS).filter(isCapabilityKey)

export function isPublicKey(key: string): key is keyof Settings {
  return isSpecifiedKey(key) || isCapabilityKey(key)
}

export function isCapabilityKey(key: string): key is CapabilityKey {
  return Object.hasOwn(CAPABILITY_SETTINGS, key)
}

function isSpecifiedKey(key: string): key is keyof typeof DEFAULT_SETTINGS {
  return Object.hasOwn(DEFAULT_SETTINGS, key)
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(ALL_DEFAULTS, key)
}
