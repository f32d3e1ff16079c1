import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { readId, readText } from './columns.ts'
import type { OldKey } from './keys.ts'
import type { OldPasskey } from './passkeys.ts'
import type { SiteState } from './site-state.ts'
import type { Item, RawRow } from './source.ts'
import { type OldUser, readUser } from './users.ts'
import { visible } from '../../core/base/text.ts'
import { permissionText } from '../kit/permission.ts'
import { latchkey } from '../kit/printed-command.ts'

/** An account at an identity provider, as the source has it. */
export interface OldIdentity {
  issuer: string
  subject: string
  platform: string
  name: string
}

/** An account that the import creates, replaces or completes, with its keys. */
export interface Account extends Omit<OldUser, 'id' | 'remarks'> {
  id: number
  /** The id in the source. */
  oldId: number | undefined
  usernameKey: string
  /** Whether it replaces a built-in account that nobody has used yet. */
  takesOver: boolean
  /** Whether it gives password, second factor and keys to an account that has none of them. */
  completes: boolean
  keys: OldKey[]
  passkeys: OldPasskey[]
  identities: OldIdentity[]
  /** Hashes of recovery codes; they are valid only with the old id. */
  recoveryCodes: string[]
}

/** A user who is here already and stays unchanged. */
interface Kept extends Pick<Account, 'username' | 'role' | 'keys'> {
  isKept: true
}

/** The decision about a user of the source, which also applies to the user's keys. */
export type Outcome = Account | Kept | 'refused'

/** Tells whether the account stays as it is here. */
export function isKept(outcome: Outcome | undefined): outcome is Kept {
  return typeof outcome === 'object' && 'isKept' in outcome
}

/** Tells whether the import writes the account. */
export function isWritten(outcome: Outcome | undefined): outcome is Account {
  return typeof outcome === 'object' && !isKept(outcome)
}

interface Decision {
  outcome: Outcome

  /** The reasons for a refusal, or notes for the operator. */
  remarks: string[]
}

/** The state of planning: the site, and the decisions so far. */
interface Planning {
  site: SiteState
  locals: Map<string, SiteState['users'][number]>
  /** Keys of the names that accounts had here. */
  reserved: Set<string>
  /** Users of the source that came earlier, by name key, or by `GUEST_KEY`. */
  earlier: Map<string, string>
  /** Ids that the plan has given to users. */
  takenIds: Set<number>
  /** Users by `sub`: those who are here, and those of the plan. */
  owners: Map<string, string>
  nextId: number
}

/** The key of the guest's role; it differs from all names, because no name has a NUL. */
const GUEST_KEY = '\0guest'

/** The plan for the users of a source. */
interface AccountsPlan {
  accounts: Account[]
  kept: number
  refused: Item[]
  notes: Item[]
  /** The decisions by the id in the source. */
  outcomes: Map<number, Outcome>
}

/** Decides which users of the source become accounts; of two with the same name, the first. */
export function planAccounts(rows: RawRow[], site: SiteState, now: number): AccountsPlan {
  const planning = startPlanning(rows, site)
  const plan: AccountsPlan = { accounts: [], kept: 0, refused: [], notes: [], outcomes: new Map() }
  for (const row of rows) {
    const { outcome, remarks } = decide(planning, readUser(row, now))
    const id = readId(row['id'])
    if (id !== undefined && !plan.outcomes.has(id)) plan.outcomes.set(id, outcome)
    if (isKept(outcome)) plan.kept += 1
    else if (outcome !== 'refused') plan.accounts.push(outcome)
    const items = outcome === 'refused' ? plan.refused : plan.notes
    items.push(...remarks.map((reason) => itemOf(row, reason)))
  }
  return plan
}

function startPlanning(rows: RawRow[], site: SiteState): Planning {
  const wantedIds = rows.map((row) => readId(row['id']) ?? 0)
  return {
    site,
    locals: new Map(site.users.map((user) => [user.usernameKey, user])),
    reserved: new Set(site.reserved),
    earlier: new Map(),
    takenIds: new Set(),
    owners: new Map(site.users.map(({ sub, usernameKey: key }) => [sub, key])),
    nextId: wantedIds.reduce((a, b) => Math.max(a, b), site.highestId) + 1,
  }
}

function decide(planning: Planning, user: OldUser | string): Decision {
  if (typeof user === 'string') return { outcome: 'refused', remarks: [user] }
  const isGuest = user.role === GUEST
  const key = usernameKey(user.username)
  const twin = planning.earlier.get(key)
  if (twin !== undefined)
    return { outcome: 'refused', remarks: [`its name is too similar to "${twin}"`] }
  const otherGuest = isGuest ? planning.earlier.get(GUEST_KEY) : undefined
  if (otherGuest !== undefined)
    return {
      outcome: 'refused',
      remarks: [`there can be only one guest, and "${otherGuest}" comes first`],
    }
  planning.earlier.set(key, user.username)
  if (isGuest) planning.earlier.set(GUEST_KEY, user.username)
  const guest = isGuest ? planning.site.users.find(({ role }) => role === GUEST) : undefined
  const local = guest ?? planning.locals.get(key)
  if (local === undefined && planning.reserved.has(key))
    return { outcome: 'refused', remarks: [RESERVED] }
  const decision =
    local === undefined ? planNewAccount(planning, user, key) : decideExisting(user, local)
  return giveSub(planning, decision)
}

