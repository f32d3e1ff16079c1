import * as v from 'valibot'
import type { FileServer } from '../base/file-server.ts'
import { Refusal } from '../base/refusals.ts'
import type { Account } from '../accounts/accounts.ts'
import { isEnabledAt } from '../accounts/conditions.ts'
import { ADMIN, GENERAL, GUEST } from '../accounts/roles.ts'
import { filesPassword } from '../crypto/key-ring.ts'
import { openBox, sealBox } from '../crypto/sealed-box.ts'
import { logError } from '../database/log.ts'
import type { Deps } from '../deps.ts'
import { staticDigest } from '../passwords/passwords.ts'
import { asOnlyWriter, type LeaseDeps, OTHERS_WRITE } from './lease.ts'
import { callAsAdmin, callOrigin, type OriginAnswer, type OriginDeps } from './origin.ts'
import {
  deleteFileUser,
  findLink,
  type FileUser,
  findWithFileUser,
  insertFileUser,
  type Known,
  listKnown,
  readFileUser,
  recordDrift,
  recordGone,
  recordRename,
  recordToken,
  recordWritten,
  selectBehind,
  type Wanted,
} from './store.ts'
import { HOUR_MILLISECONDS } from '../base/time.ts'

export type IdentityDeps = LeaseDeps & Pick<Deps, 'keyRing' | 'isolateMemory'>

declare module '../deps.ts' {
  interface IsolateMemory {
    /** Tokens of the file server, by their sealed texts. */
    openedTokens?: Map<string, string>
  }
}

const MAX_OPENED = 1000

/** Tokens of the file server live for 48 hours. */
const TOKEN_MILLISECONDS = 47 * HOUR_MILLISECONDS
const USE = 'file server token'
/** How often a user is written again because it was changed meanwhile, or is not there. */
const MAX_WRITES = 4
/**
 * Where an id is taken there, one that no other user here ever gets: the file server's lists of
 * readers keep the ids of users who are deleted.
 */
const FAR_ID = 1_000_000_000
/** Any number of strangers may ask while the guest is written. */
const STRANGERS_PATIENCE_MILLISECONDS = 1000
/** The number of users that one run writes. */
const MAX_BEHIND = 50

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
/** What a user may do there, and where. */
const rightsSchema = v.object({
  id: v.number(),
  username: v.string(),
  role: v.number(),
  permission: v.number(),
  base_path: v.string(),
})
const rootSchema = v.object({ base_path: v.literal('/') })

function wantedOf(account: Account, now: number): Wanted {
  const { username, permission, basePath } = account
  return { username, permission, basePath, disabled: !isEnabledAt(account, now) }
}

function isWritten(account: Account, link: FileUser, now: number): boolean {
  return JSON.stringify(link.written) === JSON.stringify(wantedOf(account, now))
}

/**
 * Finds the user of the file server that an account acts as; creates and writes it where needed.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function ensureFileUser(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
  json: string | null,
): Promise<FileUser> {
  const link = readFileUser(json)
  if (link !== undefined && isWritten(account, link, deps.now())) return link
  return writeFileUser(deps, files, account.id, {
    ...(account.role === GUEST && { patienceMilliseconds: STRANGERS_PATIENCE_MILLISECONDS }),
  })
}

/** The password of a user there. Nobody types it, and nothing stores it here. */
export async function passwordOf(
  { keyRing }: Pick<Deps, 'keyRing'>,
  { id, sub }: Pick<Account, 'id' | 'sub'>,
): Promise<string> {
  return filesPassword(await keyRing(), id, sub)
}

