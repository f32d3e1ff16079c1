import { remembered } from '../../core/base/isolate-memory.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { cleanPath } from '../../core/accounts/fields.ts'
import { GENERAL } from '../../core/accounts/roles.ts'
import { logError } from '../../core/database/log.ts'
import { asOnlyWriter, type LeaseDeps, mayLandLate, OTHERS_WRITE } from './lease.ts'
import { callAsAdmin, filesUnavailable } from './origin.ts'
import { deleteSharesOfGone } from './orphan-shares.ts'
import {
  createFileUser,
  clearRemoteCache,
  hasOurPassword,
  isNoUser,
  listRemoteUsers,
  makeOwnFolder,
  findRemoteName,
  type RemoteUser,
  type RemoteUserDeps,
  confirmWritten,
  updateRemoteUser,
  wantedOf,
} from './remote-users.ts'
import { storeToken, type StoredTokenDeps } from './stored-token.ts'
import {
  deleteFileUser,
  type FileUser,
  findLink,
  findWithFileUser,
  hasSentRequests,
  isEndBehind,
  type Known,
  listKnown,
  readFileUser,
  recordDrift,
  recordGone,
  recordWritten,
  selectBehind,
} from './store.ts'

export type IdentityDeps = LeaseDeps & RemoteUserDeps & StoredTokenDeps

/** How often a user is written again because it was changed meanwhile, or is not there. */
const MAX_WRITES = 4
/** The number of users that one run writes, besides all who were disabled or deleted. */
const MAX_BEHIND = 50
/** The number of ids of deleted users that others have, whose passwords one run tries. */
const MAX_ASKED = 20
const SENT_TRIES = 20
const SENT_MILLISECONDS = 250
/** A user whom others write is no reason for the next ones to wait. */
const PATIENCE_MILLISECONDS = 1000

export function isWritten(account: Account, link: FileUser, now: number): boolean {
  return JSON.stringify(link.written) === JSON.stringify(wantedOf(account, now))
}

/** Tells whether an account is the same for the file server as it was. */
export function isSameFor(before: Account, after: Account, now: number): boolean {
  return JSON.stringify(wantedOf(before, now)) === JSON.stringify(wantedOf(after, now))
}

/**
 * Writes a user to the file server as it is here, and the password: only a new one surely ends the
 * tokens there.
 *
 * @param options `drifted` is the number of writes after which the user there was not as it was
 *   written; `seen` that of before, when nobody else is known to have written since.
 */
export function writeFileUser(
  deps: IdentityDeps,
  files: FileServer,
  userId: number,
  {
    drifted,
    seen,
    patienceMilliseconds,
  }: { drifted?: number; seen?: number | undefined; patienceMilliseconds?: number } = {},
): Promise<FileUser> {
  const write = async (leased: IdentityDeps) => {
    let stale = drifted
    for (let i = 0; i < MAX_WRITES; i++) {
      const account = await findWithFileUser(leased.db, userId)
      if (account === undefined) {
        await deleteRemoteUser(leased, files, userId)
        throw new Refusal('tokenInvalidated')
      }
      const link = readFileUser(account.fileUser) ?? (await createFileUser(leased, files, account))
      if (isWritten(account, link, leased.now()) && link.writes !== stale) return link
      stale = undefined
      const wanted = wantedOf(account, leased.now())
      if (link.written !== null && link.written.basePath !== wanted.basePath)
        await waitForSent(leased, userId)
      const remoteName = await updateRemoteUser(leased, files, account, link, wanted)
      if (remoteName === undefined) {
        // It was deleted there, or is somebody else. Its shares do not come back with it.
        await deleteSharesOfGone(leased, files, link.remoteId)
        await deleteFileUser(leased.db, userId)
        continue
      }
      const written = { remoteId: link.remoteId, remoteName }
      const token = await confirmWritten(leased, files, account, written, wanted)
      if (await recordWritten(leased.db, userId, remoteName, wanted, link.writes)) {
        if (token !== undefined) await storeToken(leased, userId, token)
        if (link.written !== null && link.written.basePath !== wanted.basePath)
          await makeOwnFolder(leased, files, wanted)
      }
    }
    throw new Refusal('filesBroken', { detail: `user ${userId} can't be written` })
  }
  const findDone = async () => {
    const account = await findWithFileUser(deps.db, userId)
    const link = account && readFileUser(account.fileUser)
    if (account === undefined || link === undefined || link.writes === (drifted ?? seen))
      return undefined
    return isWritten(account, link, deps.now()) ? link : undefined
  }
  return asOnlyWriter(deps, files, userId, write, { patienceMilliseconds, findDone })
}

/**
 * Waits, before a user gets another base path, until what the user has sent has come: the file
 * server would take its paths for others. What is under way for longer has come by then.
 */
async function waitForSent(deps: IdentityDeps, userId: number): Promise<void> {
  for (let tries = 0; tries < SENT_TRIES; tries++) {
    if (!(await hasSentRequests(deps.db, userId, deps.now()))) return
    await deps.wait(SENT_MILLISECONDS)
  }
}

/**
 * Writes every user there whose user here was changed, disabled or deleted. The next request of a
 * user does it too, but who is disabled makes none, and shares would live on.
 *
 * @returns The number of users.
 */
