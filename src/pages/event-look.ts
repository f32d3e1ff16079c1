import type { EventKind } from '../audit/kinds.ts'
import type { IconName, Tone } from './icons.tsx'

/** The groups of kinds in the filter, in their order. */
const KIND_GROUPS = ['warnings', 'signIns', 'credentials', 'accounts', 'site'] as const

type KindGroup = (typeof KIND_GROUPS)[number]

interface Look {
  icon: IconName
  tone: Tone
  group: KindGroup
}

/** The first pattern that fits decides how a kind looks. */
const LOOKS: [pattern: RegExp, icon: IconName, tone: Tone, group: KindGroup][] = [
  [/refus|cloned|replayed|elsewhere/, 'unprotected', 'red', 'warnings'],
  [/locked$/, 'lock', 'red', 'warnings'],
  [/^recovery_codes?_used/, 'recovery', 'amber', 'signIns'],
  [/sign_in$/, 'check', 'green', 'signIns'],
  [/^session/, 'sign-out', 'blue', 'signIns'],
  [/^key_/, 'keys', 'blue', 'credentials'],
  [/^passkey_/, 'passkeys', 'green', 'credentials'],
  [/^token_/, 'app-passwords', 'teal', 'credentials'],
  [/^identity_/, 'sso', 'violet', 'credentials'],
  [/^two_factor_cancelled|off$/, 'unprotected', 'amber', 'credentials'],
  [/^two_factor|^recovery/, 'security', 'green', 'credentials'],
  [/^password/, 'password', 'amber', 'credentials'],
  [/^(?:client|access|offline|signing)/, 'programs', 'violet', 'site'],
  [/^(?:settings|service)/, 'settings', 'amber', 'site'],
  [/^notices/, 'notices', 'blue', 'site'],
  [/^user_made|^users_imported/, 'new-user', 'green', 'accounts'],
]

/** Tells how lists show a kind of events, also one of a later version. */
export function lookOf(kind: string): Look {
  const [, icon, tone, group] = LOOKS.find(([pattern]) => pattern.test(kind)) ?? []
  return { icon: icon ?? 'users', tone: tone ?? 'amber', group: group ?? 'accounts' }
}

/** Returns the kinds of each group that has some. */
export function groupedKinds(kinds: readonly EventKind[]): [KindGroup, EventKind[]][] {
  return KIND_GROUPS.map((group): [KindGroup, EventKind[]] => [
    group,
    kinds.filter((kind) => lookOf(kind).group === group),
  ]).filter(([, found]) => found.length > 0)
}
