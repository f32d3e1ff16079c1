import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { isAdmin } from '../accounts/conditions.ts'
import { literal } from '../database/literal.ts'

/** Whether a new value of a field needs a fresh session: always, never, or when it gives more. */
export interface Guard {
  needs: 'always' | 'never' | Gain
  reason: string
}

/** Tells whether a new value gives more access than the stored one. */
interface Gain {
  /** Continues “a fresh session for”. */
  words: string
  /** Holds when it does. Both values differ. */
  holds: (from: SQLWrapper, to: SQLWrapper) => SQL
}

/** By the names of the request. */
export type Fields = Readonly<Record<string, Guard>>

function forMore(gain: Gain, reason: string): Guard {
  return { needs: gain, reason }
}

/**
 * Holds when a new value of a field needs a fresh session.
 *
 * @param from The stored value: a column, or an expression of SQL.
 */
export function givesAccess({ needs }: Guard, from: SQLWrapper, to: SQLWrapper): SQL {
  if (needs === 'never') return sql`false`
  const differs = sql`${from} is not ${to}`
  return needs === 'always' ? sql`(${differs})` : sql`(${differs} and ${needs.holds(from, to)})`
}

const number = (value: SQLWrapper) => sql`cast(${value} as integer)`

const moreBits: Gain = {
  words: 'a bit that was not set',
  holds: (from, to) => sql`(${number(to)} & ~${number(from)}) <> 0`,
}

/** The folders are clean paths (`cleanPath`); an old one that is not contains nothing. */
const anotherFolder: Gain = {
  words: 'a folder that is not inside the old one',
  holds: (from, to) =>
    sql`(${from} <> '/' and substr(${to}, 1, length(${from}) + 1) <> ${from} || '/')`,
}

const laterEnd: Gain = {
  words: 'a later end, or none',
  holds: (from, to) => sql`(${to} is null or ${to} > ${from})`,
}

/** 0 is no limit. */
const moreOrAnyNumber: Gain = {
  words: 'a larger number, or 0 for no limit',
  holds: (from, to) =>
    sql`(${number(to)} = 0 or (${number(from)} <> 0 and ${number(to)} > ${number(from)}))`,
}

function becomes(value: string | number, words = `\`${value}\``): Gain {
  return { words, holds: (_, to) => sql`${to} = ${literal(value)}` }
}

/** For a row of `users`. */
const enabledOrAdmin: Gain = {
  words: '`false`, and for an admin',
  holds: (_, to) => sql`(${to} = 0 or ${isAdmin})`,
}

export const NAME = 'who has the name has its folder and what apps keep for it'
export const SSO_ID = 'it decides who signs in with single sign-on'
const PASSWORD = 'who sets it signs in with it'
export const OPENS = 'it opens an account'
const STOPS_THIEF = 'another admin can stop a thief'
const RIGHTS = 'more bits open more'
const GROUPS = 'groups have rights in folders'
const FOLDER = 'another folder has other files'
export const ADDRESS = 'links for a new password are mailed there'
const SHOWN = 'it only changes what is shown'
/** `saveSettings` makes it so for what is written to a file server too. */
const LOOK =
  'it only changes what is shown; with a file server behind the site, whose pages show it as it is, always'
const SESSIONS = 'with `deny` and a small number, who is signed in keeps everybody else out'
const PROVIDER = 'it decides whom single sign-on lets in, and who gets its secret'
const FILES_LEAVE = 'files and their links are sent there'

/** The fields of a user, the guest included, that operators change. */
export const USER_FIELDS = {
  username: { needs: 'always', reason: NAME },
  password: { needs: 'always', reason: PASSWORD },
  sso_id: { needs: 'always', reason: SSO_ID },
  role: { needs: 'always', reason: `an admin can do everything, and ${STOPS_THIEF}` },
  disabled: forMore(enabledOrAdmin, `${OPENS}; ${STOPS_THIEF}`),
  permission: forMore(moreBits, RIGHTS),
  base_path: forMore(anotherFolder, FOLDER),
} as const satisfies Fields

/** The details of a user that operators change. */
export const DETAIL_FIELDS = {
  email: { needs: 'always', reason: ADDRESS },
  ends_at: forMore(laterEnd, OPENS),
} as const satisfies Fields

