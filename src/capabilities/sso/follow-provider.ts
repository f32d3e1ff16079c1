import { sql } from 'drizzle-orm'
import { groupMembers } from '../../../schema/tables.ts'
import { groupsNamed, idsOf, membersAdding, membersRemoving } from '../../core/accounts/groups.ts'
import { type AuditEvent, logWritten, recordEvent } from '../../core/audit/events.ts'
import type { Client } from '../../core/base/network.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { SsoConfig } from './config.ts'

/**
 * Puts a user whom a provider has just proven into the groups that the map has for the values of
 * the claim, and takes the user out of the other groups of the map. Groups that are not in the map
 * stay.
 *
 * @param values Of the claim; null for one that can't be read, which changes nothing.
 */
export async function followProvider(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { platform, groupMap }: Pick<SsoConfig, 'platform' | 'groupMap'>,
  userId: number,
  values: readonly string[] | null,
  client: Client,
): Promise<void> {
  const event: AuditEvent = { ...client, at: now(), kind: 'groups_claim_unreadable', userId }
  if (values === null) return recordEvent(db, { ...event, detail: platform })
  if (groupMap.size === 0) return
  const userIds = idsOf(userId)
  const { ids: wantedIds } = groupsNamed(values.flatMap((value) => groupMap.get(value) ?? []))
  const isUnwanted = sql`${groupMembers.groupId} not in (select value from json_each(${wantedIds}))`
  const parts = {
    ...membersRemoving(
      db,
      THE_SERVICE,
      { userIds, groupIds: groupsNamed([...groupMap.values()]).ids },
      { ...event, kind: 'group_member_removed' },
      isUnwanted,
    ),
    ...membersAdding(
      db,
      THE_SERVICE,
      { userIds, groupIds: wantedIds },
      { source: 'sso' },
      { ...event, kind: 'group_member_added' },
    ),
  }
  logWritten(parts, await runBatch(db, parts))
}
