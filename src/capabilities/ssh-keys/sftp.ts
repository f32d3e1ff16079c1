import { exists, sql } from 'drizzle-orm'
import { type AuditEvent, insertEvent, recordEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { asAuthority, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { checkPassword } from '../sign-in/sign-in.ts'
import { staticDigest } from '../../core/passwords/passwords.ts'
import { replacePasswordHash } from '../sign-in/store.ts'
import { payBack } from '../../core/throttle/charges.ts'
import { countWrongAppPassword } from '../../core/throttle/wrong-app-passwords.ts'
import { networkOf } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { needsCode } from '../two-factor/needs-code.ts'
import { hashAppPassword } from '../../core/access/app-password.ts'
import { hasAppPasswordForm, isAppPassword } from '../../core/access/app-password-form.ts'
import { noteUse, selectShown } from '../../core/access/app-password-store.ts'
import { maskPermission } from '../../core/access/scopes.ts'
import { actAsService, isService } from '../../core/access/service-tokens.ts'
import { sftpAccess } from '../../core/accounts/file-access.ts'
import { selectStillAllowed } from '../../core/accounts/store.ts'
import { parsePublicKey } from './openssh.ts'
import {
  accessBy,
  type Admission,
  isProtocol,
  keyThatSignedIn,
  REMEMBERED_SECONDS,
  rememberedOf,
  type SignedIn,
} from './sftpgo.ts'
import { insertServiceSignIn, selectRecentSignIn } from '../../core/access/service-sign-ins.ts'
import { markKeyUsed, selectSignInKeys } from './store.ts'
import { KeyError } from '../../core/crypto/wire.ts'

type ServiceDeps = Pick<Deps, 'db' | 'now'>

/**
 * Returns the lines that let a user's keys sign in to sshd. Each has `restrict` and a forced
 * command: `restrict` alone stops no command, and a user without write permission gets a read-only
 * server.
 *
 * @param fingerprint The key that the user offered. Without it, all keys of the user are returned.
 * @returns No lines for a user that is unknown, disabled, without permission or without keys. The
 *   answer is the same in all these cases.
 * @see sshd(8), AUTHORIZED_KEYS FILE FORMAT
 */
export async function authorizedKeys(
  deps: ServiceDeps,
  tokenHash: string,
  username: string,
  fingerprint: string | undefined,
): Promise<string[]> {
  const { keys } = await actAsService(deps.db, tokenHash, 'sftp:keys', {
    keys: selectSignInKeys(deps.db, username, fingerprint, deps.now()),
  })
  return keys.flatMap(({ line, permission }) => {
    const access = sftpAccess(permission)
    if (access === 'none') return []
    const command = access === 'write' ? 'internal-sftp' : 'internal-sftp -R'
    // The comment is left out, because it is the user's own text and sshd doesn't need it.
    return [`restrict,command="${command}" ${line.split(' ', 2).join(' ')}`]
  })
}

/** A sign-in with a key, reported by a server. */
interface KeyUse {
  username: string
  fingerprint: string
  /** The client's address as the server saw it. */
  address: string
  /** The server's software. */
  userAgent: 'sftp' | 'SFTPGo'
}

/**
 * Records that a key has signed a user in.
 *
 * @throws {Refusal} `keyNotFound`.
 */
export async function reportKeyUse(
  deps: ServiceDeps,
  tokenHash: string,
  use: KeyUse,
): Promise<void> {
  const { db } = deps
  const at = deps.now()
  const { username, fingerprint, userAgent } = use
  const network = networkOf(use.address)
  const by = isService(db, tokenHash, 'sftp:keys')
  const { marked } = await actAsService(db, tokenHash, 'sftp:keys', {
    marked: markKeyUsed(db, by, { username, fingerprint, network }, at),
  })
  const [key] = marked
  if (key === undefined)
    throw new Refusal('keyNotFound', { detail: `${fingerprint} was reported as used` })
  const client = { network, userAgent }
  const event = { ...client, at, kind: 'key_used' as const, userId: key.userId, detail: key.title }
  // The server was allowed to mark the key, so the event needs no further condition.
  await recordEvent(db, event)
}

/**
 * Records that SFTPGo has signed a user in, when a key did it.
 *
 * @throws {Refusal} `keyNotFound`.
 */
export async function reportSftpgoSignIn(
  deps: ServiceDeps,
  tokenHash: string,
  { username, address, ...signedIn }: SignedIn & { username: string; address: string },
): Promise<void> {
  const key = keyThatSignedIn(signedIn)
  if (key === undefined) return void (await actAsService(deps.db, tokenHash, 'sftp:keys', {}))
  const fingerprint = fingerprintOf(key)
  await reportKeyUse(deps, tokenHash, { username, fingerprint, address, userAgent: 'SFTPGo' })
}

/** A sign-in at an SFTPGo server. */
interface ExternalAttempt {
  username: string
  password: string
  publicKey: string
  address: string
  protocol: string
}

/**
 * Decides for SFTPGo's external authentication hook whether a user may sign in.
 *
 * @returns The user's access; `undefined` for every refusal. The account's password of a user with
 *   a second factor is refused, because SFTPGo doesn't ask for that factor. An app password is
 *   accepted.
 */
export async function authenticateExternally(
  deps: Deps,
  tokenHash: string,
  attempt: ExternalAttempt,
): Promise<Admission | undefined> {
  // SFTPGo creates a folder with this name.
  const isFolderName = !/[/\\]|^\.{1,2}$/.test(attempt.username)
  const isOurs = isFolderName && isProtocol(attempt.protocol)
  if (attempt.publicKey !== '') {
    const permission = await permissionByKey(deps, tokenHash, attempt)
    const access = isOurs ? accessBy(attempt.protocol, permission) : 'none'
    return access === 'none' ? undefined : { access }
  }
  const network = networkOf(attempt.address)
  if (hasAppPasswordForm(attempt.password)) {
    if (!isAppPassword(attempt.password)) return undefined
    const admission = await admitByAppPassword(deps, tokenHash, attempt, network)
    return isOurs ? admission : undefined
  }
  const { recent } = await actAsService(deps.db, tokenHash, 'sftp:passwords', {
    recent: selectRecentSignIn(deps.db, attempt.username, network, rememberedSince(deps.now())),
  })
  if (attempt.password === '' || !isOurs) return undefined
  // After a recent sign-in SFTPGo may ask with every request. These requests must not use up the gate.
  const limitSignIns = recent.length > 0 ? async () => true : deps.limitSignIns
  return admitByPassword({ ...deps, limitSignIns }, tokenHash, attempt, network)
}

/** Returns the earliest time of a sign-in that SFTPGo may still remember. Unix time, milliseconds. */
function rememberedSince(now: number): number {
  return now - REMEMBERED_SECONDS * 1000
}

async function permissionByKey(
  deps: ServiceDeps,
  tokenHash: string,
  { username, publicKey }: ExternalAttempt,
): Promise<number> {
  const fingerprint = fingerprintOf(publicKey)
  const { keys } = await actAsService(deps.db, tokenHash, 'sftp:keys', {
    keys: selectSignInKeys(deps.db, username, fingerprint, deps.now()),
  })
  return keys[0]?.permission ?? 0
}

/**
 * Admits the holder of an app password, in one round trip and without a password hash. SFTPGo gets
 * nothing to remember, so a deleted app password is refused at the next request.
 */
async function admitByAppPassword(
  deps: Deps,
  tokenHash: string,
  { username, password, protocol }: ExternalAttempt,
  network: string,
): Promise<Admission | undefined> {
  const { db } = deps
  const now = deps.now()
  const client = { network, userAgent: 'SFTPGo' }
  const shown = { tokenHash: hashAppPassword(password), username, network }
  const { found } = await actAsService(db, tokenHash, 'sftp:passwords', {
    found: selectShown(db, shown, now),
  })
  const [owner] = found
  if (!owner?.appPassword) {
    countWrongAppPassword(deps, client)
    return undefined
  }
  noteUse(deps, client, { ...owner.appPassword, userId: owner.id }, now)
  const access = accessBy(protocol, maskPermission(owner.permission, owner.appPassword.scopes))
  if (access !== 'none') return { access }
  logEvent({ ...client, at: now, kind: 'sign_in_refused', userId: owner.id, detail: 'permission' })
  return undefined
}

async function admitByPassword(
  deps: Deps,
  tokenHash: string,
  { username, password, protocol }: ExternalAttempt,
  network: string,
): Promise<Admission | undefined> {
  const { db } = deps
  const client = { network, userAgent: 'SFTPGo' }
  try {
    const attempt = { username, digest: await staticDigest(password) }
    const { user, signIn, rehash, now } = await checkPassword(deps, attempt, client)
    // SFTPGo asks for no second factor, so a user who must use one can't sign in with a password.
    const lacksFactor = needsCode(user) || user.mustUseSecondFactor
    const access = lacksFactor ? 'none' : accessBy(protocol, user.permission)
    const who = { ...client, at: now, userId: user.id }
    const event: AuditEvent =
      access === 'none'
        ? { ...who, kind: 'sign_in_refused', detail: lacksFactor ? 'two-factor' : 'permission' }
        : { ...who, kind: 'service_sign_in' }
    const by = isService(db, tokenHash, 'sftp:passwords')
    const allowed = selectStillAllowed(db, username, user, deps.now())
    const isAllowed = asAuthority(sql`(${by} and ${exists(allowed)})`)
    const insertion =
      access === 'none'
        ? insertEvent(db, by, event)
        : insertServiceSignIn(db, isAllowed, username, event, rememberedSince(now))
    const { still, inserted, keys } = await actAsService(db, tokenHash, 'sftp:passwords', {
      still: allowed,
      paidBack: payBack(db, THE_SERVICE, signIn.counters),
      inserted: insertion,
      keys: selectSignInKeys(db, username, undefined, now),
      rehashed: rehash && replacePasswordHash(db, THE_SERVICE, user.id, rehash),
    })
    // Operators read the log to find out why a client gets in no more.
    const logged = lacksFactor ? 'two-factor, make an app password' : (event.detail ?? '')
    if (inserted.length > 0) logEvent({ ...event, detail: logged })
    const [owner] = still
    if (access === 'none' || owner === undefined) return undefined
    // The permission may have changed as well.
    const present = accessBy(protocol, owner.permission)
    if (present === 'none') return undefined
    return { access: present, remembered: rememberedOf(owner.permission, keys) }
  } catch (error) {
    if (error instanceof Refusal && error.code < 500) return undefined
    throw error
  }
}

/**
 * Returns the fingerprint of a key. For a text that is not a key, it returns a fingerprint that no
 * key has.
 */
function fingerprintOf(publicKey: string): string {
  try {
    return parsePublicKey(publicKey).fingerprint
  } catch (error) {
    if (error instanceof KeyError) return 'none'
    throw error
  }
}
