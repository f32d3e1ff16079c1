import {
  aBoolean,
  aColour,
  aContact,
  aLine,
  aName,
  anAddress,
  aPageSize,
  type Check,
  oneOf,
  someLogos,
  somePreviews,
  someRegularExpressions,
  someReplacements,
  someText,
} from './checks.ts'
import { ALL_DEFAULTS, isPublicKey, isSettingKey, type SettingKey } from './defaults.ts'

/** As the stock client numbers the pages on which it shows them. */
export const GROUP_NUMBERS = { site: 1, style: 2, preview: 3, global: 4, index: 6, sso: 7 } as const

export type SettingGroup = keyof typeof GROUP_NUMBERS

/** What an operator has to know of a setting. */
export interface SettingDefinition {
  key: SettingKey
  group: SettingGroup
  /** Which field the stock client shows. */
  type: 'string' | 'text' | 'number' | 'bool' | 'select'
  /** One plain sentence. */
  help: string
  default: string
  /** The values a `select` knows; none for the other types. */
  options: readonly string[]
  isReadOnly: boolean
  /** Whether every visitor may read it. */
  isPublic: boolean
  check: Check
}

type Described = Pick<SettingDefinition, 'group' | 'help' | 'type' | 'check'> &
  Partial<Pick<SettingDefinition, 'options' | 'isReadOnly'>>

/** So that an address can't make the QR code of two-step verification too large to draw. */
const MAX_TITLE_CHARACTERS = 64
const MAX_ICON_CHARACTERS = 64

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

/** Groups, types, options and order are those of OpenList (docs/interface.md); ours stand behind. */
const described: Record<SettingKey, Described> = {
  version: { ...line('site', aLine(64), 'The version of this service.'), isReadOnly: true },
  site_title: line(
    'site',
    aName(MAX_TITLE_CHARACTERS),
    'Name of the site, in browsers and authenticators.',
  ),
  announcement: text('site', someText, 'Markdown that visitors are shown once.'),
  pagination_type: select(
    'site',
    ['all', 'pagination', 'load_more', 'auto_load_more'],
    'How long lists of files are divided.',
  ),
  default_page_size: {
    group: 'site',
    type: 'number',
    check: aPageSize,
    help: 'Files on one page of a list.',
  },
  allow_indexed: bool('site', 'Lets search engines list the site.'),
  allow_mounted: bool('site', 'Lets visitors see how to mount the site as a drive.'),
  robots_txt: text('site', someText, 'What /robots.txt says to search engines.'),
  logo: text('style', someLogos, 'Address of the logo; on a second line, that for dark pages.'),
  favicon: line('style', anAddress, 'Address of the icon in browser tabs.'),
  main_color: line('style', aColour, 'Colour of buttons and links.'),
  home_icon: line(
    'style',
    aLine(MAX_ICON_CHARACTERS),
    'Emoji before the path of the first folder.',
  ),
  home_container: select('style', ['max_980px', 'hope_container'], 'How wide the page is.'),
  settings_layout: select('style', ['list', 'responsive'], 'How the settings are laid out.'),
  external_previews: text(
    'preview',
    somePreviews,
    'JSON: viewers by file extension that open in a tab of their own.',
  ),
  iframe_previews: text(
    'preview',
    somePreviews,
    'JSON: viewers by file extension that open within the page.',
  ),
  audio_cover: line('preview', anAddress, 'Address of the picture beside music without a cover.'),
  audio_autoplay: bool('preview', 'Plays music at once.'),
  video_autoplay: bool('preview', 'Plays films at once.'),
  hide_files: text(
    'global',
    someRegularExpressions,
    'Regular expressions, one per line, of files that lists leave out.',
  ),
  package_download: bool('global', 'Lets visitors download folders.'),
  ocr_api: line('global', anAddress, 'Address of the service that reads text in pictures.'),
  filename_char_mapping: text(
    'global',
    someReplacements,
    'JSON: characters of file names and what is shown for them.',
  ),
  forward_direct_link_params: bool('global', 'Passes the query of a direct link on.'),
  search_index: select(
    'index',
    ['database', 'database_non_full_text', 'bleve', 'meilisearch', 'none'],
    'What the file server searches with; none hides the search.',
  ),
  auto_update_index: bool('index', 'Says that the file server keeps its search index current.'),
  sso_login_enabled: bool(
    'sso',
    'Shows a button for single sign-on, which another server must answer.',
  ),
  sso_login_platform: select(
    'sso',
    ['', 'Casdoor', 'Github', 'Microsoft', 'Google', 'Dingtalk', 'OIDC'],
    'Whose single sign-on the button is for.',
  ),
  security_contact: line(
    'site',
    aContact,
    'Where to report security problems, for security.txt: mailto:, https: or tel:.',
  ),
}

/** All settings, in the order in which people are shown them. */
export const SETTINGS: readonly SettingDefinition[] = Object.keys(described)
  .filter(isSettingKey)
  .map(define)

function define(key: SettingKey): SettingDefinition {
  const isPublic = isPublicKey(key)
  return {
    options: [],
    isReadOnly: false,
    isPublic,
    ...described[key],
    key,
    default: ALL_DEFAULTS[key],
  }
}