export async function writeChangedFileUsers(
  deps: IdentityDeps,
  files: FileServer,
): Promise<number> {
  const behind = await selectBehind(deps.db, MAX_BEHIND, deps.now())
  let written = 0
  for (const userId of behind) {
    try {
      const account = await findWithFileUser(deps.db, userId)
      await (account === undefined
        ? asOnlyWriter(deps, files, userId, (leased) => deleteRemoteUser(leased, files, userId), {
            patienceMilliseconds: PATIENCE_MILLISECONDS,
          })
        : writeFileUser(deps, files, userId, { patienceMilliseconds: PATIENCE_MILLISECONDS }))
      written += 1
    } catch (error) {
      // The others do not wait for one who can't be written, but all do for a server that is away.
      if (!(error instanceof Refusal) || isAway(error)) throw error
      logError(error, { during: 'a user of the file server' })
    }
  }
  return written
}

/** Tells whether the file server does not answer, and nobody can be written now. */
export function isAway({ refusal, detail }: Refusal): boolean {
  return refusal === 'filesUnavailable' && detail !== OTHERS_WRITE
}

async function deleteRemoteUser(
  deps: IdentityDeps,
  files: FileServer,
  userId: number,
): Promise<void> {
  const link = await findLink(deps.db, userId, deps.now())
  if (link === undefined) return
  const { remoteId } = link
  const remoteName = await findRemoteName(deps, files, { id: userId, sub: link.sub }, link)
  if (remoteName === undefined) return recordGone(deps.db, userId, deps.now())
  const path = `/api/admin/user/delete?id=${remoteId}`
  const deleted = await callAsAdmin(deps, files, path, {})
  if (deleted.code !== 200 && !isNoUser(deleted))
    throw new Refusal('filesBroken', {
      detail: `user ${remoteId} there can't be deleted: ${deleted.code}`,
    })
  await clearRemoteCache(deps, files, remoteName)
  await recordGone(deps.db, userId, deps.now())
}

/**
 * Finds the users there that are not as they were written: a backup of the file server's database
 * was put back, or somebody has changed them there. The next run of `writeChangedFileUsers` writes
 * them, and deletes again who was deleted.
 */
export async function noteDriftedFileUsers(deps: IdentityDeps, files: FileServer): Promise<void> {
  const known = await listKnown(deps.db)
  if (known.length === 0) return
  const there = new Map((await listRemoteUsers(deps, files)).map((user) => [user.id, user]))
  const found = known.flatMap((link) => {
    const user = there.get(link.remoteId)
    return user === undefined ? [] : [{ link, user }]
  })
  const drifted = found.filter(({ link, user }) => link.goneAt === null && !isAsWritten(user, link))
  await recordDrift(
    deps.db,
    drifted.map(({ link }) => link.userId),
  )
  const gone = found.filter(({ link, user }) => link.goneAt !== null && user.role === GENERAL)
  // One of another name is mostly somebody else, who got the id.
  const isNamed = ({ link, user }: (typeof gone)[number]) => user.username === link.remoteName
  const others = gone.filter((each) => !isNamed(each)).slice(0, MAX_ASKED)
  const back: number[] = []
  try {
    for (const { link, user } of [...gone.filter(isNamed), ...others])
      if (await isGoneOne(deps, files, user, link)) back.push(link.userId)
  } finally {
    await recordDrift(deps.db, back)
  }
}

/** For this long, users there that were as they are here are believed to be so. */
const SETTLED_MILLISECONDS = 1000

/** When the users there were last known to be as they are here (Unix time, milliseconds). */
const settledMemory = remembered('that no late write is in force at the file server', () => ({
  at: 0,
}))

/**
 * Sees to it, before a request that may open a share, that a write which is done late gives nobody
 * access again: the file server has no conditional write, and opens the shares of a user by its own
 * row. It looks only while a write hangs, or was given up within an hour.
 *
 * @param readEnds Reads `leaseEnds`.
 * @throws {Refusal} `filesUnavailable` while a user who is disabled, deleted or ended here is not
 *   so there.
 */
export async function settleLateWrites(
  deps: IdentityDeps,
  files: FileServer,
  readEnds: () => string | Promise<string>,
): Promise<void> {
  const settled = settledMemory(deps)
  const now = deps.now()
  if (now - settled.at < SETTLED_MILLISECONDS) return
  if (mayLandLate(await readEnds(), files, now)) {
    await noteDriftedFileUsers(deps, files)
    await writeChangedFileUsers(deps, files)
    if (await isEndBehind(deps.db, deps.now())) throw filesUnavailable('an end is not written yet')
  }
  settled.at = now
}

/** Tells whether a user there is one who was deleted here, and not somebody else of that id. */
async function isGoneOne(
  deps: IdentityDeps,
  files: FileServer,
  { username }: RemoteUser,
  { userId: id, sub, remoteName }: Known,
): Promise<boolean> {
  return sub === null ? username === remoteName : hasOurPassword(deps, files, { id, sub }, username)
}

function isAsWritten(
  there: RemoteUser,
  { remoteName, permission, basePath, disabled }: Known,
): boolean {
  return (
    there.username === remoteName &&
    there.disabled === disabled &&
    there.permission === (disabled ? 0 : permission) &&
    cleanPath(there.base_path) === cleanPath(basePath ?? '')
  )
}
