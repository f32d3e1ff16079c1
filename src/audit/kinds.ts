import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { literals } from '../database/literal.ts'

/**
 * What lists need of a kind of events. `change`: operators see the latest ones, because it changes
 * who may do what, or how the site works. `frequent`: the index of rare events leaves it out
 * (CONTRIBUTING.md, Add an event). What strangers cause is no change: they would bury the others.
 */
type KindClass = 'change' | 'frequent' | 'other'

/** The kinds of events, for users who check their own account and for operators. */
const CLASSES = [
  ['sign_in', 'frequent'],
  ['sign_in_refused', 'frequent'],
  ['service_sign_in', 'frequent'],
  ['recovery_code_used', 'other'],
  ['recovery_codes_made', 'other'],
  ['two_factor_on', 'other'],
  ['two_factor_off', 'other'],
  ['password_changed', 'other'],
  ['profile_changed', 'other'],
  ['session_ended', 'frequent'],
  ['key_added', 'other'],
  ['key_deleted', 'other'],
  ['key_used', 'frequent'],
  ['user_made', 'change'],
  ['user_changed', 'change'],
  ['role_changed', 'change'],
  ['password_reset', 'change'],
  ['two_factor_cancelled', 'change'],
  ['user_disabled', 'change'],
  ['user_enabled', 'change'],
  ['user_deleted', 'change'],
  ['user_unlocked', 'change'],
  ['users_imported', 'change'],
  ['service_token_made', 'change'],
  ['service_token_ended', 'change'],
  ['settings_changed', 'change'],
  ['proof_refused', 'other'],
  ['passkey_added', 'other'],
  ['passkey_deleted', 'other'],
  ['passkey_renamed', 'other'],
  ['passkey_cloned', 'other'],
  ['token_created', 'other'],
  ['token_deleted', 'other'],
  ['token_used_elsewhere', 'other'],
  ['client_added', 'change'],
  ['client_deleted', 'change'],
  ['client_secret_made', 'change'],
  ['signing_key_made', 'other'],
  ['access_given', 'other'],
  ['offline_access_given', 'other'],
  ['access_removed', 'other'],
  ['access_replayed', 'other'],
  ['name_released', 'change'],
  ['names_reserved', 'change'],
  ['identity_linked', 'other'],
  ['identity_unlinked', 'other'],
  ['account_locked', 'other'],
  ['network_locked', 'other'],
  ['many_refusals', 'other'],
  ['notices_changed', 'change'],
  ['registered', 'other'],
  ['registration_approved', 'change'],
  ['registration_rejected', 'change'],
  ['invitation_made', 'change'],
  ['link_withdrawn', 'change'],
  ['reset_link_made', 'change'],
  ['reset_mail_sent', 'other'],
  ['password_reset_by_link', 'other'],
  ['email_changed', 'change'],
  ['email_verified', 'other'],
  ['end_changed', 'change'],
  ['end_near', 'other'],
] as const satisfies readonly (readonly [kind: string, is: KindClass])[]

export const EVENT_KINDS = CLASSES.map(([kind]) => kind)

export function kindsOf(wanted: KindClass): EventKind[] {
  return CLASSES.flatMap(([kind, is]) => (is === wanted ? [kind] : []))
}

export type EventKind = (typeof EVENT_KINDS)[number]

export const FREQUENT_KINDS = kindsOf('frequent')

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
