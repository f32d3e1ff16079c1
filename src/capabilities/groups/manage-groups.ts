import { sql } from 'drizzle-orm'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import { MAX_GROUPS } from '../../core/accounts/groups.ts'
import { readGroupName } from '../../core/accounts/group-names.ts'
import { insertEvent, insertEvents } from '../../core/audit/events.ts'
import { windowOf } from '../../core/base/paging.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { groups } from '../../../schema/tables.ts'
import { readNote } from './fields.ts'
import { prepareRenaming, type Renaming, renamingInSettings, selectOutdated } from './renaming.ts'
import {
  countGroups,
  deleteGroup as deleteGroupRow,
  type GroupChange,
  insertGroup,
  isChanged,
  isWithoutRules,
  type ListedGroup,
  mayMakeGroup,
  namesOfChange,
  selectGroup,
  selectGroupNamed,
  selectGroups,
  selectRival,
  updateGroup,
} from './group-store.ts'

/**
 * Lists groups by name.
 *
 * @param userId Only the groups of this user.
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function listGroups(
  deps: ReaderDeps,
  operator: Operator,
  userId: number | undefined,
  page: number,
  perPage: number,
): Promise<{ groups: ListedGroup[]; total: number }> {
  const { found, counted } = await read(deps, of(operator, userId), {
    found: selectGroups(deps.db, userId, windowOf(page, perPage)),
    counted: countGroups(deps.db, userId),
  })
  return { groups: found, total: counted[0]?.total ?? 0 }
}

/** @throws {Refusal} `notAdmin`, `groupNotFound`. */
export async function getGroup(
  deps: ReaderDeps,
  operator: Operator,
  which: { id: number } | { name: string },
): Promise<ListedGroup> {
  const { found } = await read(deps, of(operator), {
    found: 'id' in which ? selectGroup(deps.db, which.id) : selectGroupNamed(deps.db, which.name),
  })
  const [group] = found
  if (group === undefined) throw new Refusal('groupNotFound')
  return group
}

/**
 * @returns The id.
 * @throws {Refusal} Those of `readGroupName` and `readNote`; `notAdmin`, `confirmationNeeded`,
 *   `groupNameTaken`, `tooManyGroups`.
 */
export async function createGroup(
  deps: ChangeDeps,
  operator: Operator,
  given: { name?: string | null | undefined; note?: string | null | undefined },
): Promise<number> {
  const { db } = deps
  const name = readGroupName(given.name)
  const note = readNote(given.note ?? '')
  const { created, rivals } = await change(
    deps,
    of(operator),
    { kind: 'group_created', detail: name, fresh: true },
    ({ now, by, event }) => ({
      rivals: selectRival(db, name),
      event: insertEvent(db, by, event, mayMakeGroup(name)),
      created: insertGroup(db, by, { name, note, createdAt: now }, mayMakeGroup(name)),
    }),
  )
  const [group] = created
  if (group !== undefined) return group.id
  throw notMade(rivals)
}

/** Returns why a group can't be made. */
export function notMade(rivals: readonly unknown[]): Refusal {
  return rivals.length > 0
    ? new Refusal('groupNameTaken')
    : new Refusal('tooManyGroups', { values: { limit: MAX_GROUPS } })
}

/** How often a change of a name looks at settings that change meanwhile. */
const MAX_TRIES = 3

/**
 * Changes the name or the note of a group. A field that is missing stays. Settings that name the
 * group get the new name.
 *
 * @throws {Refusal} Those of `readGroupName` and `readNote`; `notAdmin`, `confirmationNeeded`,
 *   `groupNotFound`, `groupNameTaken`.
 */
export async function changeGroup(
  deps: ChangeDeps,
  operator: Operator,
  id: number,
  given: { name?: string | null | undefined; note?: string | null | undefined },
): Promise<void> {
  const { db } = deps
  const wanted: GroupChange = {
    name: typeof given.name === 'string' ? readGroupName(given.name) : undefined,
    note: typeof given.note === 'string' ? readNote(given.note) : undefined,
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const renaming =
      wanted.name === undefined ? undefined : await prepareRenaming(db, id, wanted.name)
    if (!(await changeAsRead(deps, operator, id, wanted, renaming))) return
  }
  throw new Refusal('unavailable', { detail: `the settings that name group ${id} change` })
}

/** @returns Whether the settings have changed since `renaming` read them, and nothing is written. */
async function changeAsRead(
  deps: ChangeDeps,
  operator: Operator,
  id: number,
  wanted: GroupChange,
  renaming: Renaming | undefined,
): Promise<boolean> {
  const { db } = deps
  const isSomething = wanted.name !== undefined || wanted.note !== undefined
  const where = sql`(${isChanged(id, wanted)} and ${renaming?.isAsRead ?? sql`true`})`
  const { found, rivals, outdated } = await change(
    deps,
    of(operator),
    { kind: 'group_changed', fresh: true },
    ({ by, event }) => ({
      found: selectGroup(db, id),
      rivals: wanted.name === undefined ? undefined : selectRival(db, wanted.name, id),
      outdated: renaming && selectOutdated(db, renaming),
      event: insertEvents(
        db,
        by,
        event,
        { detail: namesOfChange(wanted) },
        { from: groups, where },
      ),
      updated: isSomething ? updateGroup(db, by, wanted, where) : undefined,
      inSettings: renaming && renamingInSettings(db, by, renaming),
    }),
  )
  if (found.length === 0) throw new Refusal('groupNotFound')
  if ((rivals ?? []).length > 0) throw new Refusal('groupNameTaken')
  return (outdated ?? []).length > 0
}

/**
 * Deletes a group. Its members leave it, and settings name it no more: another group of this name
 * would get those who register or sign in.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `groupNotFound`, `groupHasRules`.
 */
export async function deleteGroup(deps: ChangeDeps, operator: Operator, id: number): Promise<void> {
  const { db } = deps
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const renaming = await prepareRenaming(db, id)
    const where = sql`(${isWithoutRules(id)} and ${renaming?.isAsRead ?? sql`true`})`
    const { found, deleted, outdated } = await change(
      deps,
      of(operator),
      { kind: 'group_deleted', fresh: true },
      ({ by, event }) => ({
        found: selectGroup(db, id),
        outdated: renaming && selectOutdated(db, renaming),
        event: insertEvents(db, by, event, { detail: groups.name }, { from: groups, where }),
        deleted: deleteGroupRow(db, by, where),
        inSettings: renaming && renamingInSettings(db, by, renaming),
      }),
    )
    const [group] = found
    if (group === undefined) throw new Refusal('groupNotFound')
    if (deleted.length > 0) return
    if (group.rules > 0) throw new Refusal('groupHasRules')
    if ((outdated ?? []).length === 0) break
  }
  throw new Refusal('unavailable', { detail: `the settings that name group ${id} change` })
}
