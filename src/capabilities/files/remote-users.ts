import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { isEnabledAt } from '../../core/accounts/enabled-at.ts'
import { GENERAL, GUEST } from '../../core/accounts/roles.ts'
import { filesPassword } from '../../core/crypto/key-ring.ts'
import type { Deps } from '../../core/deps.ts'
import { staticDigest } from '../../core/passwords/passwords.ts'
import { callAsAdmin, callOrigin, type OriginAnswer, type OriginDeps } from './origin.ts'
import { type FileUser, insertFileUser, recordRename, type Wanted } from './store.ts'

export type RemoteUserDeps = OriginDeps & Pick<Deps, 'db' | 'now' | 'keyRing'>

/** Reads of a written user, until the file server shows it as it was written. */
const MAX_READS = 4
/**
 * Is added to the id of a user when the file server has another user with that id. No user of this
 * site ever gets such an id: the file server's lists of readers keep the ids of deleted users.
 */
export const FAR_ID = 1_000_000_000

const tokenSchema = v.object({ token: v.string() })
const userSchema = v.object({
  id: v.number(),
  username: v.string(),
  role: v.number(),
  disabled: v.optional(v.boolean(), false),
  permission: v.number(),
  base_path: v.string(),
})
/** A user of the file server. */
export type RemoteUser = v.InferOutput<typeof userSchema>
const usersSchema = v.object({ content: v.array(userSchema) })
/** The permission and the base path of a user of the file server. */
const rightsSchema = v.omit(userSchema, ['disabled'])
const rootSchema = v.object({ base_path: v.literal('/') })

export function wantedOf(account: Account, now: number): Wanted {
  const { username, permission, basePath } = account
  return { username, permission, basePath, disabled: !isEnabledAt(account, now) }
}

/**
 * Derives the password of a user of the file server. Nobody types it, and this site stores it
 * nowhere.
 */
export async function passwordOf(
  { keyRing }: Pick<Deps, 'keyRing'>,
  { id, sub }: Pick<Account, 'id' | 'sub'>,
): Promise<string> {
  return filesPassword((await keyRing()).current, id, sub)
}

export async function signInAs(
  deps: RemoteUserDeps,
  files: FileServer,
  account: Pick<Account, 'id' | 'sub'>,
  remoteName: string,
): Promise<string | undefined> {
  return signInWith(deps, files, remoteName, await passwordOf(deps, account))
}

async function signInWith(
  deps: OriginDeps,
  files: FileServer,
  remoteName: string,
  password: string,
): Promise<string | undefined> {
  const body = { username: remoteName, password: await staticDigest(password) }
  const { code, data } = await callOrigin(deps, files, '/api/auth/login/hash', { body })
  if (code === 200 && v.is(tokenSchema, data)) return data.token
  if ([400, 401, 402].includes(code)) return undefined
  throw new Refusal('filesBroken', { detail: `sign-in at the file server: ${code}` })
}

/** Returns all fields of a user of the file server, because a write replaces all of them. */
async function recordFor(
  deps: RemoteUserDeps,
  account: Account,
  remoteName: string,
  role: number,
  { permission, basePath, disabled }: Wanted,
) {
  return {
    username: remoteName,
    password: await passwordOf(deps, account),
    base_path: basePath,
    role,
    // Shares of a disabled user live on; those of one without permission end.
    permission: disabled ? 0 : permission,
    disabled,
    sso_id: '',
    allow_ldap: false,
  }
}

/**
 * Creates the user of the file server for an account: with the same id, because the file server's
 * lists of readers hold ids, and its web client fills them from this site's list. A user that
 * exists already belongs to the account only if it has our password, whatever its name and id.
 */
export async function createFileUser(
  deps: RemoteUserDeps,
  files: FileServer,
  account: Account,
): Promise<FileUser> {
  const { id: userId } = account
  const remote =
    account.role === GUEST
      ? await findRemoteGuest(deps, files)
      : await makeRemoteUser(deps, files, account)
  await insertFileUser(deps.db, userId, remote)
  return {
    ...remote,
    nextName: null,
    written: null,
    writes: 0,
    token: null,
    tokenMadeAt: 0,
    heldUntil: null,
  }
}

