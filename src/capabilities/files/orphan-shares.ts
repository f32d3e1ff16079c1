import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { toHex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { GENERAL } from '../../core/accounts/roles.ts'
import { callAsAdmin, type OriginDeps } from './origin.ts'
import { FAR_ID, listRemoteUsers } from './remote-users.ts'
import { listRemoteIds } from './store.ts'

/** No list has so many shares, so this page is empty, and has no share that can't be read. */
const PAGE_BEHIND_ALL = 1_000_000_000
/** A share among thousand that can't be read takes twenty. A Worker may send only so many requests. */
const MAX_READS = 30
/** The number of ids that one run tries. */
const MAX_TRIED = 8
/** Of these, the ids of the users who were deleted last. */
const MAX_LATEST = 4
const RUN_MILLISECONDS = 300_000

const pageSchema = v.object({ content: v.nullable(v.array(v.unknown())), total: v.number() })
type Page = v.InferOutput<typeof pageSchema>

/** The shares of the file server, and the number of those that it can't list. */
export interface SharesThere {
  shares: unknown[]
  unread: number
}

/**
 * Lists the shares of the file server. A visit that began before its user was deleted can write a
 * share back (`countAccess`), which is that of nobody then: OpenList answers no page with it.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken` when no page can be read.
 */
export async function listShares(deps: OriginDeps, files: FileServer): Promise<SharesThere> {
  const all = await readPage(deps, files, '')
  if (all !== undefined) return { shares: all.content ?? [], unread: 0 }
  const end = await readPage(deps, files, `?page=${PAGE_BEHIND_ALL}&per_page=1`)
  if (end === undefined) throw new Refusal('filesBroken', { detail: 'no list of shares' })
  let size = 1
  while (size < end.total) size *= 2
  const found: SharesThere = { shares: [], unread: 0 }
  let reads = 0
  const read = async (page: number, rows: number): Promise<void> => {
    const rest = end.total - (page - 1) * rows
    if (rest <= 0) return
    const query = `?page=${page}&per_page=${rows}`
    const some = reads++ < MAX_READS ? await readPage(deps, files, query) : undefined
    if (some !== undefined) found.shares.push(...(some.content ?? []))
    else if (rows === 1 || reads > MAX_READS) found.unread += Math.min(rows, rest)
    else for (const half of [page * 2 - 1, page * 2]) await read(half, rows / 2)
  }
  await read(1, size)
  return found
}

/** @returns `undefined` for an answer that is no list. */
async function readPage(
  deps: OriginDeps,
  files: FileServer,
  query: string,
): Promise<Page | undefined> {
  try {
    const path = `/api/share/list${query}`
    const { code, data } = await callAsAdmin(deps, files, path)
    const page = v.safeParse(pageSchema, data)
    return code === 200 && page.success ? page.output : undefined
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'filesBroken') return undefined
    throw error
  }
}

/**
 * Deletes the shares of a user there who is gone: OpenList finds no share without its user, and
 * deletes those of a user with the user.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function deleteSharesOfGone(
  deps: OriginDeps,
  files: FileServer,
  remoteId: number,
): Promise<void> {
  const made = await callAsAdmin(deps, files, '/api/admin/user/create', {
    id: remoteId,
    username: `deleted-${remoteId}-${toHex(deps.randomBytes(8))}`,
    password: toHex(deps.randomBytes(32)),
    base_path: '/',
    role: GENERAL,
    // Shares of a user without permission are closed.
    permission: 0,
    disabled: true,
    sso_id: '',
    allow_ldap: false,
  })
  // Somebody has this id.
  if (made.code !== 200) return
  const deleted = await callAsAdmin(deps, files, `/api/admin/user/delete?id=${remoteId}`, {})
  if (deleted.code !== 200)
    throw new Refusal('filesBroken', {
      detail: `user ${remoteId} there can't be deleted: ${deleted.code}`,
    })
}

/**
 * Deletes shares of users who are gone, where the file server can't list them. It does not tell
 * whose they are: a run tries the users who were deleted last, and some of the other ids.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function deleteOrphanShares(
  deps: OriginDeps & Pick<Deps, 'db' | 'now'>,
  files: FileServer,
): Promise<void> {
  const { unread } = await listShares(deps, files)
  if (unread === 0) return
  const there = new Set((await listRemoteUsers(deps, files)).map(({ id }) => id))
  const known = await listRemoteIds(deps.db)
  const last = Math.max(0, ...[...there, ...known].filter((id) => id < FAR_ID))
  const all = new Set([...known, ...Array.from({ length: last }, (_, index) => index + 1)])
  const gone = Array.from(all).filter((id) => !there.has(id))
  const others = gone.slice(MAX_LATEST)
  const size = MAX_TRIED - MAX_LATEST
  const turns = Math.max(1, Math.ceil(others.length / size))
  const begin = (Math.floor(deps.now() / RUN_MILLISECONDS) % turns) * size
  for (const id of [...gone.slice(0, MAX_LATEST), ...others.slice(begin, begin + size)])
    await deleteSharesOfGone(deps, files, id)
}
