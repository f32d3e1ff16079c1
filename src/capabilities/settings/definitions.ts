import { SSO_PLATFORMS } from '../../core/base/sso-platforms.ts'
import {
  aBoolean,
  aClaim,
  aColour,
  aContact,
  aLine,
  aName,
  aNameOrNone,
  aNewFolder,
  anAddress,
  anIssuer,
  anSftpAddress,
  aPageSize,
  aPermission,
  type Check,
  oneOf,
  someLogos,
  someOrigins,
  somePreviews,
  aClaimOrNone,
  aGroupMap,
  someGroups,
  someRegularExpressions,
  someRetentionDays,
  someSessions,
  someAccountDays,
  someReplacements,
  someScopes,
  someText,
} from './checks.ts'
import { ALL_DEFAULTS, isPublicKey, isSettingKey, type SettingKey } from './defaults.ts'

/** The stock client's numbers for its pages of settings. */
export const GROUP_NUMBERS = { site: 1, style: 2, preview: 3, global: 4, index: 6, sso: 7 } as const

type SettingGroup = keyof typeof GROUP_NUMBERS

export interface SettingDefinition {
  key: SettingKey
  group: SettingGroup
  /** The form field that the stock client shows. */
  type: 'string' | 'text' | 'number' | 'bool' | 'select'
  /** One sentence for operators. */
  help: string
  default: string
  /** The values of a `select`; empty for other types. */
  options: readonly string[]
  isReadOnly: boolean
  /** Whether it is sealed at rest and never shown. An empty value keeps the stored one. */
  isSecret: boolean
  /** Whether it is among the public settings. */
  isPublic: boolean
  check: Check
}

type Described = Pick<SettingDefinition, 'group' | 'help' | 'type' | 'check'> &
  Partial<Pick<SettingDefinition, 'options' | 'isReadOnly' | 'isSecret'>>

/** The QR code of two-step verification holds the title, so a longer one would be too large to draw. */
const MAX_TITLE_CHARACTERS = 64
const MAX_ICON_CHARACTERS = 64
const MAX_CLIENT_CHARACTERS = 512
/** It stands on a button. */
const MAX_PROVIDER_CHARACTERS = 32
const MAX_RESERVED_CHARACTERS = 2048
const MAX_TURNSTILE_CHARACTERS = 256

const select = (group: SettingGroup, options: string[], help: string): Described => ({
  group,
  type: 'select',
  options,
  check: oneOf(options),
  help,
})
const bool = (group: SettingGroup, help: string): Described => ({
  group,
  type: 'bool',
  check: aBoolean,
  help,
})
const line = (group: SettingGroup, check: Check, help: string): Described => ({
  group,
  type: 'string',
  check,
  help,
})
const text = (group: SettingGroup, check: Check, help: string): Described => ({
  group,
  type: 'text',
  check,
  help,
})

/**
 * Groups, types, options and order are those of OpenList (docs/interface.md); our own settings come
 * last.
 */