/** Lists the users of the file server. @throws {Refusal} `filesUnavailable`, `filesBroken`. */
export async function listRemoteUsers(deps: OriginDeps, files: FileServer): Promise<RemoteUser[]> {
  const { data } = await callAsAdmin(deps, files, '/api/admin/user/list')
  const parsed = v.safeParse(usersSchema, data)
  if (parsed.success) return parsed.output.content
  throw new Refusal('filesBroken', { detail: 'no list of users' })
}

async function findRemoteGuest(deps: RemoteUserDeps, files: FileServer) {
  const guest = (await listRemoteUsers(deps, files)).find(({ role }) => role === GUEST)
  if (!guest) throw new Refusal('filesBroken', { detail: 'the file server has no guest' })
  return { remoteId: guest.id, remoteName: guest.username }
}

async function makeRemoteUser(deps: RemoteUserDeps, files: FileServer, account: Account) {
  const { id: userId, username } = account
  const wanted = wantedOf(account, deps.now())
  // The file server tells the id of no disabled user. The write that follows disables this one.
  const beginning = wanted.disabled ? { ...wanted, permission: 0, disabled: false } : wanted
  for (const name of [username, `${username}~${userId}`]) {
    const record = await recordFor(deps, account, name, GENERAL, beginning)
    for (const id of [userId, FAR_ID + userId, 2 * FAR_ID + userId]) {
      const made = await callAsAdmin(deps, files, '/api/admin/user/create', { id, ...record })
      if (isIdTaken(made)) continue
      if (made.code === 200 || isNameTaken(made)) break
      throw new Refusal('filesBroken', { detail: `user ${userId} can't be made: ${made.code}` })
    }
    const token = await signInAs(deps, files, account, name)
    if (token !== undefined) {
      await makeOwnFolder(deps, files, account)
      return { remoteId: await idOf(deps, files, token), remoteName: name }
    }
  }
  throw new Refusal('filesBroken', { detail: `no user there can be made for user ${userId}` })
}

/**
 * Makes the folder that is named after its user, as `/homes/{username}` of an invitation: the file
 * server answers a list of it with `object not found` until the first upload.
 */
export async function makeOwnFolder(
  deps: RemoteUserDeps,
  files: FileServer,
  { username, basePath }: Pick<Account, 'username' | 'basePath'>,
): Promise<void> {
  if (!basePath.endsWith(`/${username}`)) return
  const { data } = await callAsAdmin(deps, files, '/api/me')
  // A path of the admin is one below the admin's own folder.
  if (!v.is(rootSchema, data)) return
  // Where there is no storage for it, the file server says so to the user.
  await callOrigin(deps, files, '/api/fs/mkdir', { token: files.token, body: { path: basePath } })
}

function isIdTaken({ code, message }: OriginAnswer): boolean {
  return code !== 200 && /users(?:\.id\b|\.PRIMARY|_pkey)/.test(message)
}

function isNameTaken({ code, message }: OriginAnswer): boolean {
  return code !== 200 && /users[._](?:\w+_)?username/.test(message)
}

/** Tells whether there is no such user. Any other error, such as a busy database, doesn't say so. */
export function isNoUser({ code, message }: OriginAnswer): boolean {
  return code !== 200 && /record not found/.test(message)
}

async function idOf(deps: RemoteUserDeps, files: FileServer, token: string): Promise<number> {
  const { data } = await callOrigin(deps, files, '/api/me', { token })
  if (v.is(userSchema, data)) return data.id
  throw new Refusal('filesBroken', { detail: 'the file server does not say who signed in' })
}

