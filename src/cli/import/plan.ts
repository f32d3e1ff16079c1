import { type Outcome, type Account, planAccounts } from './accounts.ts'
import { readId, readText } from './columns.ts'
import { readKey } from './keys.ts'
import { planSettings } from './settings.ts'
import type { RawRow, Source } from './source.ts'
import { GUEST } from '../../accounts/roles.ts'

/** The state of the site into which the import writes. */
export interface SiteState {
  users: { id: number; usernameKey: string; role: number; isUntouched: boolean }[]
  /** Ids of users in events; the users may be deleted. */
  eventUserIds: number[]
  /** Keys of settings that an operator has changed. */
  settings: string[]
}

/** A row of the source that the report names. */
export interface Item {
  kind: 'user' | 'key' | 'setting'
  /** The id in the source. */
  id?: number
  name: string
  reason: string
}

/** The number of rows of each kind. */
export interface Counts {
  users: number
  keys: number
  settings: number
}

/** The plan of an import. */
export interface Plan {
  accounts: Account[]
  /** By key. */
  settings: Record<string, string>
  /** Rows that exist here already and stay unchanged. */
  kept: Counts
  refused: Item[]
  /** Notes for the operator about users who were not refused. */
  notes: Item[]
}

/**
 * Plans an import; writes nothing. After an import, a second plan from the same source changes
 * nothing.
 *
 * @param now Unix time, milliseconds.
 */
export function planImport(source: Source, site: SiteState, now: number): Plan {
  const users = planAccounts(source.users, site, now)
  const keys = planKeys(source.keys, users.outcomes, now)
  const settings = planSettings(source.settings, site.settings)
  return {
    accounts: users.accounts,
    settings: settings.changes,
    kept: { users: users.kept, keys: keys.kept, settings: settings.kept },
    refused: [...users.refused, ...keys.refused, ...settings.refused],
    notes: users.notes,
  }
}

/**
 * Adds the keys to their accounts. A user who stays unchanged gets no keys, so that a key that was
 * deleted here does not come back.
 */
function planKeys(rows: RawRow[], outcomes: Map<number, Outcome>, now: number) {
  const refused: Item[] = []
  let kept = 0
  for (const row of rows) {
    const [id, userId] = [readId(row['id']), readId(row['user_id'])]
    const owner = userId === undefined ? undefined : outcomes.get(userId)
    if (owner === 'kept') {
      kept += 1
      continue
    }
    const reason = giveKey(owner, row, now)
    const name = readText(row['title'])
    if (reason !== undefined)
      refused.push({ kind: 'key', ...(id !== undefined && { id }), name, reason })
  }
  return { kept, refused }
}

/** @returns `undefined` when the account gets the key; otherwise the reason for the refusal. */
function giveKey(owner: Account | 'refused' | undefined, row: RawRow, now: number) {
  if (owner === undefined) return 'its user is not in the source'
  if (owner === 'refused') return 'its user is refused'
  if (owner.role === GUEST) return 'the guest can not have keys'
  const key = readKey(row, owner.keys, now)
  if (typeof key === 'string') return `${key} (of "${owner.username}")`
  owner.keys.push(key)
  return undefined
}
