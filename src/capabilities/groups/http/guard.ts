import { eq } from 'drizzle-orm'
import * as v from 'valibot'
import { users } from '../../../../schema/tables.ts'
import type { Account } from '../../../core/accounts/accounts.ts'
import { isEnabledAt } from '../../../core/accounts/enabled-at.ts'
import { GUEST } from '../../../core/accounts/roles.ts'
import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { runBatch, THE_SERVICE } from '../../../core/database/statements.ts'
import type { Deps } from '../../../core/deps.ts'
import { chargeUnspent } from '../../../core/throttle/charges.ts'
import { retryCounter } from '../../../core/throttle/counters.ts'
import { LIMITS } from '../../../core/throttle/limit-table.ts'
import type { FileAsker, FileCall, GuardedCall, Understood } from '../../../web/kit/file-guard.ts'
import { changedMeanwhile } from '../../files/identity.ts'
import { withoutLength } from '../../files/http/headers.ts'
import { callAsAdmin, readAnswer } from '../../files/origin.ts'
import { cleanFolder } from '../../../core/base/clean-folder.ts'
import {
  accessAt,
  accessToWhole,
  isAtOrBelow,
  isOtherSpelling,
  isOtherSpellingAbove,
  mayRead,
  type SeenRules,
} from '../decision.ts'
import { isBeyondThisNetwork } from '../downloads.ts'
import { type Need, refuseUnmet, removes } from '../needs.ts'
import { belowBase, hasControls, joinNames, parentOf } from '../openlist-paths.ts'
import {
  type Rights,
  READS_ALL_RIGHTS,
  readingRights,
  isSameStanding,
  isStillAllowed,
  type RightsReading,
  selectStanding,
  standingColumns,
} from '../seen-rules.ts'
import { wayIn } from '../way-in.ts'
import { type AllowedRequest, sendAwaited, sendWithoutRules } from '../requests-under-way.ts'
import { readShare, refuseEndedShare } from '../shares.ts'
import { itemAt, kindAt } from '../there.ts'
import {
  cancelForbiddenTasks,
  cancelTasks,
  endTasksInto,
  haveEnded,
  listFailed,
} from '../waiting-tasks.ts'
import { settleFor } from '../writer.ts'
import { davPathOf, type ItemCall, itemCallOf, type Move, needsOfShared } from './items.ts'
import { guardMetas } from './meta-guard.ts'
import { isReading, type Reading, readingOf, shareOf } from './readings.ts'
import { type GuardedSearch, guardedSearchOf, isSearch } from './search-results.ts'
import { type ShownFolder, shownFolderOf } from './shown-folders.ts'
import { guardStorages } from './storage-guard.ts'
import { refuseUnseenPlaces } from './unseen-places.ts'

interface Site {
  deps: Deps
  files: FileServer
  rights: RightsReading
}

/**
 * Guards what OpenList does not look at: the whole of each item of a request, and names beside what
 * it shows. Where a folder is closed to a user, it shows the way to folders below that are not.
 *
 * @throws {Refusal} `invalidBody`.
 */
export function guardFiles(deps: Deps, files: FileServer, call: FileCall): GuardedCall {
  const site = { deps, files, rights: readingRights(deps) }
  const reading = readingOf(call)
  const share = shareOf(call, reading)
  if (share !== undefined)
    return {
      admit: () => refuseEndedShare(deps, files, share.id).then(() => share.understood),
      answer: (_, answer) => passShare(site, share.id, answer),
    }
  const upload = uploadOf(call)
  if (upload !== undefined) return guardUpload(site, upload)
  const item = itemCallOf(call)
  if (item !== undefined) return guardItems(site, item)
  const named = call.area === 'dav' ? davPathOf(call) : reading?.path
  const shown = shownFolderOf(call, reading)
  if (shown !== undefined) return guardShown(site, shown, named)
  const meta = guardMetas(deps, files, call) ?? guardStorages(deps, files, call)
  if (meta !== undefined) return meta
  if (isSearch(call)) return guardSearch(site, call)
  const understood = isReading(call) ? reading?.understood : {}
  return {
    column: site.rights.column,
    admit: async (asker) => {
      const known = await settle(site, asker)
      if (known?.hasRules === false) return {}
      refuseOtherSpelling(known, named, call.method === 'PROPFIND')
      refuseClosedInner(known, reading)
      return asUnderstood(known, understood)
    },
  }
}

/**
 * OpenList compares the rules of folders with the path that it is asked for, by bytes, and the
 * storage may take it for another spelling of a folder. A list of all below takes each name as the
 * storage spells it, which may be in another way than the rule for it.
 *
 * @param named Below the base path.
 * @param isOfAllBelow Whether all folders below are listed.
 * @throws {Refusal} `folderDenied`.
 */
