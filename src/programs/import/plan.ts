import { type Account, isKept, isWritten, type Outcome, planAccounts } from './accounts.ts'
import { readId, readText } from './columns.ts'
import { readKey } from './keys.ts'
import { passkeyNameOf, readPasskey, oldRpId } from './passkeys.ts'
import { type GroupsPlan, planGroups } from './groups.ts'
import { giveIdentities } from './identities.ts'
import { planSettings } from './settings.ts'
import { type OldServiceToken, readServiceToken } from './service-tokens.ts'
import type { SiteState } from './site-state.ts'
import type { Item, RawRow, Source } from './source.ts'
import { type OldReservedName, planReservedNames } from './reserved-names.ts'
import { GENERAL, GUEST } from '../../core/accounts/roles.ts'
import type { FileUserRow } from './store.ts'

/** The number of rows of each kind. */
export interface Counts {
  users: number
  keys: number
  settings: number
  passkeys: number
}

export interface Choices {
  /** The RP ID of the passkeys of OpenList or AList; by default the host of its `site_url`. */
  passkeyRpId?: string
}

/** The plan of an import. */
export interface Plan {
  accounts: Account[]
  /** The values by their keys. */
  settings: Record<string, string>
  serviceTokens: OldServiceToken[]
  reservedNames: OldReservedName[]
  /** Users of the file server that accounts go on being. */
  fileUsers: FileUserRow[]
  groups: Omit<GroupsPlan, 'refused' | 'notes'>
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
export function planImport(
  source: Source,
  site: SiteState,
  now: number,
  { passkeyRpId = oldRpId(source.settings) }: Choices = {},
): Plan {
  const users = planAccounts(source.users, site, now)
  const keys = planKeys(source.keys, users.outcomes, now)
  const passkeys = planPasskeys(source, site, users.outcomes, passkeyRpId, now)
  const settings = planSettings(source.settings, site.settings, source.kind === 'latchkey')
  giveRecoveryCodes(source.recoveryCodes, users)
  users.notes.push(...giveIdentities(source, users.outcomes))
  const {
    refused: refusedGroups,
    notes: notesOfGroups,
    ...groups
  } = planGroups(source, {
    outcomes: users.outcomes,
    site,
  })
  return {
    accounts: users.accounts,
    groups,
    settings: settings.changes,
    serviceTokens: source.serviceTokens.flatMap((row) => readServiceToken(row) ?? []),
    fileUsers: source.kind === 'database' ? users.accounts.flatMap(fileUserOf) : [],
    reservedNames: planReservedNames(source.reservedNames, users.outcomes, site),
    kept: { users: users.kept, keys: keys.kept, settings: settings.kept, passkeys: passkeys.kept },
    refused: [
      ...users.refused,
      ...keys.refused,
      ...settings.refused,
      ...passkeys.refused,
      ...refusedGroups,
    ],
    notes: [...users.notes, ...notesOfGroups],
  }
}

/** Admins act as the one admin there, and the guest is found by the role: both need no link. */
function fileUserOf({ id, usernameKey, oldId, username, role }: Account): FileUserRow[] {
  if (role !== GENERAL || oldId === undefined) return []
  return [{ userId: id, usernameKey, remoteId: oldId, remoteName: username }]
}

/**
 * Adds the keys to their accounts. A user who stays unchanged gets no keys, so that a key that was
 * deleted here does not come back; a key that an earlier import refused is refused again.
 */
function planKeys(rows: RawRow[], outcomes: Map<number, Outcome>, now: number) {
  const refused: Item[] = []
  let kept = 0
  for (const row of rows) {
    const [id, userId] = [readId(row['id']), readId(row['user_id'])]
    const owner = userId === undefined ? undefined : outcomes.get(userId)
    const reason = giveKey(owner, row, now)
    const name = readText(row['title'])
    if (reason !== undefined)
      refused.push({ kind: 'key', ...(id !== undefined && { id }), name, reason })
    else if (isKept(owner)) kept += 1
  }
  return { kept, refused }
}

/** @returns `undefined` when the account gets the key; otherwise the reason for the refusal. */
function giveKey(owner: Outcome | undefined, row: RawRow, now: number) {
  if (owner === undefined) return 'its user is not in the source'
  if (owner === 'refused') return 'its user is refused'
  if (owner.role === GUEST) return 'the guest can not have keys'
  const key = readKey(row, owner.keys, now)
  if (typeof key === 'string') return `${key} (of "${owner.username}")`
  owner.keys.push(key)
  return undefined
}

/**
 * Adds the passkeys to their accounts. A passkey holds the id of its user, so it goes only to a
 * user who has kept the id.
 */
function planPasskeys(
  source: Source,
  site: SiteState,
  outcomes: Map<number, Outcome>,
  rpId: string | undefined,
  now: number,
) {
  const refused: Item[] = []
  const taken = new Set(site.passkeyIds)
  let kept = 0
  for (const row of source.passkeys) {
    const userId = readId(row['user_id'])
    const owner = userId === undefined ? undefined : outcomes.get(userId)
    const reason = givePasskey(owner, userId, row, { taken, rpId, now })
    if (reason === undefined) {
      if (isKept(owner)) kept += 1
    } else refused.push({ kind: 'passkey', name: passkeyNameOf(row), reason })
  }
  return { kept, refused }
}

/** @returns `undefined` when the account gets the passkey, or stays unchanged. */
function givePasskey(
  owner: Outcome | undefined,
  userId: number | undefined,
  row: RawRow,
  { taken, rpId, now }: { taken: Set<string>; rpId: string | undefined; now: number },
): string | undefined {
  if (owner === undefined) return 'its user is not in the source'
  if (owner === 'refused') return 'its user is refused'
  const of = ` (of "${owner.username}")`
  if (owner.role === GUEST) return `the guest can not have passkeys${of}`
  const passkey = readPasskey(row, isKept(owner) ? [] : owner.passkeys, rpId, now)
  if (isKept(owner)) return typeof passkey === 'string' ? `${passkey}${of}` : undefined
  if (typeof passkey === 'string') return `${passkey}${of}`
  if (owner.id !== userId) return `it holds the old id of its user, who has a new one${of}`
  if (taken.has(passkey.credentialId)) return `a passkey with this id exists already${of}`
  taken.add(passkey.credentialId)
  owner.passkeys.push(passkey)
  return undefined
}

/** Gives unused recovery codes to the users who have kept their id, which the codes depend on. */
function giveRecoveryCodes(rows: RawRow[], { outcomes, notes }: ReturnType<typeof planAccounts>) {
  for (const [userId, codes] of Map.groupBy(rows, (row) => readId(row['user_id']))) {
    const owner = userId === undefined ? undefined : outcomes.get(userId)
    if (userId === undefined || !isWritten(owner)) continue
    if (owner.id === userId)
      owner.recoveryCodes.push(...codes.map((row) => readText(row['code_hash'])))
    else notes.push({ kind: 'user', id: userId, name: owner.username, reason: LOST_CODES })
  }
}

const LOST_CODES = 'needs new recovery codes, because the id is another one'
