import { ADMIN, GUEST } from '../../accounts/roles.ts'
import { usernameKey } from '../../accounts/username.ts'
import { readId, readText } from './columns.ts'
import type { OldKey } from './keys.ts'
import type { Item, SiteState } from './plan.ts'
import type { RawRow } from './source.ts'
import { type OldUser, readUser } from './users.ts'

/** An account that will be there, with the keys that come with it. */
export interface Account extends Omit<OldUser, 'id' | 'remarks'> {
  id: number
  usernameKey: string
  /** Whether it takes the place of a built-in account that nobody has used yet. */
  takesOver: boolean
  keys: OldKey[]
}

/** What becomes of a user of the source; its keys share that. */
export type Fate = Account | 'kept' | 'refused'

interface Decision {
  fate: Fate
  /** Why it is refused, or what the operator should know. */
  remarks: string[]
}

/** What a decision looks up, and what the ones before it leave behind. */
interface Desk {
  site: SiteState
  locals: Map<string, SiteState['users'][number]>
  /** Users of the source who came earlier, by what only one may have. */
  earlier: Map<string, string>
  takenIds: Set<number>
  nextId: number
}

/** Stands for the role of the guest among names; no name has a NUL. */
const GUEST_KEY = '\0guest'

/** What becomes of the users of a source. */
interface AccountsPlan {
  accounts: Account[]
  kept: number
  refused: Item[]
  notes: Item[]
  /** By the id in the source. */
  fates: Map<number, Fate>
}

/** Decides which users of the source will be accounts here; of two alike, the first. */
export function planAccounts(rows: RawRow[], site: SiteState, now: number): AccountsPlan {
  const desk = openDesk(rows, site)
  const plan: AccountsPlan = { accounts: [], kept: 0, refused: [], notes: [], fates: new Map() }
  for (const row of rows) {
    const { fate, remarks } = decide(desk, readUser(row, now))
    const id = readId(row['id'])
    if (id !== undefined && !plan.fates.has(id)) plan.fates.set(id, fate)
    if (fate === 'kept') plan.kept += 1
    else if (fate !== 'refused') plan.accounts.push(fate)
    const items = fate === 'refused' ? plan.refused : plan.notes
    items.push(...remarks.map((reason) => itemOf(row, reason)))
  }
  return plan
}

function openDesk(rows: RawRow[], site: SiteState): Desk {
  const takenIds = new Set([...site.users.map(({ id }) => id), ...site.eventUserIds])
  const wantedIds = rows.map((row) => readId(row['id']) ?? 0)
  return {
    site,
    locals: new Map(site.users.map((user) => [user.usernameKey, user])),
    earlier: new Map(),
    takenIds,
    nextId: [...takenIds, ...wantedIds].reduce((a, b) => Math.max(a, b), 0) + 1,
  }
}

function decide(desk: Desk, user: OldUser | string): Decision {
  if (typeof user === 'string') return { fate: 'refused', remarks: [user] }
  const isGuest = user.role === GUEST
  const key = usernameKey(user.username)
  const twin = desk.earlier.get(key)
  if (twin !== undefined)
    return { fate: 'refused', remarks: [`its name looks like that of "${twin}"`] }
  const otherGuest = isGuest ? desk.earlier.get(GUEST_KEY) : undefined
  if (otherGuest !== undefined)
    return { fate: 'refused', remarks: [`there is one guest only, "${otherGuest}"`] }
  desk.earlier.set(key, user.username)
  if (isGuest) desk.earlier.set(GUEST_KEY, user.username)
  const guest = isGuest ? desk.site.users.find(({ role }) => role === GUEST) : undefined
  const local = guest ?? desk.locals.get(key)
  return local === undefined ? make(desk, user, key) : meet(user, local)
}

/** A new account, under its old id where that is free. */
function make(desk: Desk, { id: oldId, remarks, ...user }: OldUser, key: string): Decision {
  const isFree = oldId !== undefined && !desk.takenIds.has(oldId)
  const id = isFree ? oldId : desk.nextId++
  desk.takenIds.add(id)
  const moved = isFree ? [] : [`has a new id, ${id}: the old one is another's here, or is none`]
  const fate = { ...user, id, usernameKey: key, takesOver: false, keys: [] }
  return { fate, remarks: [...remarks, ...moved] }
}

/**
 * The built-in accounts are made before anybody can import; until somebody uses them, those of the
 * source take their place. Whoever else is here stays.
 */
function meet(user: OldUser, local: SiteState['users'][number]): Decision {
  const isAdmin = user.role === ADMIN && local.role === ADMIN
  const isGuest = user.role === GUEST && local.role === GUEST
  // An admin nobody can sign in as would lock the operator out.
  const isOfUse = isGuest || (isAdmin && !user.disabled && user.password !== undefined)
  if (!local.isUntouched || !isOfUse) {
    return { fate: 'kept', remarks: isAdmin ? ['stays as here, with the password of here'] : [] }
  }
  const { id: _, remarks, ...rest } = user
  const { id } = local
  return {
    fate: { ...rest, id, usernameKey: local.usernameKey, takesOver: true, keys: [] },
    remarks: isAdmin
      ? [...remarks, 'signs in with its old password; the one made here is no more']
      : remarks,
  }
}

function itemOf(row: RawRow, reason: string): Item {
  const id = readId(row['id'])
  return { kind: 'user', ...(id !== undefined && { id }), name: readText(row['username']), reason }
}
