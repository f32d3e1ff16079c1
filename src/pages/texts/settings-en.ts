import type { SettingKey } from '../../settings/defaults.ts'
import { SETTINGS } from '../../settings/definitions.ts'

const labels: Record<SettingKey, string> = {
  version: 'Version',
  site_title: 'Title',
  announcement: 'Announcement',
  pagination_type: 'Long lists',
  default_page_size: 'Files per page',
  allow_indexed: 'Search engines',
  allow_mounted: 'Mounting as a drive',
  robots_txt: 'robots.txt',
  logo: 'Logo',
  favicon: 'Tab icon',
  main_color: 'Colour',
  home_icon: 'Home icon',
  home_container: 'Page width',
  settings_layout: 'Settings layout',
  external_previews: 'Viewers in a new tab',
  iframe_previews: 'Viewers inside the page',
  audio_cover: 'Music cover',
  audio_autoplay: 'Music autoplay',
  video_autoplay: 'Video autoplay',
  hide_files: 'Hidden files',
  package_download: 'Download folders',
  ocr_api: 'Text recognition',
  filename_char_mapping: 'Characters in file names',
  forward_direct_link_params: 'Query of direct links',
  search_index: 'Search index',
  auto_update_index: 'Update the index automatically',
  sso_login_enabled: 'Single sign-on',
  sso_login_platform: 'Provider',
  sso_client_id: 'Client ID',
  sso_client_secret: 'Client secret',
  sso_endpoint_name: 'Address of the provider',
  sso_extra_scopes: 'Further scopes',
  sso_oidc_username_key: 'Claim with the user name',
  sso_trust_mfa: 'Trust the second factor of the provider',
  sso_auto_register: 'Create accounts',
  sso_default_dir: 'Base folder of created accounts',
  sso_default_permission: 'Permissions of created accounts',
  sso_compatibility_mode: 'Compatibility mode',
  security_contact: 'Security contact',
  webauthn_login_enabled: 'Passkeys in the file list',
  require_second_factor: 'Second factor required of',
  passkey_related_origins: 'Related sites for passkeys',
  sftp_address: 'SFTP server',
  event_retention_days: 'Days after which events are deleted',
  max_devices: 'Sessions at once',
  device_evict_policy: 'With one session too many',
  allow_register: 'Open registration',
  register_approval: 'Registrations need approval',
  register_permission: 'Permissions of registered users',
  register_base_path: 'Base folder of registered users',
  register_days: 'Days until a registered account ends',
  register_reserved_names: 'Names that nobody may choose',
  turnstile_site_key: 'Turnstile: site key',
  turnstile_secret: 'Turnstile: secret key',
}

/** Labels of the options of a select; a missing one shows the value itself. */
const choices: Partial<Record<SettingKey, Record<string, string>>> = {
  pagination_type: {
    all: 'All at once',
    pagination: 'In pages',
    load_more: 'Load more on a button',
    auto_load_more: 'Load more while scrolling',
  },
  home_container: { max_980px: 'At most 980 pixels', hope_container: 'Grows with the window' },
  settings_layout: { list: 'A list', responsive: 'Columns if there is room' },
  search_index: {
    database: 'Database',
    database_non_full_text: 'Database without full text',
    bleve: 'Bleve',
    meilisearch: 'Meilisearch',
    none: 'None',
  },
  sso_login_platform: {
    '': 'None',
    Github: 'GitHub',
    Dingtalk: 'DingTalk',
    OIDC: 'OpenID Connect',
  },
  require_second_factor: {
    off: 'Nobody',
    admins: 'Administrators',
    everybody: 'Everybody',
  },
  device_evict_policy: {
    evict_oldest: 'The oldest session ends',
    deny: 'The new sign-in is refused',
  },
}

/** The help of the definitions, which the command line and the stock client show too. */
const help: Record<string, string> = Object.fromEntries(
  SETTINGS.map((setting) => [setting.key, setting.help]),
)

export const settingsEn = {
  labels,
  choices,
  help,
}