function refuseOtherSpelling(
  known: (Rights & { account: Account }) | undefined,
  named: string | undefined,
  isOfAllBelow = false,
): void {
  const folder = known && named !== undefined && belowBase(known.account.basePath, named)
  if (!known || !folder) return
  const { seen } = known
  const isPartlyClosed =
    isOfAllBelow && mayRead(accessAt(seen, folder).access) && !mayRead(accessToWhole(seen, folder))
  if (isPartlyClosed || isOtherSpelling(seen, folder) || isOtherSpellingAbove(seen, folder))
    throw new Refusal('folderDenied')
}

/**
 * OpenList keeps the list of an archive under the path of the archive and the one in it, joined,
 * and gives it to who asks for the same of a folder above.
 *
 * @throws {Refusal} `folderDenied`.
 */
function refuseClosedInner(
  known: (Rights & { account: Account }) | undefined,
  reading: Reading | undefined,
): void {
  if (known === undefined || reading === undefined || reading.innerPath === '') return
  const joined = joinNames(cleanFolder(reading.path), cleanFolder(reading.innerPath))
  const folder = belowBase(known.account.basePath, joined)
  if (folder !== undefined && !mayRead(accessAt(known.seen, folder).access))
    throw new Refusal('folderDenied')
}

function guardSearch(site: Site, call: FileCall): GuardedCall {
  let search: GuardedSearch | undefined
  return {
    column: site.rights.column,
    admit: async (asker) => {
      const known = await settle(site, asker)
      search = known?.seen.isAdmin === false ? guardedSearchOf(call, known.seen) : undefined
      return search?.understood ?? {}
    },
    answer: async (_, answer) => {
      if (search === undefined) return answer
      const text = search.answer(await readAnswer(site.files, answer))
      return new Response(text, withoutLength(answer))
    },
  }
}

/**
 * OpenList could read another folder, or a share, out of a request that is not understood.
 *
 * @throws {Refusal} `requestInvalid`.
 */
function asUnderstood(known: Rights | undefined, understood: Understood | undefined): Understood {
  if (understood === undefined && known?.hasRules !== false) throw new Refusal('requestInvalid')
  return understood ?? {}
}

/**
 * Looks at a share a second time once OpenList has answered, before any of it is passed on: between
 * the first look and the answer, the share could have been written.
 *
 * @throws {Refusal} Those of `refuseEndedShare`.
 */
async function passShare({ deps, files }: Site, id: string, answer: Response): Promise<Response> {
  try {
    await refuseEndedShare(deps, files, id)
    return answer
  } catch (error) {
    void answer.body?.cancel()
    throw error
  }
}

const UPLOAD_CALL = /^\/api\/fs\/multipart\/(?:chunk|complete|abort)$/

/**
 * OpenList looks at the beginning of an upload alone: what follows names it by an id. A storage on
 * the disk deletes what stands at the path of an upload that is given up.
 */
function uploadOf({ area, path, headers }: FileCall): string | undefined {
  return area === 'api' && UPLOAD_CALL.test(path) ? (headers.get('X-Upload-Id') ?? '') : undefined
}

const UPLOAD_GONE = 404
const uploadSchema = v.object({ path: v.string() })

function guardUpload(site: Site, id: string): GuardedCall {
  return {
    column: site.rights.column,
    isExact: true,
    admit: async (asker) => {
      const known = await settle(site, asker)
      if (known === undefined) throw new Refusal('folderDenied')
      // OpenList takes the first of two headers.
      const understood = { headers: { 'X-Upload-Id': id } }
      if (known.seen.isAdmin || !known.hasRules) return understood
      const status = `/api/fs/multipart/status?upload_id=${encodeURIComponent(id)}`
      const { code, data } = (await asker.ask?.(status)) ?? { code: 403 }
      if (code === UPLOAD_GONE) return understood
      const upload = v.safeParse(uploadSchema, data)
      if (code !== 200 || !upload.success) throw new Refusal('folderDenied')
      refuseUnmet(known.seen, [removes(cleanFolder(upload.output.path))])
      return understood
    },
  }
}

/**
 * Sees to it that no right waits to be taken from the one who asks. Shares are for a guest who is
 * disabled, too; anything else is refused whatever its path.
 *
 * @throws {Refusal} `guestDisabled`; `filesUnavailable`, also for an account that was changed while
 *   it waited.
 */
