import { someAppPasswords, someKeys } from '../../web/kit/texts/counted.ts'
import type { SettingKey } from './defaults.ts'
import { SETTINGS } from './definitions.ts'
import type { ColumnName } from './tables.ts'
import type { SettingPage, SettingPart } from './pages/admin/setting-pages.ts'

const pages: Record<SettingPage, string> = {
  site: 'Site',
  accounts: 'Accounts',
  style: 'Appearance',
  files: 'File list',
  preview: 'Previews',
  sso: 'Single sign-on',
}

const parts: Record<SettingPart, string> = {
  general: 'General',
  engines: 'Search engines',
  signIn: 'Sign-in',
  registration: 'Registration',
  robots: 'Protection against bots',
  face: 'Logo and colour',
  fileList: 'In the file list',
  sftp: 'SFTP',
  list: 'Lists of files',
  moreOfList: 'Hidden files, search and more',
  viewers: 'Viewers',
  media: 'Music and videos',
  provider: 'Identity provider',
  newAccounts: 'New accounts',
  more: 'More',
}

const columns: Record<ColumnName, string> = {
  types: 'File types',
  viewer: 'Viewer',
  address: 'Address',
  character: 'Character',
  shown: 'Shown as',
  claimValue: 'Value of the claim',
  group: 'Group here',
}

