import { auditEvents } from '../../schema/tables.ts'
import { type AuditEvent, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import { checkPassword } from '../sign-in/sign-in.ts'
import { staticDigest } from '../passwords/passwords.ts'
import { replacePasswordHash } from '../sign-in/store.ts'
import { payBack } from '../throttle/throttle.ts'
import { networkOf } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { actAsService } from '../access/service-tokens.ts'
import { sftpAccess } from './access.ts'
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
import { insertServiceSignIn, markKeyUsed, selectRecentSignIn, selectSignInKeys } from './store.ts'
import { KeyError } from './wire.ts'

type ServiceDeps = Pick<Deps, 'db' | 'now'>

/**
 * The lines that let a user's keys sign in to sshd: `restrict` and a forced command, because
 * `restrict` alone stops no command, and a user who may not write gets a server that can't.
 *
 * @param fingerprint The key that was offered; all keys of the user without it.
 * @returns No lines for a user that is unknown, disabled, without permission or without keys:
 *   nothing tells them apart.
 * @see sshd(8), AUTHORIZED_KEYS FILE FORMAT
 */
export async function authorizedKeys(
  deps: ServiceDeps,
  tokenHash: string,
  username: string,
  fingerprint: string | undefined,
): Promise<string[]> {
  const [keys] = await actAsService(
    deps.db,
    tokenHash,
    'sftp:keys',
    selectSignInKeys(deps.db, username, fingerprint),
  )
  return keys.flatMap(({ line, permission }) => {
    const access = sftpAccess(permission)
    if (access === 'none') return []
    const command = access === 'write' ? 'internal-sftp' : 'internal-sftp -R'
    // Without the comment: it is the user's own text, and sshd needs none.
    return [`restrict,command="${command}" ${line.split(' ', 2).join(' ')}`]
  })
}

/** A sign-in with a key, as a server reports it. */
interface KeyUse {
  username: string
  fingerprint: string
  /** Where the user came from, as the server saw it. */
  address: string
  /** The server's software. */
  userAgent: 'sftp' | 'SFTPGo'
}

/**
 * Notes that a key really signed somebody in.
 *
 * @throws {Refusal} `keyNotFound`.
 */
export async function reportKeyUse(
  deps: ServiceDeps,
  tokenHash: string,
  use: KeyUse,
): Promise<void> {
  const at = deps.now()
  const [[key]] = await actAsService(
    deps.db,
    tokenHash,
    'sftp:keys',
    markKeyUsed(deps.db, tokenHash, use.username, use.fingerprint, at),
  )
  if (key === undefined)
    throw new Refusal('keyNotFound', { detail: `${use.fingerprint} was reported as used` })
  const client = { network: networkOf(use.address), userAgent: use.userAgent }
  const event = { ...client, at, kind: 'key_used' as const, userId: key.userId, detail: key.title }
  await insertEvent(deps.db, event)
  logEvent(event)
}

/**
 * Notes that SFTPGo has signed somebody in, if a key did it.
 *
 * @throws {Refusal} `keyNotFound`.
 */
export async function reportSftpgoSignIn(
  deps: ServiceDeps,
  tokenHash: string,
  { username, address, ...signedIn }: SignedIn & { username: string; address: string },
): Promise<void> {
  const key = keyThatSignedIn(signedIn)
  if (key === undefined) return void (await actAsService(deps.db, tokenHash, 'sftp:keys'))
  const fingerprint = fingerprintOf(key)
  await reportKeyUse(deps, tokenHash, { username, fingerprint, address, userAgent: 'SFTPGo' })
}

/** Who wants in at an SFTPGo server, with what. */
export interface ExternalAttempt {
  username: string
  password: string
  publicKey: string
  address: string
  protocol: string
}

/**
 * Decides for SFTPGo's external authentication hook whether a user may come in.
 *
 * @returns What the user may do; `undefined` is a refusal, whatever its reason. A password with
 *   two-step verification on is refused: it would go round the second factor.
 */
export async function authenticateExternally(
  deps: Deps,
  tokenHash: string,
  attempt: ExternalAttempt,
): Promise<Admission | undefined> {
  // A name becomes a folder there.
  const isFolderName = !/[/\\]|^\.{1,2}$/.test(attempt.username)
  const isOurs = isFolderName && isProtocol(attempt.protocol)
  if (attempt.publicKey !== '') {
    const permission = await permissionByKey(deps, tokenHash, attempt)
    const access = isOurs ? accessBy(attempt.protocol, permission) : 'none'
    return access === 'none' ? undefined : { access }
  }
  const network = networkOf(attempt.address)
  const [recent] = await actAsService(
    deps.db,
    tokenHash,
    'sftp:passwords',
    selectRecentSignIn(deps.db, attempt.username, network, rememberedSince(deps.now())),
  )
  if (attempt.password === '' || !isOurs) return undefined
  // SFTPGo would not have asked about an attempt that it remembered: it must not use up the gate.
  const limitSignIns = recent.length > 0 ? async () => true : deps.limitSignIns
  return admitByPassword({ ...deps, limitSignIns }, attempt, network)
}

/** An event after this moment belongs to a sign-in that SFTPGo could still go by. */
function rememberedSince(now: number): number {
  return now - REMEMBERED_SECONDS * 1000
}

async function permissionByKey(
  deps: ServiceDeps,
  tokenHash: string,
  { username, publicKey }: ExternalAttempt,
): Promise<number> {
  const fingerprint = fingerprintOf(publicKey)
  const [[key]] = await actAsService(
    deps.db,
    tokenHash,
    'sftp:keys',
    selectSignInKeys(deps.db, username, fingerprint),
  )
  return key?.permission ?? 0
}

async function admitByPassword(
  deps: Deps,
  { username, password, protocol }: ExternalAttempt,
  network: string,
): Promise<Admission | undefined> {
  const client = { network, userAgent: 'SFTPGo' }
  try {
    const attempt = { username, digest: await staticDigest(password) }
    const { user, signIn, rehash, now } = await checkPassword(deps, attempt, client)
    const access = user.totpSeed === null ? accessBy(protocol, user.permission) : 'none'
    const who = { ...client, at: now, userId: user.id }
    const detail = user.totpSeed === null ? 'permission' : 'two-factor'
    const event: AuditEvent =
      access === 'none'
        ? { ...who, kind: 'sign_in_refused', detail }
        : { ...who, kind: 'service_sign_in' }
    const insertion =
      access === 'none'
        ? insertEvent(deps.db, event)
        : insertServiceSignIn(deps.db, username, event, rememberedSince(now))
    const [, inserted, keys] = await deps.db.batch([
      payBack(deps.db, signIn.counters),
      insertion.returning({ id: auditEvents.id }),
      selectSignInKeys(deps.db, username, undefined),
      ...(rehash === undefined ? [] : [replacePasswordHash(deps.db, user.id, rehash)]),
    ])
    if (inserted.length > 0) logEvent(event)
    if (access === 'none') return undefined
    return { access, remembered: rememberedOf(user.permission, keys) }
  } catch (error) {
    if (error instanceof Refusal && error.code < 500) return undefined
    throw error
  }
}

/** A text that is no key has a fingerprint that no key has. */
function fingerprintOf(publicKey: string): string {
  try {
    return parsePublicKey(publicKey).fingerprint
  } catch (error) {
    if (error instanceof KeyError) return 'none'
    throw error
  }
}