async function settle({ deps, files, rights }: Site, asker: FileAsker) {
  const { account } = asker
  if (account === undefined) return undefined
  if (account.role === GUEST && !isEnabledAt(account, deps.now()))
    throw new Refusal('guestDisabled')
  const known = rights.read(account, asker.known)
  if (!(await settleFor(deps, files, asker, known.waits))) return { ...known, account }
  const again = await readAgain(deps, account)
  if (again?.isSame === true) return { ...again.rights, account }
  throw changedMeanwhile(account)
}

function guardItems(site: Site, item: ItemCall): GuardedCall {
  const { deps, files } = site
  const { share, isQueued, isAwaited } = item
  let version: string | undefined
  let awaited: (AllowedRequest & { hasRules: boolean }) | undefined
  let moves: Move[] = []
  return {
    column: site.rights.column,
    isExact: true,
    admit: async (asker) => {
      const known = await settle(site, asker)
      if (known === undefined) throw new Refusal('folderDenied')
      version = known.version
      if (isAwaited === true) {
        awaited = known
        if (!known.seen.isAdmin) moves = item.moves?.(known.account.basePath) ?? []
      }
      await refuseItems(site, item, known)
      if (item.retries !== undefined && !known.seen.isAdmin)
        await refuseSecondRetry(site, item.retries, known)
      if (item.cancels !== undefined) await cancelFirst(site, item.cancels, asker)
      const { understood, asItComes = {} } = item
      if (known.seen.isAdmin || !known.hasRules) return understood
      return { ...understood, headers: { ...understood.headers, ...asItComes } }
    },
    send: (_, send) => {
      if (awaited === undefined) return send()
      if (!awaited.hasRules) return sendWithoutRules(deps, files, () => send(true))
      const cancel = async () => void (await cancelForbiddenTasks(deps, files))
      const sendMoves = async () => refuseLateMoves(site, moves, await send(true))
      return sendAwaited(deps, files, awaited, sendMoves, cancel)
    },
    ...(share && {
      answer: (asker, answer) => closeShareAgain(site, { ...share, version }, asker, answer),
    }),
    ...(isQueued === true && {
      answer: (asker, answer) =>
        awaited?.hasRules === true
          ? Promise.resolve(answer)
          : cancelTasksAgain(site, version, asker, answer),
    }),
  }
}

/**
 * @throws {Refusal} `folderDenied`, `folderHasRules`, `uploadedLate`, `lengthRequired`; those of
 *   `refuseUnseenPlaces`.
 */
async function refuseItems(
  site: Site,
  item: ItemCall,
  known: Rights & { account: Account },
): Promise<void> {
  const { seen, account } = known
  if (!seen.isAdmin) {
    // Without rules, too: it refuses names that lead out of their folder.
    const needs = item.needs(account.basePath)
    refuseUnmet(seen, needs)
    if (!known.hasRules) return
    // A UrlTree keeps its names in lines of a text: the rest of such a one is another folder.
    if (needs.some(({ path, access }) => access === 'write' && hasControls(path)))
      throw new Refusal('folderDenied')
    const isDenied =
      item.forgetsMoves === true || item.downloads?.every(isBeyondThisNetwork) === false
    if (isDenied) throw new Refusal('folderDenied')
    if (item.isWrittenLate !== undefined) throw new Refusal(item.isWrittenLate)
    await refuseFolders(site, item.puts?.(account.basePath) ?? [])
    await refuseUnseenPlaces(site.deps, site.files, item, seen, account.basePath)
    if (item.share?.id !== undefined) refuseUnmet(seen, await needsOfShare(site, item.share.id))
    return
  }
  const stopsAdmins = item.needs('/').some(({ isForAdmins }) => isForAdmins)
  if (stopsAdmins && known.hasRules) refuseUnmet(seen, item.needs(await adminBasePath(site)))
}

/**
 * Cancels tasks that are about to be deleted from a list: OpenList leaves them in its queue, and
 * one that runs on could be in no list.
 *
 * @throws {Refusal} `folderDenied` for the guest, who has no tasks; `taskNotEnded`,
 *   `filesUnavailable`, `filesBroken`.
 */
async function cancelFirst(
  { deps, files }: Site,
  { kind, ids }: NonNullable<ItemCall['cancels']>,
  { isAdmin, ask }: FileAsker,
): Promise<void> {
  const asAdmin = (path: string, body: unknown) => callAsAdmin(deps, files, path, body)
  const call = isAdmin ? asAdmin : ask
  if (call === undefined) throw new Refusal('folderDenied')
  await cancelTasks(kind, ids, call)
  if (!(await haveEnded(deps, files, kind, ids))) throw new Refusal('taskNotEnded')
}