/** The settings, by their keys. */
export const SETTING_FIELDS = {
  version: { needs: 'never', reason: 'it can not be changed' },
  site_title: { needs: 'never', reason: LOOK },
  announcement: { needs: 'never', reason: LOOK },
  pagination_type: { needs: 'never', reason: SHOWN },
  default_page_size: { needs: 'never', reason: SHOWN },
  allow_indexed: { needs: 'never', reason: SHOWN },
  allow_mounted: { needs: 'never', reason: SHOWN },
  robots_txt: { needs: 'never', reason: SHOWN },
  logo: { needs: 'never', reason: LOOK },
  favicon: { needs: 'never', reason: LOOK },
  main_color: { needs: 'never', reason: LOOK },
  home_icon: { needs: 'never', reason: SHOWN },
  home_container: { needs: 'never', reason: SHOWN },
  settings_layout: { needs: 'never', reason: SHOWN },
  external_previews: { needs: 'always', reason: FILES_LEAVE },
  iframe_previews: { needs: 'always', reason: FILES_LEAVE },
  ocr_api: { needs: 'always', reason: FILES_LEAVE },
  audio_cover: { needs: 'never', reason: SHOWN },
  audio_autoplay: { needs: 'never', reason: SHOWN },
  video_autoplay: { needs: 'never', reason: SHOWN },
  hide_files: { needs: 'never', reason: SHOWN },
  package_download: { needs: 'never', reason: SHOWN },
  filename_char_mapping: { needs: 'never', reason: SHOWN },
  forward_direct_link_params: { needs: 'never', reason: SHOWN },
  search_index: { needs: 'never', reason: SHOWN },
  auto_update_index: { needs: 'never', reason: SHOWN },
  security_contact: { needs: 'never', reason: SHOWN },
  webauthn_login_enabled: { needs: 'never', reason: SHOWN },
  setup_checklist: { needs: 'never', reason: 'a list on a page' },
  event_retention_days: { needs: 'never', reason: 'the events of 30 days stay with any value' },
  require_second_factor: {
    needs: 'always',
    reason:
      'without the demand a password is enough; under a new one, the first to sign in sets up the factor',
  },
  passkey_related_origins: {
    needs: 'always',
    reason: 'a page there can use passkeys of this site',
  },
  sftp_address: { needs: 'always', reason: 'users send their passwords there' },
  max_devices: { needs: 'always', reason: SESSIONS },
  device_evict_policy: { needs: 'always', reason: SESSIONS },
  allow_register: forMore(becomes('true'), 'it lets strangers in'),
  register_approval: forMore(becomes('false'), 'it lets strangers in'),
  register_permission: forMore(moreBits, RIGHTS),
  register_base_path: forMore(anotherFolder, FOLDER),
  register_days: forMore(moreOrAnyNumber, 'accounts last longer'),
  register_groups: { needs: 'always', reason: GROUPS },
  register_reserved_names: { needs: 'always', reason: NAME },
  turnstile_site_key: { needs: 'always', reason: 'it lets programs register' },
  turnstile_secret: { needs: 'always', reason: 'it lets programs register' },
  sso_login_enabled: forMore(becomes('true'), PROVIDER),
  sso_login_platform: { needs: 'always', reason: PROVIDER },
  sso_name: { needs: 'always', reason: 'users trust the name on the button' },
  sso_client_id: { needs: 'always', reason: PROVIDER },
  sso_client_secret: { needs: 'always', reason: PROVIDER },
  sso_endpoint_name: { needs: 'always', reason: PROVIDER },
  sso_extra_scopes: { needs: 'always', reason: PROVIDER },
  sso_oidc_username_key: { needs: 'always', reason: PROVIDER },
  sso_trust_mfa: forMore(becomes('true'), 'the provider alone then says who used a second factor'),
  sso_auto_register: forMore(becomes('true'), 'it lets strangers in'),
  sso_default_dir: forMore(anotherFolder, FOLDER),
  sso_default_permission: forMore(moreBits, RIGHTS),
  sso_groups_claim: { needs: 'always', reason: GROUPS },
  sso_group_map: { needs: 'always', reason: GROUPS },
  sso_compatibility_mode: forMore(becomes('true'), 'it puts tokens into addresses'),
} as const satisfies Fields
