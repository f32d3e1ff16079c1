import { COMMAND_LINE, isOperator } from '../../core/access/operators.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { insertEvent } from '../../core/audit/events.ts'
import type { Site } from '../site/site.ts'
import { readText } from './columns.ts'
import { NO_OWNER } from './reserved-names.ts'
import type { Source } from './source.ts'
import { selectSiteState } from './site-state.ts'
import { writeReservedNames } from './write.ts'

/**
 * Reserves the names in a database of this site that was replaced by an older one: programs may
 * know accounts that were made since.
 *
 * @returns The names that were free.
 */
export async function keepNames(site: Site, source: Source): Promise<string[]> {
  const now = site.now()
  const here = await selectSiteState(site.db, now)
  const owners = new Map(here.users.map(({ sub, id }) => [sub, id]))
  const names = [...source.users, ...source.reservedNames].flatMap((row) => {
    const username = readText(row['username'])
    const userId = owners.get(readText(row['sub'])) ?? NO_OWNER
    return username === ''
      ? []
      : [{ usernameKey: usernameKey(username), username, userId, reservedAt: now }]
  })
  const taken = new Set([...here.users.map((user) => user.usernameKey), ...here.reserved])
  const free = names.filter((name) => !taken.has(name.usernameKey))
  if (free.length === 0) return []
  const reserved = await writeReservedNames(site, free, now)
  const by = isOperator(site.db, COMMAND_LINE, now)
  const detail = String(reserved.length)
  await insertEvent(site.db, by, { at: now, kind: 'names_reserved', detail, ...COMMAND_LINE })
  return reserved
}
