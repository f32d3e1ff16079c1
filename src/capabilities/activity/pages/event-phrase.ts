import type { EventKind } from '../../../core/audit/kinds.ts'
import { readSignInDetail } from '../../../core/audit/sign-in-detail.ts'

/** The phrases of kinds that are told in more than one way; each kind is a phrase of its own too. */
const VARIANTS = [
  'sign_in_code',
  'sign_in_recovery',
  'sign_in_passkey',
  'sign_in_provider',
  'sign_in_provider_code',
  'sign_in_refused_reason',
  'sign_in_refused_unknown',
  'sign_in_refused_unknown_times',
  'session_ended_logout',
  'session_ended_others',
  'session_ended_all',
  'session_ended_everything',
  'session_ended_limit',
  'session_ended_everyone',
  'proof_refused_code',
  'proof_refused_passkey',
  'two_factor_off_of_other',
  'key_added_of_other',
  'key_deleted_of_other',
  'passkey_deleted_of_other',
  'token_created_of_other',
  'token_deleted_of_other',
  'identity_linked_of_other',
  'identity_unlinked_of_other',
  'registered_of_other',
  'group_member_added_of_other',
  'group_member_removed_of_other',
] as const

export type EventPhrase = EventKind | (typeof VARIANTS)[number]

/** Why a sign-in was refused, as far as its event tells and its user may know. */
const REFUSED_SIGN_INS = [
  'credentials',
  'code',
  'disabled',
  'passkey',
  'two-factor',
  'app password',
  'permission',
] as const
export type ShownRefusal = (typeof REFUSED_SIGN_INS)[number]

/** The parts of an event on which its sentence depends. */
interface EventFacts {
  kind: EventKind
  detail: string
  /** True when users act on their own accounts. */
  isOwn: boolean
  /** False when no account has the name that was tried. */
  hasUser: boolean
  /** How often it happened. */
  times: number
}

/** Chooses the phrase of an event. The choice is the same in every language. */
export function phraseOf(facts: EventFacts): EventPhrase {
  const { kind, isOwn } = facts
  const ofOther = `${kind}_of_other`
  if (!isOwn && isVariant(ofOther)) return ofOther
  if (kind === 'sign_in') return phraseOfSignIn(facts)
  if (kind === 'sign_in_refused') return phraseOfRefusal(facts)
  if (kind === 'session_ended') return phraseOfEnding(facts)
  const byDetail = `${kind}_${facts.detail}`
  return kind === 'proof_refused' && isVariant(byDetail) ? byDetail : kind
}

function phraseOfSignIn({ detail }: EventFacts): EventPhrase {
  const { provider, methods } = readSignInDetail(detail)
  const hasCode = methods.includes('otp')
  if (provider !== undefined) return hasCode ? 'sign_in_provider_code' : 'sign_in_provider'
  if (methods.includes('passkey')) return 'sign_in_passkey'
  if (methods.includes('recovery')) return 'sign_in_recovery'
  return hasCode ? 'sign_in_code' : 'sign_in'
}

function phraseOfRefusal({ detail, hasUser, times }: EventFacts): EventPhrase {
  if (hasUser) return isShownRefusal(detail) ? 'sign_in_refused_reason' : 'sign_in_refused'
  return times === 1 ? 'sign_in_refused_unknown' : 'sign_in_refused_unknown_times'
}

function phraseOfEnding({ detail, isOwn }: EventFacts): EventPhrase {
  if (detail === 'everyone') return 'session_ended_everyone'
  if (detail.startsWith('all') && !isOwn) return 'session_ended_all'
  if (detail === 'all others') return 'session_ended_others'
  if (detail === 'device limit') return 'session_ended_limit'
  if (detail === 'everything') return 'session_ended_everything'
  return detail === 'logout' ? 'session_ended_logout' : 'session_ended'
}

function isVariant(name: string): name is (typeof VARIANTS)[number] {
  return VARIANTS.some((variant) => variant === name)
}

export function isShownRefusal(detail: string): detail is ShownRefusal {
  return REFUSED_SIGN_INS.some((known) => known === detail)
}