/**
 * Refuses to begin a task again where there are rules, because a task looks at none, and before the
 * first one twice: the second would stand in the queue once the first is done, where no list shows
 * it and nothing cancels it.
 *
 * @throws {Refusal} `folderDenied`, `retriedLately`.
 */
async function refuseSecondRetry(
  { deps, files }: Site,
  { kind, ids }: NonNullable<ItemCall['retries']>,
  { hasRules, account }: Rights & { account: Account },
): Promise<void> {
  if (hasRules) throw new Refusal('folderDenied')
  if (kind === undefined) return
  const now = deps.now()
  const own = retryCounter(account.id, kind)
  const { charged } = await runBatch(deps.db, {
    charged: chargeUnspent(deps.db, THE_SERVICE, [own], now),
  })
  const { seconds } = LIMITS.retry
  if (charged.length === 0) throw new Refusal('retriedLately', { values: { seconds } })
  if (ids === undefined) return
  const failed = new Set(await listFailed(deps, files, kind))
  if (ids.some((id) => !failed.has(id))) throw new Refusal('folderDenied')
}

/** @throws {Refusal} `folderDenied` where one of the paths is that of a folder. */
async function refuseFolders({ deps, files }: Site, paths: readonly string[]): Promise<void> {
  for (const path of paths)
    if ((await kindAt(deps, files, path)) === 'folder') throw new Refusal('folderDenied')
}

/** An admin acts below the base path of the admin there, which this site does not write. */
async function adminBasePath({ deps, files }: Site): Promise<string> {
  const { data } = await callAsAdmin(deps, files, '/api/me')
  return v.parse(v.object({ base_path: v.string() }), data).base_path
}

/** The files of a share that is there already; none for one that is not. */
async function needsOfShare({ deps, files }: Site, id: string): Promise<Need[]> {
  return needsOfShared((await readShare(deps, files, id)) ?? { files: [] })
}

const sharedSchema = v.object({
  code: v.literal(200),
  data: v.nullable(v.object({ id: v.string() })),
})

/**
 * Looks again once a share is open: a right that was taken meanwhile closes the shares that were
 * there, and this one was not.
 *
 * @param share With the version of the rules that let the request through.
 * @throws {Refusal} `folderDenied` when it was closed again.
 */
async function closeShareAgain(
  site: Site,
  share: { id?: string; version: string | undefined },
  { account, isAdmin }: FileAsker,
  answer: Response,
): Promise<Response> {
  const { deps, files } = site
  if (account === undefined || isAdmin) return answer
  const text = await readAnswer(files, answer)
  const made = v.safeParse(v.pipe(v.string(), v.parseJson(), sharedSchema), text)
  const id = made.success ? (made.output.data?.id ?? share.id) : undefined
  if (id === undefined) return new Response(text, answer)
  const now = await readAgain(deps, account)
  if (now?.rights.version === share.version) return new Response(text, answer)
  try {
    if (now === undefined) throw new Refusal('folderDenied')
    refuseUnmet(now.rights.seen, await needsOfShare(site, id))
  } catch (error) {
    await callAsAdmin(deps, files, `/api/share/disable?id=${encodeURIComponent(id)}`, {})
    throw error
  }
  return new Response(text, answer)
}

const queuedSchema = v.object({
  code: v.literal(200),
  data: v.union([
    v.object({ tasks: v.pipe(v.array(v.unknown()), v.nonEmpty()) }),
    v.object({ task: v.pipe(v.array(v.unknown()), v.nonEmpty()) }),
    v.object({ task: v.object({ id: v.string() }) }),
  ]),
})

/**
 * Looks at the queues again once a request that no change waits for has put something into them: a
 * right that was taken meanwhile, or another field of the account, cancels what waited, and this
 * did not yet.
 *
 * @param version Of the rules that let the request through.
 */
async function cancelTasksAgain(
  { deps, files }: Site,
  version: string | undefined,
  { account, isAdmin }: FileAsker,
  answer: Response,
): Promise<Response> {
  if (account === undefined || isAdmin) return answer
  const text = await readAnswer(files, answer)
  if (v.is(v.pipe(v.string(), v.parseJson(), queuedSchema), text)) {
    const [now] = await selectStanding(deps.db, account.id)
    if (!isStillAllowed({ account, version }, now)) await cancelForbiddenTasks(deps, files)
  }
  return new Response(text, answer)
}

/**
 * The statuses of a move by WebDAV that was made: as it was asked for, and without the new name, or
 * in part.
 */
const MOVED: readonly number[] = [201, 500]

