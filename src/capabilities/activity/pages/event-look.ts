import { type EventKind, isEventKind, type KindLook, rowOfKind } from '../../../core/audit/kinds.ts'
import type { IconName, Tone } from '../../../web/kit/icons.tsx'

/** The groups of kinds in the filter, in their order. */
const KIND_GROUPS = ['warnings', 'signIns', 'credentials', 'accounts', 'site'] as const

type KindGroup = (typeof KIND_GROUPS)[number]

interface Look {
  icon: IconName
  tone: Tone
  group: KindGroup
}

const LOOKS: Record<KindLook, Look> = {
  warning: { icon: 'unprotected', tone: 'red', group: 'warnings' },
  lock: { icon: 'lock', tone: 'red', group: 'warnings' },
  signedIn: { icon: 'check', tone: 'green', group: 'signIns' },
  session: { icon: 'sign-out', tone: 'blue', group: 'signIns' },
  recoveryCode: { icon: 'recovery', tone: 'amber', group: 'signIns' },
  twoFactor: { icon: 'security', tone: 'green', group: 'credentials' },
  twoFactorOff: { icon: 'unprotected', tone: 'amber', group: 'credentials' },
  password: { icon: 'password', tone: 'amber', group: 'credentials' },
  passkey: { icon: 'passkeys', tone: 'green', group: 'credentials' },
  key: { icon: 'keys', tone: 'blue', group: 'credentials' },
  appPassword: { icon: 'app-passwords', tone: 'teal', group: 'credentials' },
  identity: { icon: 'sso', tone: 'violet', group: 'credentials' },
  program: { icon: 'programs', tone: 'violet', group: 'site' },
  settings: { icon: 'settings', tone: 'amber', group: 'site' },
  notices: { icon: 'notices', tone: 'blue', group: 'site' },
  account: { icon: 'users', tone: 'amber', group: 'accounts' },
  group: { icon: 'users', tone: 'violet', group: 'accounts' },
  folder: { icon: 'files', tone: 'amber', group: 'site' },
  newAccount: { icon: 'new-user', tone: 'green', group: 'accounts' },
}

/** Tells how lists show a kind of events, also one of a later version. */
export function lookOf(kind: string): Look {
  return LOOKS[isEventKind(kind) ? rowOfKind(kind).look : 'account']
}

/** Returns the kinds of each group that has some. */
export function groupedKinds(kinds: readonly EventKind[]): [KindGroup, EventKind[]][] {
  return KIND_GROUPS.map((group): [KindGroup, EventKind[]] => [
    group,
    kinds.filter((kind) => lookOf(kind).group === group),
  ]).filter(([, found]) => found.length > 0)
}
