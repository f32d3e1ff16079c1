import * as v from 'valibot'
import { text } from '../../core/base/text.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { isWritten, type Outcome } from './accounts.ts'
import { numberColumn, readId } from './columns.ts'
import type { SiteState } from './site-state.ts'
import type { RawRow } from './source.ts'

/** A name that an account of another Latchkey site had. */
export interface OldReservedName {
  usernameKey: string
  username: string
  /** The user who may have the name again, or `NO_OWNER`. */
  userId: number
  reservedAt: number
}

/** No user has this id, and no new user either, for whom 0 stands (`NOBODY`). */
export const NO_OWNER = -1

const nameRow = v.object({ username: text(), reserved_at: numberColumn })

/** Plans the reservations of the source for which nothing is reserved here, nor is the name taken. */
export function planReservedNames(
  rows: RawRow[],
  outcomes: Map<number, Outcome>,
  site: SiteState,
): OldReservedName[] {
  const taken = new Set([...site.users.map((user) => user.usernameKey), ...site.reserved])
  for (const outcome of outcomes.values()) if (isWritten(outcome)) taken.add(outcome.usernameKey)
  return rows.flatMap((row) => {
    const name = v.safeParse(nameRow, row)
    if (!name.success) return []
    const { username, reserved_at: reservedAt } = name.output
    const key = usernameKey(username)
    if (taken.has(key)) return []
    taken.add(key)
    const owner = outcomes.get(readId(row['user_id']) ?? NO_OWNER)
    const userId = isWritten(owner) ? owner.id : NO_OWNER
    return [{ usernameKey: key, username, userId, reservedAt }]
  })
}
