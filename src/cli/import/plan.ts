import { type Fate, type Account, planAccounts } from './accounts.ts'
import { readId, readText } from './columns.ts'
import { readKey } from './keys.ts'
import { planSettings } from './settings.ts'
import type { RawRow, Source } from './source.ts'
import { GUEST } from '../../accounts/roles.ts'

/** What the plan must know of the site it is for. */
export interface SiteState {
  users: { id: number; usernameKey: string; role: number; isUntouched: boolean }[]
  /** Ids of users, there or gone, that an event tells of. */
  eventUserIds: number[]
  /** Keys of settings that an operator has changed. */
  settings: string[]
}

/** Something of the source that the report names. */
export interface Item {
  kind: 'user' | 'key' | 'setting'
  /** In the source. */
  id?: number
  name: string
  reason: string
}

/** How much of each kind. */
export interface Counts {
  users: number
  keys: number
  settings: number
}

/** What an import will do. */
export interface Plan {
  accounts: Account[]
  /** By key. */
  settings: Record<string, string>
  /** What is here already, and stays as it is. */
  kept: Counts
  refused: Item[]
  /** What the operator should know of users who were not refused. */
  notes: Item[]
}

/**
 * Decides what an import will do; writes nothing. Once the plan was carried out, the same source
 * gives one that changes nothing.
 *
 * @param now Unix time, milliseconds.
 */
export function planImport(source: Source, site: SiteState, now: number): Plan {
  const users = planAccounts(source.users, site, now)
  const keys = planKeys(source.keys, users.fates, now)
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
 * Gives every account its keys. A user who is kept keeps the keys there are: one that was deleted
 * here must not come back.
 */
function planKeys(rows: RawRow[], fates: Map<number, Fate>, now: number) {
  const refused: Item[] = []
  let kept = 0
  for (const row of rows) {
    const [id, userId] = [readId(row['id']), readId(row['user_id'])]
    const owner = userId === undefined ? undefined : fates.get(userId)
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

/** @returns Nothing once the account has the key; else why it can't have it. */
function giveKey(owner: Account | 'refused' | undefined, row: RawRow, now: number) {
  if (owner === undefined) return 'its user is not in the source'
  if (owner === 'refused') return 'its user is refused'
  if (owner.role === GUEST) return 'the guest has no keys'
  const key = readKey(row, owner.keys, now)
  if (typeof key === 'string') return `${key} (of "${owner.username}")`
  owner.keys.push(key)
  return undefined
}
