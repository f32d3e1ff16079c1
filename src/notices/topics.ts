import type { EventKind } from '../audit/kinds.ts'

/** What a channel can be told. Operators and users choose among these. */
export const TOPICS = [
  'new_network',
  'new_country',
  'locked_out',
  'second_factor_off',
  'new_admin',
  'password',
  'credential_added',
  'passkey_cloned',
  'access_replayed',
  'program_registered',
  'many_refusals',
  'registration',
  'reset_link',
  'account_end',
] as const

export type Topic = (typeof TOPICS)[number]

/** The topics that concern one user, who may be told of them too. */
export const OWN_TOPICS = [
  'new_network',
  'new_country',
  'locked_out',
  'second_factor_off',
  'password',
  'credential_added',
  'passkey_cloned',
  'access_replayed',
  'reset_link',
  'account_end',
] as const satisfies readonly Topic[]

/** The topic of a notice, or of a test. */
export type NoticeTopic = Topic | 'test'

/**
 * The kinds of events of each topic. Sign-ins belong to `new_network` and `new_country` when their
 * place is new, and `user_made` and `role_changed` to `new_admin` when the user becomes one
 * (`outbox.ts`).
 */
export const KINDS_OF_TOPICS = {
  new_network: ['token_used_elsewhere'],
  new_country: [],
  locked_out: ['account_locked', 'network_locked'],
  second_factor_off: ['two_factor_off', 'two_factor_cancelled'],
  new_admin: [],
  password: ['password_changed', 'password_reset', 'password_reset_by_link'],
  credential_added: [
    'key_added',
    'passkey_added',
    'token_created',
    'service_token_made',
    'identity_linked',
  ],
  passkey_cloned: ['passkey_cloned'],
  access_replayed: ['access_replayed'],
  program_registered: ['client_added', 'client_secret_made'],
  many_refusals: ['many_refusals'],
  registration: ['registered'],
  reset_link: ['reset_link_made'],
  account_end: ['end_near'],
} as const satisfies Record<Topic, readonly EventKind[]>

/** The events that may make an administrator. */
export const MAKES_ADMIN = ['user_made', 'role_changed'] as const satisfies readonly EventKind[]

export function isTopic(name: string): name is Topic {
  return TOPICS.some((topic) => topic === name)
}

/** @returns The topics sorted and separated by spaces. */
export function topicsText(topics: readonly Topic[]): string {
  return TOPICS.filter((topic) => topics.includes(topic)).join(' ')
}

/** Reads what `topicsText` wrote; ignores topics that this version does not know. */
export function parseTopics(text: string): Topic[] {
  return text.split(' ').filter(isTopic)
}