/** Takes the `sub` from an account when another user has it, so that the account gets a new one. */
function giveSub({ owners }: Planning, decision: Decision): Decision {
  const { outcome, remarks } = decision
  if (!isWritten(outcome) || outcome.sub === '') return decision
  const { sub, usernameKey: key } = outcome
  const owner = owners.get(sub) ?? key
  owners.set(sub, owner)
  if (owner === key) return decision
  return { outcome: { ...outcome, sub: '' }, remarks: [...remarks, NEW_SUB] }
}

const RESERVED = `its name belonged to another account here; to release it: ${latchkey('reserved-name', 'release', 'NAME')}`

const NEW_SUB =
  'has a new sub, because another user has the old one: apps take this for another user'

/** Plans a new account, with its old id if that is free. */
function planNewAccount(
  planning: Planning,
  { id: oldId, remarks, ...user }: OldUser,
  key: string,
): Decision {
  // An id is never used again: tokens and passkeys of a deleted user hold it.
  const isFree =
    oldId !== undefined && oldId > planning.site.highestId && !planning.takenIds.has(oldId)
  const id = isFree ? oldId : planning.nextId++
  planning.takenIds.add(id)
  const moved = isFree ? [] : [`has the new id ${id}: the old id was used here, or is invalid`]
  const outcome = {
    ...user,
    ...NOTHING_YET(),
    id,
    oldId,
    usernameKey: key,
    takesOver: false,
    completes: false,
  }
  return { outcome, remarks: [...remarks, ...moved] }
}

const NOTHING_YET = () => ({ keys: [], passkeys: [], recoveryCodes: [], identities: [] })

/**
 * Decides about a user whose name exists here. Built-in accounts exist before any import; while
 * they are unused, the source's accounts replace them. An account without password, second factor,
 * sessions and keys, as the import of a backup leaves it, gets those of the source. All other
 * accounts stay unchanged.
 */
function decideExisting(user: OldUser, local: SiteState['users'][number]): Decision {
  const isAdmin = user.role === ADMIN && local.role === ADMIN
  const isGuest = user.role === GUEST && local.role === GUEST
  // An admin who can't sign in would lock the operator out.
  const isOfUse = isGuest || (isAdmin && !user.disabled && user.password !== undefined)
  const { id: oldId, remarks, ...rest } = user
  const { id, usernameKey: key } = local
  const account = { ...rest, ...NOTHING_YET(), id, oldId, usernameKey: key }
  if (!local.isUntouched || !isOfUse) {
    if (isCompletedBy(user, local))
      return {
        outcome: { ...account, takesOver: false, completes: true },
        remarks: [...remarks, COMPLETED],
      }
    return {
      outcome: { isKept: true, username: user.username, role: user.role, keys: [] },
      remarks: isAdmin ? [keptBecause(local)] : [],
    }
  }
  return {
    outcome: { ...account, takesOver: true, completes: false },
    remarks: isAdmin
      ? [...remarks, 'signs in with the old password; the password from here no longer works']
      : [...remarks, replacesGuest(user)],
  }
}

/** Says what everybody may do without a sign-in, now that another guest is here. */
function replacesGuest({ disabled, basePath, permission }: OldUser): string {
  const replaced = 'replaces the guest of this site'
  if (disabled) return `${replaced}; it is disabled, so nobody gets in without a sign-in`
  return `${replaced}; it is enabled: without a sign-in, everybody gets into ${visible(basePath)}, with the permissions: ${permissionText(permission)}`
}

function keptBecause({ isUntouched }: SiteState['users'][number]): string {
  const reason = isUntouched
    ? 'the one of the source cannot sign in'
    : 'it was used or changed since it was made'
  return `exists here already; keeps the password from here, because ${reason}`
}

const COMPLETED =
  'was here without password, sessions and keys: now has the password, 2FA, SSH keys and passkeys of the source'

/** An account with another role is another user, or the role was changed here on purpose. */
function isCompletedBy(user: OldUser, local: SiteState['users'][number]): boolean {
  return (
    local.isBare && user.role === local.role && user.role !== GUEST && user.password !== undefined
  )
}

function itemOf(row: RawRow, reason: string): Item {
  const id = readId(row['id'])
  return { kind: 'user', ...(id !== undefined && { id }), name: readText(row['username']), reason }
}