const labels: Record<SettingKey, string> = {
  version: 'Version',
  site_title: 'Title',
  announcement: 'Announcement',
  pagination_type: 'Long lists',
  default_page_size: 'Files per page',
  allow_indexed: 'Allow indexing',
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
  auto_update_index: 'Automatic index updates',
  sso_login_enabled: 'Single sign-on',
  sso_login_platform: 'Provider',
  sso_name: 'Name on the button',
  sso_client_id: 'Client ID',
  sso_client_secret: 'Client secret',
  sso_endpoint_name: 'Address of the provider',
  sso_extra_scopes: 'Further scopes',
  sso_oidc_username_key: 'Claim with the user name',
  sso_trust_mfa: 'Trust the second factor of the provider',
  sso_auto_register: 'Create accounts',
  sso_default_dir: 'Base folder of created accounts',
  sso_default_permission: 'Permissions of created accounts',
  sso_groups_claim: 'Claim with the groups',
  sso_group_map: 'Groups of its values',
  sso_compatibility_mode: 'Compatibility mode',
  security_contact: 'Security contact',
  webauthn_login_enabled: 'Passkeys in the file list',
  require_second_factor: 'Require a second factor from',
  passkey_related_origins: 'Passkeys on other sites',
  sftp_address: 'SFTP server',
  event_retention_days: 'Days to keep events',
  setup_checklist: 'Checklist for a new site',
  max_devices: 'Sessions at once',
  device_evict_policy: 'When a user has too many sessions',
  allow_register: 'Open registration',
  register_approval: 'Needs approval',
  register_permission: 'Permissions of registered users',
  register_base_path: 'Base folder of registered users',
  register_days: 'Days until a registered account ends',
  register_groups: 'Groups of registered users',
  register_reserved_names: 'Reserved names',
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

const NEW_FOLDER =
  '{username} becomes the user name. Left empty, it is /homes/{username} with a file server behind the site, and / (all files) without one.'

/** Hints on pages, in place of the help, below a label that says the rest. */
const onPages: Partial<Record<SettingKey, string>> = {
  site_title: 'Shown in browsers and in authenticator apps.',
  announcement: 'Shown to each visitor once. Markdown works.',
  allow_indexed: 'Lets search engines list the site.',
  allow_mounted: 'Shows visitors how to mount the site as a drive.',
  robots_txt: 'What /robots.txt tells search engines.',
  logo: 'Address of a picture. On a second line: the one for dark pages.',
  home_icon: 'Emoji before the path of the root folder.',
  external_previews: 'By file type. $e_url becomes the address of the file.',
  iframe_previews: 'By file type. $e_url becomes the address of the file.',
  audio_cover: 'Address of a picture, for music that has none.',
  hide_files: 'Regular expressions, one per line. Lists leave out the paths that match.',
  package_download: 'Lets visitors download whole folders.',
  ocr_api: 'Address of a service that recognises text in pictures.',
  filename_char_mapping: 'What is shown in place of a character in file names.',
  forward_direct_link_params: 'Keeps what follows “?” when a direct link leads elsewhere.',
  search_index: 'The one that your file server uses. “None” hides the search.',
  auto_update_index: 'Tells web clients that the file server does this.',
  require_second_factor: 'They must sign in with a code or a passkey.',
  passkey_related_origins: 'Other sites of yours where the same passkeys work, one per line.',
  max_devices: 'For each user. 0 means any number.',
  allow_register: 'Lets anybody create an account on this site.',
  register_approval: 'Nobody signs in to a new account before an administrator approves it.',
  register_days: '0 means no end.',
  register_base_path: NEW_FOLDER,
  sso_default_dir: NEW_FOLDER,
  register_groups: 'Names of groups, separated by commas.',
  register_reserved_names: 'Separated by commas.',
  turnstile_site_key: 'From Cloudflare Turnstile. With both keys, it checks who registers.',
  turnstile_secret: 'It is not shown again. Leave it empty to keep the stored one.',
  sso_name:
    '“Sign in with …” on the pages of the account, such as Example Company. OpenList’s own sign-in page shows only the mark of the provider.',
  sso_client_secret: 'It is not shown again. Leave it empty to keep the stored one.',
  sso_endpoint_name: 'The issuer, such as https://accounts.example.org.',
  sso_extra_scopes: 'Beside openid and profile, separated by spaces.',
  sso_groups_claim: 'A claim of the ID token, such as groups. Leave it empty to read none.',
  sso_group_map:
    'At each sign-in, a user is put into these groups or taken out of them, as the claim says. Other groups stay.',
  sso_oidc_username_key: 'It names a new account. Such as preferred_username.',
}

/** The help of the definitions, which the command line and the stock client show too. */
const help: Record<string, string> = {
  ...Object.fromEntries(SETTINGS.map((setting) => [setting.key, setting.help])),
  ...onPages,
}

export const settingsEn = {
  adminSettings: {
    title: 'Site settings',
    pages,
    parts,
    ofFileList: 'For the web client of the file server. The pages of the account do not use these.',
    default: 'Reset to default',
    defaultIs: (value: string) => `Default: ${value}`,
    defaultIsEmpty: 'Default: empty',
    reset: 'Reset',
    resetOf: (label: string) => `Reset: ${label}`,
    save: 'Save',
    example: 'Example',
    columns,
    sampleLink: 'A link',
    logoElsewhere:
      'The pages of the account contact no other site: they show their usual logo in place of this one.',
    iconElsewhere: 'This page contacts no other site, so it can’t show the icon.',
    emptyRows: ' Empty rows are left out.',
    addRow: 'Add a row',
    removeRow: 'Remove',
    asText: 'Edit as text',
    asTable: 'Edit as a table',
    asJson: ' Written as JSON.',
    /** What stops where the second factor is required from administrators, and from everybody. */
    madeWithPassword: (ofAdmins: string, ofAll: string) =>
      `${ofAdmins === ofAll ? 'Requiring it' : `${ofAdmins === '' ? '' : `“Administrators” stops ${ofAdmins}. `}“Everybody”`} stops ${ofAll}. They were made with a password alone, and work again once their owners confirm them on the page Security.`,
    credentials: (appPasswords: number, keys: number) =>
      [appPasswords > 0 && someAppPasswords(appPasswords), keys > 0 && someKeys(keys)]
        .filter(Boolean)
        .join(', '),
  },
  settings: {
    labels,
    choices,
    help,
  },
}

type Own = typeof settingsEn

declare module '../../web/kit/texts.ts' {
  interface Texts extends Own {}
}
