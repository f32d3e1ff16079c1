import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import { cleanFolder } from '../../core/base/clean-folder.ts'
import { isCovered } from './decision.ts'
import { recordingMetas, hasFolders } from './meta-store.ts'
import { asOnlyWriter, METAS } from '../files/lease.ts'
import { isSame, type Meta, planFollowing } from './metas.ts'
import { withSmallNames } from './openlist-members.ts'
import { listMetas, readRights, type Rights } from './plan.ts'
import { forgetMeta, sendingMetas, sendMeta } from './send-metas.ts'
import { type WriterDeps as FolderDeps, writeFirst } from './write-in-time.ts'
import { LEASE_MILLISECONDS, type WriterDeps } from './writer.ts'

const idsSchema = v.nullish(v.array(v.number()), null)
/** A meta as an admin sends it, with the names of its members in small letters. */
const sentSchema = v.looseObject({
  id: v.optional(v.number(), 0),
  path: v.string(),
  read_users: idsSchema,
  write_users: idsSchema,
})
type SentMeta = v.InferOutput<typeof sentSchema>

/**
 * Puts the users of folders with rules into a meta that an admin writes.
 *
 * @param sent With the ids of the file server.
 * @param note Gets the meta as it was.
 * @returns What is sent in its place.
 * @throws {Refusal} `usersFromRules`, `filesUnavailable`, `filesBroken`.
 */
export async function mergeMeta(
  deps: WriterDeps,
  files: FileServer,
  call: 'create' | 'update',
  sent: Readonly<Record<string, unknown>>,
  note: (before: Meta | undefined) => void,
): Promise<Readonly<Record<string, unknown>>> {
  if (!(await hasFolders(deps.db))) return sent
  const parsed = v.safeParse(sentSchema, withSmallNames(sent))
  // OpenList refuses a meta without a path.
  if (!parsed.success) return sent
  const meta = { ...parsed.output, path: cleanFolder(parsed.output.path) }
  const rights = await readRights(deps, files)
  const before = call === 'update' ? rights.metas.find(({ id }) => id === meta.id) : undefined
  note(before)
  if (before !== undefined && rights.folders.includes(before.path) && before.path !== meta.path)
    throw new Refusal('usersFromRules')
  if (!isCovered(rights.at, meta.path)) {
    // Lists of rules do not go along to another path.
    const isReleased = before !== undefined && isCovered(rights.at, before.path)
    return isReleased ? withLists(meta, undefined) : meta
  }
  if (!isLeftToRules(rights, meta, before)) throw new Refusal('usersFromRules')
  const { path } = meta
  const isOwn = rights.records.find((record) => record.path === path)?.isOwn ?? false
  const record = { path, remoteId: before?.id ?? 0, isOwn, lists: undefined }
  await runBatch(deps.db, { recorded: recordingMetas(deps.db, THE_SERVICE, [record]) })
  return withLists(meta, rights.listsAt(path))
}

/**
 * Lets the metas of this site say what is said above them, once an admin has written a meta.
 *
 * @param before That meta as it was; `undefined` for a new one.
 */
export async function followMeta(
  deps: FolderDeps,
  files: FileServer,
  before: Meta | undefined,
): Promise<void> {
  if (!(await hasFolders(deps.db))) return
  if (before !== undefined)
    await asOnlyWriter(
      deps,
      files,
      METAS,
      async (leased) => {
        const rights = await readRights(leased, files)
        const sending = sendingMetas(rights.metas)
        for (const write of planFollowing(rights, before))
          await sendMeta(leased, files, sending, write)
      },
      { leaseMilliseconds: LEASE_MILLISECONDS },
    )
  await writeFirst(deps, files)
}

/**
 * Finds the meta that an admin wants to delete, when it is below a folder with rules.
 *
 * @throws {Refusal} `usersFromRules` for a meta of a folder with rules; `filesUnavailable`,
 *   `filesBroken`.
 */
export async function findDeletable(
  deps: WriterDeps,
  files: FileServer,
  id: number,
): Promise<Meta | undefined> {
  if (!(await hasFolders(deps.db))) return undefined
  const rights = await readRights(deps, files)
  const meta = rights.metas.find((each) => each.id === id)
  if (meta === undefined || !isCovered(rights.at, meta.path)) return undefined
  if (rights.folders.includes(meta.path)) throw new Refusal('usersFromRules')
  return meta
}

/**
 * Makes the file server forget what it keeps in memory of a meta that was deleted: the lists of
 * that time would hold for an hour.
 */
export async function forgetDeleted(
  deps: WriterDeps,
  files: FileServer,
  { id, path }: Meta,
): Promise<void> {
  await forgetMeta(deps, files, sendingMetas(await listMetas(deps, files)), { id, path })
}

/** Whether the lists of a meta are empty, as they are, or as the rules want them. */
function isLeftToRules(rights: Rights, sent: SentMeta, before: Meta | undefined): boolean {
  const read = sent.read_users ?? []
  const write = sent.write_users ?? []
  if (read.length === 0 && write.length === 0) return true
  const wanted = rights.listsAt(sent.path)
  const isCoveredBefore = before !== undefined && isCovered(rights.at, before.path)
  const there = { read: before?.read_users ?? [], write: before?.write_users ?? [] }
  return [wanted, ...(isCoveredBefore ? [there] : [])].some(
    (lists) =>
      isSame(without(rights.adminId, read), without(rights.adminId, lists.read)) &&
      isSame(without(rights.adminId, write), without(rights.adminId, lists.write)),
  )
}

/** The pages of metas may not show the admin there. */
function without(adminId: number, ids: readonly number[]): number[] {
  return ids.filter((id) => id !== adminId)
}

function withLists(
  meta: SentMeta,
  lists: { read: readonly number[]; write: readonly number[] } | undefined,
) {
  return {
    ...meta,
    read_users: lists?.read ?? [],
    read_users_sub: lists !== undefined,
    write_users: lists?.write ?? [],
    write_users_sub: lists !== undefined,
  }
}
