import { groupMembers, groups } from '../../schema/tables.ts'
import { groupNameKey } from '../../src/core/accounts/groups.ts'
import type { Site } from './site.ts'

/** Puts a group with members into the database. @returns The id. */
export async function addGroup(
  site: Pick<Site, 'db' | 'now'>,
  name: string,
  ...userIds: number[]
): Promise<number> {
  const row = { name, nameKey: groupNameKey(name), createdAt: site.now }
  const [added] = await site.db.insert(groups).values(row).returning({ id: groups.id })
  if (added === undefined) throw new Error('not inserted')
  const members = userIds.map((userId) => ({
    groupId: added.id,
    userId,
    addedAt: site.now,
    source: 'command',
  }))
  if (members.length > 0) await site.db.insert(groupMembers).values(members)
  return added.id
}
