/** The topics of notices. Operators and users choose among these for a channel. */
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
  'groups',
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