const described: Record<SettingKey, Described> = {
  version: { ...line('site', aLine(64), 'The version of this service.'), isReadOnly: true },
  site_title: line(
    'site',
    aName(MAX_TITLE_CHARACTERS),
    'Name of the site, shown in browsers and authenticator apps.',
  ),
  announcement: text('site', someText, 'Markdown text, shown to each visitor once.'),
  pagination_type: select(
    'site',
    ['all', 'pagination', 'load_more', 'auto_load_more'],
    'How long file lists are split into pages.',
  ),
  default_page_size: {
    group: 'site',
    type: 'number',
    check: aPageSize,
    help: 'Number of files on one page of a list.',
  },
  allow_indexed: bool('site', 'Allows search engines to index the site.'),
  allow_mounted: bool('site', 'Shows visitors how to mount the site as a drive.'),
  robots_txt: text('site', someText, 'Content of /robots.txt, for search engines.'),
  logo: text('style', someLogos, 'Address of the logo; on a second line, the logo for dark pages.'),
  favicon: line('style', anAddress, 'Address of the icon in browser tabs.'),
  main_color: line('style', aColour, 'Colour of buttons and links.'),
  home_icon: line('style', aLine(MAX_ICON_CHARACTERS), 'Emoji before the path of the root folder.'),
  home_container: select('style', ['max_980px', 'hope_container'], 'Width of the page.'),
  settings_layout: select('style', ['list', 'responsive'], 'Layout of the settings page.'),
  external_previews: text(
    'preview',
    somePreviews,
    'JSON: viewers that open in a new tab, by file extension.',
  ),
  iframe_previews: text(
    'preview',
    somePreviews,
    'JSON: viewers that open within the page, by file extension.',
  ),
  audio_cover: line('preview', anAddress, 'Address of the picture for music without a cover.'),
  audio_autoplay: bool('preview', 'Plays music automatically.'),
  video_autoplay: bool('preview', 'Plays videos automatically.'),
  hide_files: text(
    'global',
    someRegularExpressions,
    'Files that lists hide: regular expressions, one per line.',
  ),
  package_download: bool('global', 'Allows visitors to download folders.'),
  ocr_api: line(
    'global',
    anAddress,
    'Address of the service that recognises text in pictures (OCR).',
  ),
  filename_char_mapping: text(
    'global',
    someReplacements,
    'JSON: characters in file names and the text shown instead.',
  ),
  forward_direct_link_params: bool('global', 'Forwards the query parameters of a direct link.'),
  search_index: select(
    'index',
    ['database', 'database_non_full_text', 'bleve', 'meilisearch', 'none'],
    'Search index of the file server; none hides the search.',
  ),
  auto_update_index: bool('index', 'Tells clients that the file server updates its search index.'),
  sso_login_enabled: bool('sso', 'Lets users sign in with their account at an identity provider.'),
  sso_login_platform: select(
    'sso',
    ['', ...SSO_PLATFORMS],
    'The identity provider whose accounts users sign in with.',
  ),
  security_contact: line(
    'site',
    aContact,
    'Contact for security problems, shown in security.txt: mailto:, https: or tel:.',
  ),
  webauthn_login_enabled: bool(
    'global',
    "Offers passkeys in OpenList's web client; the account pages always offer them.",
  ),
  require_second_factor: select(
    'site',
    ['off', 'admins', 'everybody'],
    'Users who must sign in with a code or a passkey.',
  ),
  allow_register: bool('site', 'Lets anybody register an account on this site.'),
  passkey_related_origins: text(
    'site',
    someOrigins,
    'Other https origins that may use passkeys of this site, one per line.',
  ),
  sftp_address: line(
    'site',
    anSftpAddress,
    'Host of the SFTP server, such as files.example.org or files.example.org:2022.',
  ),
  sso_name: line(
    'sso',
    aNameOrNone(MAX_PROVIDER_CHARACTERS),
    'Name of the provider on the buttons of the account pages; empty: the usual one.',
  ),
  sso_client_id: line(
    'sso',
    aLine(MAX_CLIENT_CHARACTERS),
    'The provider shows it when you register this site there.',
  ),
  sso_client_secret: {
    ...line(
      'sso',
      aLine(MAX_CLIENT_CHARACTERS),
      'Client secret. It is not shown again; an empty value keeps the stored one.',
    ),
    isSecret: true,
  },
  sso_endpoint_name: line(
    'sso',
    anIssuer,
    'Issuer of OIDC or Casdoor, such as https://accounts.example.org.',
  ),
  sso_extra_scopes: line(
    'sso',
    someScopes,
    'Scopes to request beside openid and profile, separated by spaces.',
  ),
  sso_oidc_username_key: line(
    'sso',
    aClaim,
    'Claim with the name for a new account, such as preferred_username.',
  ),
  sso_trust_mfa: bool(
    'sso',
    'Asks for no code when the provider says that it has used a second factor.',
  ),
  sso_auto_register: bool(
    'sso',
    'Creates an account for every user of the provider who has none here.',
  ),
  sso_default_dir: line(
    'sso',
    aNewFolder,
    'Base path of such an account; empty: /homes/{username} with a file server.',
  ),
  sso_default_permission: {
    group: 'sso',
    type: 'number',
    check: aPermission,
    help: 'Permission of such an account: the sum of its bits, 0 to 65535.',
  },
  sso_groups_claim: line(
    'sso',
    aClaimOrNone,
    'Claim of the ID token with the groups of a user; empty: none is read.',
  ),
  sso_group_map: {
    group: 'sso',
    type: 'text',
    check: aGroupMap,
    help: 'Values of that claim and their groups here, as JSON: {"staff": "finance"}.',
  },
  sso_compatibility_mode: bool(
    'sso',
    'For providers without queries in redirect URIs; puts tokens into addresses.',
  ),
  event_retention_days: {
    group: 'site',
    type: 'number',
    check: someRetentionDays,
    help: 'Number of days for which events are kept.',
  },
  setup_checklist: bool('site', 'Shows administrators what a new site still needs.'),
  max_devices: {
    group: 'global',
    type: 'number',
    check: someSessions,
    help: 'Sessions that a user may have at once; 0 for any number.',
  },
  device_evict_policy: select(
    'global',
    ['evict_oldest', 'deny'],
    'What one sign-in more does: it ends the oldest session, or is refused.',
  ),
  register_approval: bool(
    'site',
    'A registered account can be used once an admin has approved it.',
  ),
  register_permission: {
    group: 'site',
    type: 'number',
    check: aPermission,
    help: 'Permission of a registered account: the sum of its bits, 0 to 65535.',
  },
  register_base_path: line(
    'site',
    aNewFolder,
    'Base path of a registered user; empty: /homes/{username} with a file server.',
  ),
  register_days: {
    group: 'site',
    type: 'number',
    check: someAccountDays,
    help: 'Days after which a registered account ends; 0 for no end.',
  },
  register_groups: line('site', someGroups, 'Groups of a registered account, separated by commas.'),
  register_reserved_names: line(
    'site',
    aLine(MAX_RESERVED_CHARACTERS),
    'Names that nobody may choose, separated by commas.',
  ),
  turnstile_site_key: line(
    'site',
    aLine(MAX_TURNSTILE_CHARACTERS),
    'Site key of Turnstile; with the secret key, registrations need its check.',
  ),
  turnstile_secret: {
    ...line(
      'site',
      aLine(MAX_TURNSTILE_CHARACTERS),
      'Turnstile secret key, not shown again; an empty value keeps the stored one.',
    ),
    isSecret: true,
  },
}

/** All settings, in the order in which they are shown. */
export const SETTINGS: readonly SettingDefinition[] = Object.keys(described)
  .filter(isSettingKey)
  .map(define)

function define(key: SettingKey): SettingDefinition {
  const isPublic = isPublicKey(key)
  return {
    options: [],
    isReadOnly: false,
    isSecret: false,
    isPublic,
    ...described[key],
    key,
    default: ALL_DEFAULTS[key],
  }
}
