import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { literals } from '../database/literal.ts'
import type { Topic } from './topics.ts'

/** How lists show a kind: an icon, its colour and the group of the filter (`pages/event-look.ts`). */
export type KindLook =
  | 'warning'
  | 'lock'
  | 'signedIn'
  | 'session'
  | 'recoveryCode'
  | 'twoFactor'
  | 'twoFactorOff'
  | 'password'
  | 'passkey'
  | 'key'
  | 'appPassword'
  | 'identity'
  | 'program'
  | 'settings'
  | 'notices'
  | 'account'
  | 'newAccount'
  | 'group'
  | 'folder'

interface KindRow {
  /**
   * `change`: operators see the latest ones, because it changes who may do what, or how the site
   * works. What strangers cause is no change: they would bury the others. `frequent`: the index of
   * rare events leaves it out (CONTRIBUTING.md, Add an event).
   */
  class: 'change' | 'frequent' | 'other'
  look: KindLook
  /**
   * The topic of its notices. Sign-ins belong to `new_network` and `new_country` when their place
   * is new, and some kinds to `new_admin` when a user becomes one (`notices/outbox.ts`).
   */
  topic?: Topic
  /** The page under `/account` where the user of the account undoes it; the activity by default. */
  page?: string
  /** The page under `/account/admin` for operators; the page of the user by default. */
  operatorPage?: string
  /** Whether the detail names what was added. The detail of other kinds is for programs. */
  namesThing?: true
}

const PROGRAM_CHANGE = {
  class: 'change',
  look: 'program',
  topic: 'program_registered',
  operatorPage: 'programs',
  namesThing: true,
} as const
const GROUP_CHANGE = {
  class: 'change',
  look: 'group',
  topic: 'groups',
  operatorPage: 'groups',
  namesThing: true,
} as const

const FOLDER_CHANGE = {
  class: 'change',
  look: 'folder',
  topic: 'groups',
  operatorPage: 'folders',
  namesThing: true,
} as const

