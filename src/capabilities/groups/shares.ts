import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { recordEvent } from '../../core/audit/events.ts'
import { ADMIN, GENERAL, isPermitted, PERMISSION } from '../../core/accounts/roles.ts'
import { listShares } from '../files/orphan-shares.ts'
import { callAsAdmin, callOrigin } from '../files/origin.ts'
import { cleanFolder } from '../../core/base/clean-folder.ts'
import { accessToWhole, isAtOrBelow, mayRead, seenBy } from './decision.ts'
import { hasFolders } from './meta-store.ts'
import { type PlanDeps, readRightsHere, type RightsHere } from './plan.ts'

/** A visitor's request that began before can put a share back as it was. */
const MAX_LOOKS = 3

const shareSchema = v.object({
  id: v.string(),
  files: v.nullish(v.array(v.string()), []),
  disabled: v.optional(v.boolean(), false),
  creator: v.string(),
  creator_role: v.number(),
})
type Share = v.InferOutput<typeof shareSchema>

/**
 * Disables the shares of general users who may not read the whole of all their files: shares look
 * at no meta. Those of a user who is disabled, or may share no more, stay as they are, because
 * nobody would enable them again with the user; `refuseEndedShare` refuses them.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function disableShares(
  deps: PlanDeps,
  files: FileServer,
  here: RightsHere,
): Promise<void> {
  if (here.folders.length === 0) return
  const disabled = new Set<string>()
  for (let looks = 0; looks <= MAX_LOOKS; looks++) {
    const { shares, unread } = await listShares(deps, files)
    const parsed = v.safeParse(v.array(shareSchema), shares)
    if (!parsed.success) throw new Refusal('filesBroken', { detail: 'no list of shares' })
    const open = parsed.output.filter((share) => isOver(share, here))
    if (open.length === 0 && unread > 0)
      throw new Refusal('filesBroken', { detail: `${unread} shares can't be listed` })
    if (open.length === 0) return
    for (const { id, files: shared, creator } of open) {
      const path = `/api/share/disable?id=${encodeURIComponent(id)}`
      const { code } = await callOrigin(deps, files, path, { token: files.token, body: {} })
      // 404: it was deleted meanwhile.
      if (code !== 200 && code !== 404)
        throw new Refusal('filesBroken', { detail: `a share can't be disabled: ${code}` })
      if (code !== 200 || disabled.has(id)) continue
      disabled.add(id)
      const userId = makerOf(creator, here).user?.userId
      const concerned = userId === undefined ? {} : { userId }
      const event = { kind: 'share_disabled', network: '', userAgent: '' } as const
      await recordEvent(deps.db, {
        ...event,
        ...concerned,
        at: deps.now(),
        detail: shared[0] ?? '',
      })
    }
  }
  throw new Refusal('filesBroken', { detail: 'a share is opened again and again' })
}

/**
 * Refuses a share that is not there, one whose user might not make it now (OpenList does not ask
 * whether a user is disabled, and learns of other changes later), and one whose user may not read
 * the whole of all its files, also where it is not disabled there: the file server may have been
 * away, and an access that began before the share was disabled enables it again, because OpenList
 * writes all of the share to count the access.
 *
 * @throws {Refusal} `shareEnded`, `filesUnavailable`, `filesBroken`.
 */
export async function refuseEndedShare(
  deps: PlanDeps,
  files: FileServer,
  id: string,
): Promise<void> {
  if (!(await hasFolders(deps.db))) return
  const share = await readShare(deps, files, id)
  // Nothing is passed on that OpenList might find by another name.
  if (share === undefined) throw new Refusal('shareEnded')
  // Rules are for general users alone.
  if (share.creator_role !== GENERAL) return
  const here = await readRightsHere(deps)
  // It may be enabled again before OpenList answers.
  if (isOver({ ...share, disabled: false }, here) || !mayBeMade(share, here))
    throw new Refusal('shareEnded')
}

/**
 * @returns `undefined` for a share that is not there.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function readShare(
  deps: PlanDeps,
  files: FileServer,
  id: string,
): Promise<Share | undefined> {
  // No share has an id that is no text, and none can be asked for.
  if (!id.isWellFormed()) return undefined
  const path = `/api/share/get?id=${encodeURIComponent(id)}`
  const { code, data } = await callAsAdmin(deps, files, path)
  if (code !== 200) return undefined
  const share = v.safeParse(shareSchema, data)
  if (share.success) return share.output
  throw new Refusal('filesBroken', { detail: 'no share' })
}

/**
 * Finds the user of the file server whose name a share or a task has, and the account; no account
 * for a user who is nobody here, or was deleted.
 */
export function makerOf(name: string, { remoteUsers, people }: RightsHere) {
  const user = remoteUsers.find(
    ({ remoteName, nextName }) => remoteName === name || nextName === name,
  )
  return { user, person: people.find(({ id }) => id === user?.userId) }
}

/** Whether a share is open although its user may not read all of it. */
function isOver(share: Share, here: RightsHere): boolean {
  if (share.disabled || share.creator_role !== GENERAL) return false
  const { user, person } = makerOf(share.creator, here)
  if (user?.role === ADMIN) return false
  // A user there who is nobody here has only what the rules give everybody.
  const stranger = { id: 0, role: GENERAL, groupIds: [] }
  const seen = seenBy(here.at, person ?? stranger)
  return !share.files.every((file) => mayRead(accessToWhole(seen, cleanFolder(file))))
}

/** Whether the account of its user might make a share, whatever the rules say of its files. */
function mayBeMade(share: Share, here: RightsHere): boolean {
  const { user, person } = makerOf(share.creator, here)
  // A user there who is nobody here.
  if (user === undefined) return true
  if (person === undefined || !person.isEnabled) return false
  if (person.role === ADMIN) return true
  const base = cleanFolder(person.basePath)
  const holdsAll = share.files.every((file) => isAtOrBelow(cleanFolder(file), base))
  return holdsAll && isPermitted(person.permission, PERMISSION.share)
}