/**
 * Returns a token of the user there.
 *
 * @param isRefused The stored one was refused.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function tokenOf(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
  link: FileUser,
  isRefused = false,
): Promise<string> {
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

async function openToken(deps: IdentityDeps, link: FileUser): Promise<string | undefined> {
  if (link.token === null || link.tokenMadeAt <= deps.now() - TOKEN_MILLISECONDS) return undefined
  const opened = (deps.isolateMemory.openedTokens ??= new Map())
  const known = opened.get(link.token)
  if (known !== undefined) return known
  const bytes = await openBox(await deps.keyRing(), link.token, USE, 'a token').catch(
    () => undefined,
  )
  const token = bytes && new TextDecoder().decode(bytes)
  if (opened.size >= MAX_OPENED) opened.clear()
  if (token !== undefined) opened.set(link.token, token)
  return token
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

async function storeToken(deps: IdentityDeps, userId: number, token: string): Promise<void> {
  const bytes = new Uint8Array(new TextEncoder().encode(token))
  const sealed = await sealBox(deps, await deps.keyRing(), bytes, USE)
  await recordToken(deps.db, userId, sealed, deps.now())
}

async function signInAs(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
  remoteName: string,
): Promise<string | undefined> {
  const password = await staticDigest(await passwordOf(deps, account))
  const body = { username: remoteName, password }
  const { code, data } = await callOrigin(deps, files, '/api/auth/login/hash', { body })
  if (code === 200 && v.is(tokenSchema, data)) return data.token
  if ([400, 401, 402].includes(code)) return undefined
  throw new Refusal('filesBroken', { detail: `sign-in at the file server: ${code}` })
}

/** The fields of a user there. A write replaces all of them, so all are always sent. */
async function recordFor(
  deps: IdentityDeps,
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
 * Creates the user there: with the id of this site, because the file server's lists of readers hold
 * ids and its web client fills them from this site's list. No user there is adopted by name or id;
 * one that exists is ours only if it has our password.
 */
async function createFileUser(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
): Promise<FileUser> {
  const { id: userId } = account
  const remote =
    account.role === GUEST
      ? await findRemoteGuest(deps, files)
      : await makeRemoteUser(deps, files, account)
  await insertFileUser(deps.db, userId, remote)
  return { ...remote, nextName: null, written: null, writes: 0, token: null, tokenMadeAt: 0 }
}

/** Lists the users of the file server. @throws {Refusal} `filesUnavailable`, `filesBroken`. */
export async function listRemoteUsers(deps: OriginDeps, files: FileServer): Promise<RemoteUser[]> {
  const { data } = await callAsAdmin(deps, files, '/api/admin/user/list')
  const parsed = v.safeParse(usersSchema, data)
  if (parsed.success) return parsed.output.content
  throw new Refusal('filesBroken', { detail: 'no list of users' })
}

async function findRemoteGuest(deps: IdentityDeps, files: FileServer) {
  const guest = (await listRemoteUsers(deps, files)).find(({ role }) => role === GUEST)
  if (!guest) throw new Refusal('filesBroken', { detail: 'the file server has no guest' })
  return { remoteId: guest.id, remoteName: guest.username }
}

async function makeRemoteUser(deps: IdentityDeps, files: FileServer, account: Account) {
  const { id: userId, username } = account
  for (const name of [username, `${username}~${userId}`]) {
    const record = await recordFor(deps, account, name, GENERAL, wantedOf(account, deps.now()))
    for (const id of [userId, FAR_ID + userId, 2 * FAR_ID + userId]) {
      const made = await callAsAdmin(deps, files, '/api/admin/user/create', { id, ...record })
      if (!isIdTaken(made)) break
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
async function makeOwnFolder(
  deps: IdentityDeps,
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

async function idOf(deps: IdentityDeps, files: FileServer, token: string): Promise<number> {
  const { data } = await callOrigin(deps, files, '/api/me', { token })
  if (v.is(userSchema, data)) return data.id
  throw new Refusal('filesBroken', { detail: 'the file server does not say who signed in' })
}

/**
 * Writes a user to the file server as it is here, and the password: only a new one surely ends the
 * tokens there.
 *
 * @param options `drifted` is the number of writes after which the user there was not as it was
 *   written.
 */
function writeFileUser(
  deps: IdentityDeps,
  files: FileServer,
  userId: number,
  { drifted, patienceMilliseconds }: { drifted?: number; patienceMilliseconds?: number } = {},
): Promise<FileUser> {
  const write = async (leased: IdentityDeps) => {
    let seen = drifted
    for (let i = 0; i < MAX_WRITES; i++) {
      const account = await findWithFileUser(leased.db, userId)
      if (account === undefined) {
        await deleteRemoteUser(leased, files, userId)
        throw new Refusal('tokenInvalidated')
      }
      const link = readFileUser(account.fileUser) ?? (await createFileUser(leased, files, account))
      if (isWritten(account, link, leased.now()) && link.writes !== seen) return link
      seen = undefined
      const wanted = wantedOf(account, leased.now())
      const remoteName = await updateRemoteUser(leased, files, account, link, wanted)
      if (remoteName === undefined) {
        // It was deleted there by hand, or is somebody else.
        await deleteFileUser(leased.db, userId)
        continue
      }
      const written = { remoteId: link.remoteId, remoteName }
      const token = await seeWritten(leased, files, account, written, wanted)
      if (await recordWritten(leased.db, userId, remoteName, wanted, link.writes)) {
        if (token !== undefined) await storeToken(leased, userId, token)
        if (link.written !== null && link.written.basePath !== wanted.basePath)
          await makeOwnFolder(leased, files, wanted)
      }
    }
    throw new Refusal('filesBroken', { detail: `user ${userId} can't be written` })
  }
  return asOnlyWriter(deps, files, userId, write, patienceMilliseconds)
}

/**
 * Finds the user that a link was recorded for: the file server may be another one than that of the
 * import, or have a database of yesterday, which gives ids a second time. One whose name is unknown
 * here is ours if it has our password: the database here may be of yesterday, too.
 *
 * @param account `undefined` for one that is deleted here.
 * @returns Its name there; `undefined` when it is gone, or somebody else.
 */
async function nameThere(
  deps: IdentityDeps,
  files: FileServer,
  account: Account | undefined,
  { remoteId, remoteName, nextName }: Pick<FileUser, 'remoteId' | 'remoteName' | 'nextName'>,
): Promise<string | undefined> {
  const { data } = await callAsAdmin(deps, files, `/api/admin/user/get?id=${remoteId}`)
  const role = account?.role === GUEST ? GUEST : GENERAL
  if (!v.is(userSchema, data) || data.role !== role) return undefined
  const { username } = data
  if ([remoteName, nextName].includes(username)) return username
  const token = account && (await signInAs(deps, files, account, username))
  return token === undefined ? undefined : username
}

/** @returns The name there; `undefined` when there is no such user. */
async function updateRemoteUser(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
  link: FileUser,
  wanted: Wanted,
): Promise<string | undefined> {
  const { id: userId, role } = account
  const { remoteId } = link
  const remoteRole = role === GUEST ? GUEST : GENERAL
  const remoteName = await nameThere(deps, files, account, link)
  if (remoteName === undefined) return undefined
  if (role !== GUEST)
    await callAsAdmin(deps, files, `/api/admin/user/cancel_2fa?id=${remoteId}`, {})
  for (const name of [wanted.username, `${wanted.username}~${userId}`]) {
    if (name !== link.remoteName)
      await recordRename(deps.db, userId, { remoteName, nextName: name })
    const record = await recordFor(deps, account, name, remoteRole, wanted)
    const { code, message } = await callAsAdmin(deps, files, '/api/admin/user/update', {
      id: remoteId,
      ...record,
    })
    if (code === 200) return name
    if (/record not found/.test(message)) return undefined
    if (!/users\.username\b/.test(message))
      throw new Refusal('filesBroken', { detail: `user ${userId} can't be written: ${code}` })
  }
  throw new Refusal('filesBroken', { detail: `no name is free for user ${userId}` })
}

/**
 * Sees to it that the file server works with what was written. It keeps users in memory, and
 * empties that before it writes: a request in between makes it keep the old one, a guest without an
 * end.
 *
 * @returns A token; `undefined` for the guest, and for a user who may not sign in.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
async function seeWritten(
  deps: IdentityDeps,
  files: FileServer,
  account: Account,
  { remoteId, remoteName }: Pick<FileUser, 'remoteId' | 'remoteName'>,
  { disabled }: Wanted,
): Promise<string | undefined> {
  for (let i = 0; i < MAX_WRITES; i++) {
    await forgetThere(deps, files, remoteName)
    const isGuest = account.role === GUEST
    const token = isGuest ? undefined : await signInAs(deps, files, account, remoteName)
    const call = token === undefined ? {} : { token }
    const kept = isGuest || token ? await rightsAt(callOrigin(deps, files, '/api/me', call)) : null
    if (disabled && kept === null) return undefined
    const path = `/api/admin/user/get?id=${remoteId}`
    const stored = await rightsAt(callAsAdmin(deps, files, path))
    if (!disabled && kept !== null && JSON.stringify(kept) === JSON.stringify(stored)) return token
  }
  throw new Refusal('filesBroken', { detail: `the file server keeps user ${account.id} as it was` })
}

/** @returns Null when the file server answers with nobody. */
async function rightsAt(call: Promise<OriginAnswer>) {
  const parsed = v.safeParse(rightsSchema, (await call).data)
  return parsed.success ? parsed.output : null
}

/** Empties what the file server keeps of a user in memory; one that is gone there is an error to it. */
async function forgetThere(deps: IdentityDeps, files: FileServer, name: string): Promise<void> {
  const path = `/api/admin/user/del_cache?username=${encodeURIComponent(name)}`
  await callAsAdmin(deps, files, path, {})
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
        ? asOnlyWriter(deps, files, userId, (leased) => deleteRemoteUser(leased, files, userId))
        : writeFileUser(deps, files, userId))
      written += 1
    } catch (error) {
      // The others do not wait for one who can't be written, but all do for a server that is away.
      if (!(error instanceof Refusal) || isAway(error)) throw error
      logError(error, { during: 'a user of the file server' })
    }
  }
  return written
}

function isAway({ refusal, detail }: Refusal): boolean {
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
  const remoteName = await nameThere(deps, files, undefined, link)
  if (remoteName === undefined) return recordGone(deps.db, userId, deps.now())
  const { code, message } = await callAsAdmin(
    deps,
    files,
    `/api/admin/user/delete?id=${remoteId}`,
    {},
  )
  if (code !== 200 && !/record not found/.test(message))
    throw new Refusal('filesBroken', { detail: `user ${remoteId} there can't be deleted: ${code}` })
  await forgetThere(deps, files, remoteName)
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
  const drifted = known.filter(({ remoteId, remoteName, goneAt, ...written }) => {
    const user = there.get(remoteId)
    if (user === undefined) return false
    const isNamed = user.username === remoteName
    return goneAt === null
      ? !isNamed || !isAsWritten(user, written)
      : isNamed && user.role === GENERAL
  })
  const userIds = drifted.slice(0, MAX_BEHIND).map(({ userId }) => userId)
  if (userIds.length > 0) await recordDrift(deps.db, userIds)
}

function isAsWritten(
  there: RemoteUser,
  { permission, basePath, disabled }: Pick<Known, 'permission' | 'basePath' | 'disabled'>,
): boolean {
  return (
    there.disabled === disabled &&
    there.permission === (disabled ? 0 : permission) &&
    segmentsOf(there.base_path) === segmentsOf(basePath ?? '')
  )
}

/** The file server cleans paths. */
function segmentsOf(path: string): string {
  return path
    .split(/[/\\]/)
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
}

/** Admins act as the one admin of the file server, by its token. */
export function actsAsRemoteAdmin({ role }: Account): boolean {
  return role === ADMIN
}