/** The kinds of events, for users who check their own account and for operators. */
const KINDS = {
  sign_in: { class: 'frequent', look: 'signedIn', page: 'sessions' },
  sign_in_refused: { class: 'frequent', look: 'warning' },
  service_sign_in: { class: 'frequent', look: 'signedIn', page: 'app-passwords' },
  recovery_code_used: { class: 'other', look: 'recoveryCode' },
  recovery_codes_made: { class: 'other', look: 'twoFactor' },
  two_factor_on: { class: 'other', look: 'twoFactor' },
  two_factor_off: {
    class: 'other',
    look: 'twoFactorOff',
    topic: 'second_factor_off',
    page: 'security',
  },
  two_factor_moved: {
    class: 'other',
    look: 'twoFactor',
    topic: 'second_factor_off',
    page: 'security',
  },
  password_changed: { class: 'other', look: 'password', topic: 'password', page: 'security' },
  profile_changed: { class: 'other', look: 'account' },
  session_ended: { class: 'frequent', look: 'session' },
  network_checked: { class: 'other', look: 'signedIn' },
  account_checked: { class: 'other', look: 'signedIn' },
  key_added: {
    class: 'other',
    look: 'key',
    topic: 'credential_added',
    page: 'keys',
    namesThing: true,
  },
  key_kept: {
    class: 'other',
    look: 'key',
    topic: 'credential_added',
    page: 'keys',
    namesThing: true,
  },
  key_deleted: { class: 'other', look: 'key' },
  key_restored: {
    class: 'other',
    look: 'key',
    topic: 'credential_added',
    page: 'keys',
    namesThing: true,
  },
  key_used: { class: 'frequent', look: 'key' },
  user_made: { class: 'change', look: 'newAccount' },
  user_changed: { class: 'change', look: 'account' },
  role_changed: { class: 'change', look: 'account' },
  password_reset: { class: 'change', look: 'password', topic: 'password', page: 'security' },
  two_factor_cancelled: {
    class: 'change',
    look: 'twoFactorOff',
    topic: 'second_factor_off',
    page: 'security',
  },
  user_disabled: { class: 'change', look: 'account' },
  user_enabled: { class: 'change', look: 'account' },
  user_deleted: { class: 'change', look: 'account' },
  user_restored: { class: 'change', look: 'newAccount' },
  user_unlocked: { class: 'change', look: 'lock' },
  factor_reminded: { class: 'other', look: 'twoFactor' },
  users_imported: { class: 'change', look: 'newAccount' },
  service_token_made: {
    class: 'change',
    look: 'settings',
    topic: 'credential_added',
    operatorPage: 'events',
    namesThing: true,
  },
  service_token_ended: { class: 'change', look: 'settings' },
  settings_changed: { class: 'change', look: 'settings' },
  backup_made: { class: 'other', look: 'settings' },
  proof_refused: { class: 'other', look: 'warning' },
  passkey_added: {
    class: 'other',
    look: 'passkey',
    topic: 'credential_added',
    page: 'security',
    namesThing: true,
  },
  passkey_deleted: { class: 'other', look: 'passkey' },
  passkey_renamed: { class: 'other', look: 'passkey' },
  passkey_cloned: { class: 'other', look: 'warning', topic: 'passkey_cloned', page: 'security' },
  token_created: {
    class: 'other',
    look: 'appPassword',
    topic: 'credential_added',
    page: 'app-passwords',
    namesThing: true,
  },
  token_kept: {
    class: 'other',
    look: 'appPassword',
    topic: 'credential_added',
    page: 'app-passwords',
    namesThing: true,
  },
  token_deleted: { class: 'other', look: 'appPassword' },
  token_used_elsewhere: {
    class: 'other',
    look: 'warning',
    topic: 'new_network',
    page: 'app-passwords',
    namesThing: true,
  },
  client_added: PROGRAM_CHANGE,
  client_changed: PROGRAM_CHANGE,
  client_deleted: { class: 'change', look: 'program' },
  client_restored: PROGRAM_CHANGE,
  client_secret_made: PROGRAM_CHANGE,
  signing_key_made: { class: 'other', look: 'program' },
  access_given: { class: 'other', look: 'program' },
  offline_access_given: { class: 'other', look: 'program' },
  access_removed: { class: 'other', look: 'program' },
  access_replayed: {
    class: 'other',
    look: 'warning',
    topic: 'access_replayed',
    page: 'programs',
    namesThing: true,
  },
  name_released: { class: 'change', look: 'account' },
  names_reserved: { class: 'change', look: 'account' },
  identity_linked: {
    class: 'other',
    look: 'identity',
    topic: 'credential_added',
    page: 'security',
  },
  identity_unlinked: { class: 'other', look: 'identity' },
  account_locked: { class: 'other', look: 'lock', topic: 'locked_out' },
  network_locked: {
    class: 'other',
    look: 'lock',
    topic: 'locked_out',
    operatorPage: 'events?kind=sign_in_refused',
  },
  many_refusals: {
    class: 'other',
    look: 'warning',
    topic: 'many_refusals',
    operatorPage: 'events?kind=sign_in_refused',
  },
  notices_changed: { class: 'change', look: 'notices' },
  registered: { class: 'other', look: 'account', topic: 'registration' },
  registration_approved: { class: 'change', look: 'account' },
  registration_rejected: { class: 'change', look: 'account' },
  invitation_made: { class: 'change', look: 'account' },
  link_withdrawn: { class: 'change', look: 'account' },
  link_restored: { class: 'change', look: 'account' },
  reset_link_made: { class: 'change', look: 'account', topic: 'reset_link' },
  reset_mail_sent: { class: 'other', look: 'account' },
  password_reset_by_link: { class: 'other', look: 'password', topic: 'password' },
  email_changed: { class: 'change', look: 'account' },
  email_verified: { class: 'other', look: 'account' },
  end_changed: { class: 'change', look: 'account' },
  group_created: GROUP_CHANGE,
  group_changed: GROUP_CHANGE,
  group_deleted: GROUP_CHANGE,
  group_member_added: GROUP_CHANGE,
  group_member_removed: GROUP_CHANGE,
  groups_claim_unreadable: { class: 'other', look: 'group', topic: 'groups', namesThing: true },
  folder_rule_created: FOLDER_CHANGE,
  folder_rule_changed: FOLDER_CHANGE,
  folder_rule_deleted: FOLDER_CHANGE,
  folder_rights_restored: FOLDER_CHANGE,
  folder_missing: { ...FOLDER_CHANGE, look: 'warning' },
  folder_found: FOLDER_CHANGE,
  share_disabled: { class: 'other', look: 'folder', topic: 'groups', namesThing: true },
  end_near: { class: 'other', look: 'account', topic: 'account_end', namesThing: true },
} as const satisfies Record<string, KindRow>

export type EventKind = keyof typeof KINDS

export const EVENT_KINDS = Object.keys(KINDS).filter(isEventKind)

/** False for a kind of a later version. */
export function isEventKind(kind: string): kind is EventKind {
  return Object.hasOwn(KINDS, kind)
}

export function rowOfKind(kind: EventKind): KindRow {
  return KINDS[kind]
}

/** Returns the kinds whose rows fit. */
export function kindsWith(fits: (row: KindRow) => boolean): EventKind[] {
  return EVENT_KINDS.filter((kind) => fits(KINDS[kind]))
}

export const FREQUENT_KINDS = kindsWith((row) => row.class === 'frequent')

/** The sign-ins of users, at Latchkey or at a file server. */
const SIGN_INS = ['sign_in', 'service_sign_in'] as const satisfies readonly EventKind[]

/** Exactly the condition of the index `audit_events_sign_ins`. */
export function isSignIn(kind: SQLWrapper): SQL {
  return sql`${kind} in ${literals(SIGN_INS)}`
}

/** Exactly the condition of the index of rare events: with another, SQLite would not use it. */
export function isRare(kind: SQL): SQL {
  return sql`${kind} not in ${literals(FREQUENT_KINDS)}`
}
