import { type AuditEvent, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import { checkPassword } from '../login/login.ts'
import { staticDigest } from '../login/passwords.ts'
import { replacePasswordHash } from '../login/store.ts'
import { payBack } from '../login/throttle.ts'
import { networkOf } from '../network.ts'
import { Refusal } from '../refusals.ts'
import { actAsService } from '../tokens/service-tokens.ts'
import { isPermitted, PERMISSION } from '../users/roles.ts'
import { parsePublicKey } from './openssh.ts'
import { markKeyUsed, selectSignInKeys } from './store.ts'
import { KeyError } from './wire.ts'

type ServiceDeps = Pick<Deps, 'db' | 'now'>

/** What a user may do over SFTP, FTP or WebDAV. */
type Access = 'none' | 'read' | 'write'

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

/**
 * Notes that a key really signed somebody in.
 *
 * @param address Where the user came from, as the server saw it.
 * @throws {Refusal} `keyNotFound`.
 */
export async function reportKeyUse(
  deps: ServiceDeps,
  tokenHash: string,
  use: { username: string; fingerprint: string; address: string },
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
  const client = { network: networkOf(use.address), userAgent: 'sftp' }
  const event = { ...client, at, kind: 'key_used' as const, userId: key.userId, detail: key.title }
  await insertEvent(deps.db, event)
  logEvent(event)
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
 * @returns What the user may do; `none` is a refusal, whatever its reason. A password with two-step
 *   verification on is refused: it would go round the second factor.
 */
export async function authenticateExternally(
  deps: Deps,
  tokenHash: string,
  attempt: ExternalAttempt,
): Promise<Access> {
  // A name becomes a folder there.
  const isFolderName = !/[/\\]|^\.{1,2}$/.test(attempt.username)
  const accessTo = isFolderName ? ACCESS.get(attempt.protocol) : undefined
  if (attempt.publicKey !== '') {
    const permission = await permissionByKey(deps, tokenHash, attempt)
    return accessTo?.(permission) ?? 'none'
  }
  await actAsService(deps.db, tokenHash, 'sftp:passwords')
  if (attempt.password === '' || accessTo === undefined) return 'none'
  return accessByPassword(deps, attempt, accessTo)
}

const sftpAccess = (permission: number) =>
  accessOf(permission, PERMISSION.sftpRead, PERMISSION.sftpWrite)

/** What SFTPGo calls its protocols; its web pages (HTTP) are not among them. */
const ACCESS = new Map<string, (permission: number) => Access>([
  ['SSH', sftpAccess],
  ['FTP', sftpAccess],
  ['DAV', (permission) => accessOf(permission, PERMISSION.webdavRead, PERMISSION.webdavWrite)],
])

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

async function accessByPassword(
  deps: Deps,
  { username, password, address }: ExternalAttempt,
  accessTo: (permission: number) => Access,
): Promise<Access> {
  const client = { network: networkOf(address), userAgent: 'SFTPGo' }
  try {
    const attempt = { username, digest: await staticDigest(password) }
    const { user, signIn, rehash, now } = await checkPassword(deps, attempt, client)
    const access = user.totpSeed === null ? accessTo(user.permission) : 'none'
    const who = { ...client, at: now, userId: user.id }
    const event: AuditEvent =
      access === 'none'
        ? {
            ...who,
            kind: 'sign_in_refused',
            detail: user.totpSeed === null ? 'permission' : 'two-factor',
          }
        : { ...who, kind: 'service_sign_in' }
    await deps.db.batch([
      payBack(deps.db, signIn.counters),
      insertEvent(deps.db, event),
      ...(rehash === undefined ? [] : [replacePasswordHash(deps.db, user.id, rehash)]),
    ])
    logEvent(event)
    return access
  } catch (error) {
    if (error instanceof Refusal && error.code < 500) return 'none'
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

function accessOf(permission: number, read: number, write: number): Access {
  if (!isPermitted(permission, read)) return 'none'
  return isPermitted(permission, write) ? 'write' : 'read'
}