/**
 * A storage that can't move by itself, such as a Local one over two disks, moves as between two: it
 * copies, and deletes the source later. That is made to happen now.
 *
 * @throws {Refusal} `otherStorage`, though some of it may have been moved.
 */
async function refuseLateMoves(
  { deps, files }: Site,
  moves: readonly Move[],
  answer: Response,
): Promise<Response> {
  if (moves.length === 0) return answer
  const to = Array.from(new Set(moves.map((move) => move.to)))
  if (MOVED.includes(answer.status)) {
    const left = await Promise.all(moves.map(({ from }) => itemAt(deps, files, from)))
    if (left.some((item) => item !== undefined)) await endTasksInto(deps, files, to)
    return answer
  }
  const text = await readAnswer(files, answer)
  if (!v.is(v.pipe(v.string(), v.parseJson(), queuedSchema), text))
    return new Response(text, answer)
  await endTasksInto(deps, files, to)
  throw new Refusal('otherStorage')
}

/** @returns The rights of an account now, and whether its fields are as they were. */
async function readAgain(
  deps: Deps,
  account: Account,
): Promise<{ rights: Rights; isSame: boolean } | undefined> {
  const [row] = await deps.db
    .select({
      id: users.id,
      ...standingColumns,
      rights: READS_ALL_RIGHTS.column.sql.as('rights'),
    })
    .from(users)
    .where(eq(users.id, account.id))
  if (row === undefined) return undefined
  const rights = READS_ALL_RIGHTS.read(row, row.rights)
  return { rights, isSame: isSameStanding(account, row) }
}

function guardShown(site: Site, shown: ShownFolder, named: string | undefined): GuardedCall {
  let known: (Rights & { account: Account }) | undefined
  return {
    column: site.rights.column,
    admit: async (asker) => {
      const settled = await settle(site, asker)
      if (settled !== undefined && !isLookedAt(shown, settled, settled.account)) return {}
      known = settled
      refuseOtherSpelling(settled, named)
      return asUnderstood(settled, shown.understood)
    },
    answer: async ({ isAdmin }, answer) =>
      known === undefined || isAdmin ? answer : answerShown(site, shown, known, answer),
  }
}

/** A file beside the base path of a user is beside what the user may read, without any rule. */
function isLookedAt({ hasRelated }: ShownFolder, { hasRules }: Rights, account: Account): boolean {
  return hasRules || (hasRelated && cleanFolder(account.basePath) !== '/')
}

async function answerShown(
  { files }: Site,
  shown: ShownFolder,
  before: Rights & { account: Account },
  answer: Response,
): Promise<Response> {
  const { seen, account } = before
  const { path } = shown
  const folder = path === undefined ? undefined : belowBase(account.basePath, path)
  const way = folder === undefined ? undefined : wayIn(seen, folder)
  const { isRefused, answer: read } = await shown.readRefusal(files, answer)
  if (isRefused && way?.isClosed === true && folder !== undefined && path !== undefined)
    return shown.answer(folder, path, way.names)
  if (isRefused) return read
  if (shown.hasRelated) {
    const isOpen = folder !== undefined && mayReadBeside(seen, account, folder)
    return isOpen ? read : withoutRelated(files, read)
  }
  const { add } = shown
  if (add === undefined || way === undefined || path === undefined) return read
  return withText(files, read, (text) => add(text, path, way.names))
}

/** Changes the text of an answer. One that is too long to be held here is passed on as it is. */
async function withText(
  files: FileServer,
  answer: Response,
  change: (text: string) => string,
): Promise<Response> {
  const whole = answer.clone()
  try {
    const text = change(await readAnswer(files, answer))
    void whole.body?.cancel()
    return new Response(text, withoutLength(answer))
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'filesBroken') return whole
    throw error
  }
}

function mayReadBeside(seen: SeenRules, { basePath }: Account, folder: string): boolean {
  const parent = parentOf(folder)
  return isAtOrBelow(parent, cleanFolder(basePath)) && mayRead(accessAt(seen, parent).access)
}

const gotSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.looseObject({ data: v.looseObject({ related: v.unknown() }) }),
)

/**
 * OpenList lists files beside a folder that have its name as the beginning of theirs, with links,
 * also where the folder above is closed.
 */
async function withoutRelated(files: FileServer, answer: Response): Promise<Response> {
  const text = await readAnswer(files, answer)
  const got = v.safeParse(gotSchema, text)
  if (!got.success) return new Response(text, answer)
  const { data } = got.output
  const shown = { ...got.output, data: { ...data, related: null } }
  return new Response(JSON.stringify(shown), withoutLength(answer))
}