/**
 * Finds the user of the file server that a link names, and checks that it is still the same one:
 * the file server may have been replaced or restored, and then gives ids a second time. A user with
 * another name than the recorded ones is the same if it has our password: this site may have been
 * restored, too.
 *
 * @param owner The user of this site; a deleted one has no `role`, and perhaps no known `sub`.
 * @returns Its name at the file server; `undefined` when it is gone or is another user.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function findRemoteName(
  deps: RemoteUserDeps,
  files: FileServer,
  owner: { id: number; sub: string | null; role?: number },
  { remoteId, remoteName, nextName }: Pick<FileUser, 'remoteId' | 'remoteName' | 'nextName'>,
): Promise<string | undefined> {
  const answer = await callAsAdmin(deps, files, `/api/admin/user/get?id=${remoteId}`)
  if (isNoUser(answer)) return undefined
  const { code, data } = answer
  if (code !== 200 || !v.is(userSchema, data))
    throw new Refusal('filesBroken', { detail: `user ${remoteId} there can't be read: ${code}` })
  const role = owner.role === GUEST ? GUEST : GENERAL
  if (data.role !== role) return undefined
  const { username } = data
  if ([remoteName, nextName].includes(username)) return username
  return (await hasOurPassword(deps, files, owner, username)) ? username : undefined
}

/** Tells whether a user of the file server has the password that an entry of `SECRET_KEYS` gives it. */
export async function hasOurPassword(
  deps: RemoteUserDeps,
  files: FileServer,
  { id, sub }: { id: number; sub: string | null },
  username: string,
): Promise<boolean> {
  if (sub === null) return false
  for (const key of (await deps.keyRing()).all) {
    const password = await filesPassword(key, id, sub)
    if ((await signInWith(deps, files, username, password)) !== undefined) return true
  }
  return false
}

/** @returns Its name at the file server; `undefined` when there is no such user. */
export async function updateRemoteUser(
  deps: RemoteUserDeps,
  files: FileServer,
  account: Account,
  link: FileUser,
  wanted: Wanted,
): Promise<string | undefined> {
  const { id: userId, role } = account
  const { remoteId } = link
  const remoteRole = role === GUEST ? GUEST : GENERAL
  const remoteName = await findRemoteName(deps, files, account, link)
  if (remoteName === undefined) return undefined
  if (role !== GUEST)
    await callAsAdmin(deps, files, `/api/admin/user/cancel_2fa?id=${remoteId}`, {})
  for (const name of [wanted.username, `${wanted.username}~${userId}`]) {
    if (name !== link.remoteName)
      await recordRename(deps.db, userId, { remoteName, nextName: name })
    const record = await recordFor(deps, account, name, remoteRole, wanted)
    const fields = { id: remoteId, ...record }
    const updated = await callAsAdmin(deps, files, '/api/admin/user/update', fields)
    if (updated.code === 200) return name
    if (isNoUser(updated)) return undefined
    if (!isNameTaken(updated))
      throw new Refusal('filesBroken', {
        detail: `user ${userId} can't be written: ${updated.code}`,
      })
  }
  throw new Refusal('filesBroken', { detail: `no name is free for user ${userId}` })
}

/**
 * Makes the file server use what was written. It keeps users in memory, and forgets a user before a
 * write: a request in between makes it keep the old fields, those of the guest without an end.
 *
 * @returns A token; `undefined` for the guest, and for a user who may not sign in.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function confirmWritten(
  deps: RemoteUserDeps,
  files: FileServer,
  account: Account,
  { remoteId, remoteName }: Pick<FileUser, 'remoteId' | 'remoteName'>,
  { disabled }: Wanted,
): Promise<string | undefined> {
  for (let i = 0; i < MAX_READS; i++) {
    await clearRemoteCache(deps, files, remoteName)
    const isGuest = account.role === GUEST
    const token = isGuest ? undefined : await signInAs(deps, files, account, remoteName)
    const call = token === undefined ? {} : { token }
    const kept = isGuest || token ? await rightsIn(callOrigin(deps, files, '/api/me', call)) : null
    if (disabled && kept === null) return undefined
    const path = `/api/admin/user/get?id=${remoteId}`
    const stored = await rightsIn(callAsAdmin(deps, files, path))
    if (!disabled && kept !== null && JSON.stringify(kept) === JSON.stringify(stored)) return token
  }
  throw new Refusal('filesBroken', { detail: `the file server keeps user ${account.id} as it was` })
}

/** @returns Null when the answer has no user. */
async function rightsIn(call: Promise<OriginAnswer>) {
  const parsed = v.safeParse(rightsSchema, (await call).data)
  return parsed.success ? parsed.output : null
}

/** Makes the file server forget a user that it keeps in memory. It refuses this for a deleted user. */
export async function clearRemoteCache(
  deps: RemoteUserDeps,
  files: FileServer,
  name: string,
): Promise<void> {
  const path = `/api/admin/user/del_cache?username=${encodeURIComponent(name)}`
  await callAsAdmin(deps, files, path, {})
}
