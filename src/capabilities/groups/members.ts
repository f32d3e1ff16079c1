import { sql } from 'drizzle-orm'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import { isActor, type Operator, userIdOf } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import { MAX_GROUPS_OF_USER, membersAdding, membersRemoving } from '../../core/accounts/groups.ts'
import { readGroupName } from '../../core/accounts/group-names.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { windowOf } from '../../core/base/paging.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  areFit,
  areKnown,
  countMembers,
  idOfGroup,
  insertGroup,
  type ListedMember,
  mayMakeGroup,
  selectGroup,
  selectMembers,
  selectRival,
  selectUnfit,
} from './group-store.ts'
import { notMade } from './manage-groups.ts'
import { hasFolders } from './meta-store.ts'
import { forgetGone, type WriterDeps, writeInTime } from './write-in-time.ts'

/** The number of users of one request. */
const MAX_USERS = 500

/** @throws {Refusal} `notAdmin`, `groupNotFound`. */
export async function listMembers(
  deps: ReaderDeps,
  operator: Operator,
  groupId: number,
  page: number,
  perPage: number,
): Promise<{ members: ListedMember[]; total: number }> {
  const { found, members, counted } = await read(deps, of(operator), {
    found: selectGroup(deps.db, groupId),
    members: selectMembers(deps.db, groupId, windowOf(page, perPage)),
    counted: countMembers(deps.db, groupId),
  })
  if (found.length === 0) throw new Refusal('groupNotFound')
  return { members, total: counted[0]?.total ?? 0 }
}

/**
 * Adds users to a group: all of them, or none. A user who is a member already is no error.
 *
 * @throws {Refusal} `membersMissing`, `invalidBody`; `notAdmin`, `confirmationNeeded`,
 *   `groupNotFound`, `userNotFound`, `guestInNoGroup`, `tooManyGroupsOfUser`.
 */
export async function addMembers(
  deps: ChangeDeps & WriterDeps,
  operator: Operator,
  groupId: number,
  users: readonly number[] | null | undefined,
): Promise<void> {
  const { db } = deps
  const userIds = readUsers(users)
  const group = idOfGroup({ id: groupId })
  const { unfit, membersAdded } = await change(
    deps,
    of(operator),
    { kind: 'group_member_added', fresh: true },
    ({ by, event }) => ({
      unfit: selectUnfit(db, group, userIds),
      ...membersAdding(
        db,
        by,
        { userIds, groupIds: [groupId] },
        addedBy(operator),
        event,
        areFit(group, userIds),
      ),
    }),
  )
  if (typeof unfit[0]?.groupId !== 'number') throw new Refusal('groupNotFound')
  refuseUnfit(unfit)
  if (membersAdded.length > 0) await writeGiven(deps)
}

/** Writes what new members may read, but not what has gone from there before. */
async function writeGiven(deps: WriterDeps): Promise<void> {
  const files = deps.fileServer()
  if (files !== undefined && (await hasFolders(deps.db))) await forgetGone(deps, files)
  await writeInTime(deps)
}

function addedBy(operator: Operator) {
  return {
    source: isActor(operator) ? ('operator' as const) : ('command' as const),
    addedBy: userIdOf(operator),
  }
}

/** @throws {Refusal} `userNotFound`, `guestInNoGroup`, `tooManyGroupsOfUser`. */
function refuseUnfit([reason]: Awaited<ReturnType<typeof selectUnfit>>): void {
  if (reason === undefined) return
  if (reason.unknown > 0) throw new Refusal('userNotFound')
  if (reason.guests > 0) throw new Refusal('guestInNoGroup')
  if (reason.full > 0)
    throw new Refusal('tooManyGroupsOfUser', { values: { limit: MAX_GROUPS_OF_USER } })
}

/**
 * Adds users to the group of this name, which is made if there is none: all of it, or nothing.
 *
 * @returns The id of the group.
 * @throws {Refusal} Those of `createGroup` and of `addMembers`.
 */
export async function addToNamedGroup(
  deps: ChangeDeps & WriterDeps,
  operator: Operator,
  given: string | undefined,
  users: readonly number[],
): Promise<number> {
  const { db } = deps
  const name = readGroupName(given)
  const userIds = readUsers(users)
  const group = idOfGroup({ name })
  const fit = areFit(group, userIds)
  const mayMake = sql`(${mayMakeGroup(name)} and ${fit})`
  const { rivals, made, unfit, membersAdded } = await change(
    deps,
    of(operator),
    { kind: 'group_member_added', fresh: true },
    ({ now, by, event }) => ({
      rivals: selectRival(db, name),
      making: insertEvent(db, by, { ...event, kind: 'group_created', detail: name }, mayMake),
      made: insertGroup(db, by, { name, note: '', createdAt: now }, mayMake),
      unfit: selectUnfit(db, group, userIds),
      ...membersAdding(
        db,
        by,
        { userIds, groupIds: sql`json_array(${group})` },
        addedBy(operator),
        event,
        fit,
      ),
    }),
  )
  refuseUnfit(unfit)
  const id = made[0]?.id ?? unfit[0]?.groupId
  if (typeof id !== 'number') throw notMade(rivals)
  if (membersAdded.length > 0) await writeGiven(deps)
  return id
}

/**
 * Removes users from a group: all of them, or none. A user who is no member is no error.
 *
 * @throws {Refusal} `membersMissing`, `invalidBody`; `notAdmin`, `confirmationNeeded`,
 *   `groupNotFound`, `userNotFound`.
 */
export async function removeMembers(
  deps: ChangeDeps & WriterDeps,
  operator: Operator,
  groupId: number,
  users: readonly number[] | null | undefined,
): Promise<void> {
  const { db } = deps
  const userIds = readUsers(users)
  const { unfit, membersRemoved } = await change(
    deps,
    of(operator),
    { kind: 'group_member_removed', fresh: true },
    ({ by, event }) => ({
      unfit: selectUnfit(db, idOfGroup({ id: groupId }), userIds),
      ...membersRemoving(db, by, { userIds, groupIds: [groupId] }, event, areKnown(userIds)),
    }),
  )
  const [reason] = unfit
  if (typeof reason?.groupId !== 'number') throw new Refusal('groupNotFound')
  if (reason.unknown > 0) throw new Refusal('userNotFound')
  if (membersRemoved.length > 0) await writeInTime(deps)
}

/** @throws {Refusal} `membersMissing`, `invalidBody`. */
function readUsers(users: readonly number[] | null | undefined): number[] {
  const userIds = [...new Set(users)]
  if (userIds.length === 0) throw new Refusal('membersMissing')
  if (userIds.length <= MAX_USERS) return userIds
  throw new Refusal('invalidBody', {
    field: 'users',
    reason: { code: 'maxEntries', values: { max: MAX_USERS } },
  })
}
