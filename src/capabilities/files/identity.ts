import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { signInAs } from './remote-users.ts'
import { openToken, storeToken } from './stored-token.ts'
import { type FileUser, findWithFileUser, readFileUser } from './store.ts'
import { type IdentityDeps, isSameFor, isWritten, writeFileUser } from './write-users.ts'

/** Any number of strangers may ask while the guest is written. */
const STRANGERS_PATIENCE_MILLISECONDS = 1000

/**
 * Finds the user of the file server that an account acts as; creates and writes it where needed.
 *
 * @returns `isNew`: it is another user there than D1 has told.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function ensureFileUser(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
  json: string | null,
): Promise<FileUser & { isNew: boolean }> {
  const known = readFileUser(json)
  const now = deps.now()
  // Of two changes in succession, the first may just be written: the fields of before are recorded.
  const isHeld = (known?.heldUntil ?? 0) > now
  if (known !== undefined && !isHeld && isWritten(account, known, now))
    return { ...known, isNew: false }
  const link = await writeFileUser(deps, files, account.id, {
    seen: known?.writes,
    ...(account.role === GUEST && { patienceMilliseconds: STRANGERS_PATIENCE_MILLISECONDS }),
  })
  if (!isWritten(account, link, deps.now())) throw changedMeanwhile(account)
  return { ...link, isNew: link.remoteId !== known?.remoteId }
}

/**
 * What a request may do was decided for the account as it was read: with another base path, the
 * same request is for other files.
 */
export function changedMeanwhile({ id }: Account): Refusal {
  const detail = `user ${id} has changed meanwhile`
  return new Refusal('filesUnavailable', { detail, retryAfterSeconds: 1 })
}

/**
 * Returns a token of the user there.
 *
 * @param isRefused The stored one was refused.
 * @throws {Refusal} `filesUnavailable`, also for an account that has changed since it was read;
 *   `filesBroken`.
 */
export async function tokenOf(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
  link: FileUser,
  isRefused = false,
): Promise<string> {
  if (isRefused) {
    const now = await findWithFileUser(deps.db, account.id)
    if (now === undefined || !isSameFor(account, now, deps.now())) throw changedMeanwhile(account)
  }
  const stored = isRefused ? undefined : await openToken(deps, link)
  if (stored !== undefined) return stored
  const signedIn = await signIn(deps, files, account, link.remoteName)
  if (signedIn !== undefined) return signedIn
  // The password has drifted: the database there was restored, or the secret here has changed.
  const { remoteName } = await writeFileUser(deps, files, account.id, {
    drifted: link.writes,
  })
  const again = await signIn(deps, files, account, remoteName)
  if (again !== undefined) return again
  throw new Refusal('filesBroken', { detail: `the file server refuses user ${account.id}` })
}

/** Signs in and stores the token. @returns `undefined` when the password is refused. */
async function signIn(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
  remoteName: string,
): Promise<string | undefined> {
  const token = await signInAs(deps, files, account, remoteName)
  if (token !== undefined) await storeToken(deps, account.id, token)
  return token
}

/** Admins act as the one admin of the file server, by its token. */
export function actsAsRemoteAdmin({ role }: Account): boolean {
  return role === ADMIN
}
