import { type Access, sftpAccess, webdavAccess } from '../../core/accounts/file-access.ts'

/**
 * Seconds for which SFTPGo accepts the latest right password without asking again. A WebDAV client
 * sends the password with every request.
 */
export const REMEMBERED_SECONDS = 60

/**
 * Maximum size of a user's key lines. SFTPGo sends its stored user, with the keys, in every
 * request, and a request body is limited to 64 KiB.
 */
const MAX_LISTED_BYTES = 32 * 1024

/** SFTPGo may check these methods against its stored password without asking Latchkey. */
const DENIED_LOGIN_METHODS = [
  'keyboard-interactive',
  'publickey+keyboard-interactive',
  'publickey+password',
]

const PERMISSIONS = { read: ['list', 'download'], write: ['*'] }

/** SFTPGo's names of its protocols, without its web pages (HTTP). */
const ACCESS = new Map([
  ['SSH', sftpAccess],
  ['FTP', sftpAccess],
  ['DAV', webdavAccess],
])

/** The access of a user at SFTPGo. */
export interface Admission {
  access: Exclude<Access, 'none'>
  /** Set after a password only. SFTPGo asks Latchkey at each sign-in with a key. */
  remembered?: Remembered
}

/** The record that SFTPGo uses until it asks again, for all protocols. */
interface Remembered {
  seconds: number
  deniedProtocols: string[]
  publicKeys: string[]
}

/** A key of the user. The line may end with a comment. */
interface ListedKey {
  line: string
  lastUsedAt: number
}

/** Returns `none` for an unknown protocol. */
export function accessBy(protocol: string, permission: number): Access {
  return ACCESS.get(protocol)?.(permission) ?? 'none'
}

export function isProtocol(name: string): boolean {
  return ACCESS.has(name)
}

/**
 * Returns the record that SFTPGo may use after a password. SFTPGo keeps one record of a user for
 * all protocols. The record denies the protocols that the user may not use. It also lists the keys,
 * because otherwise they could not sign in until SFTPGo asks again. A user with read access over
 * one protocol and write access over another is not remembered.
 */
export function rememberedOf(permission: number, keys: ListedKey[]): Remembered {
  const [sftp, webdav] = [sftpAccess(permission), webdavAccess(permission)]
  const isOneAccess = sftp === webdav || sftp === 'none' || webdav === 'none'
  return {
    seconds: isOneAccess ? REMEMBERED_SECONDS : 0,
    deniedProtocols: [
      ...Array.from(ACCESS.keys()).filter((name) => accessBy(name, permission) === 'none'),
      'HTTP',
    ],
    publicKeys: sftp === 'none' ? [] : linesThatFit(keys),
  }
}

/**
 * Returns the lines of the most recently used keys, without their comments, up to
 * `MAX_LISTED_BYTES`.
 */
function linesThatFit(keys: ListedKey[]): string[] {
  const lines = keys
    .toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)
    .map(({ line }) => line.split(' ', 2).join(' '))
  let bytes = 0
  return lines.filter((line) => (bytes += line.length) <= MAX_LISTED_BYTES)
}

/** Returns a user in SFTPGo's format. @see SFTPGo's documentation of external authentication */
export function sftpgoUser(username: string, { access, remembered }: Admission) {
  return {
    status: 1,
    username,
    permissions: { '/': PERMISSIONS[access] },
    ...(remembered !== undefined && { public_keys: remembered.publicKeys }),
    filters: {
      denied_login_methods: DENIED_LOGIN_METHODS,
      ...(remembered !== undefined && {
        denied_protocols: remembered.deniedProtocols,
        external_auth_cache_time: remembered.seconds,
      }),
    },
  }
}

/** The part of a stored user that identifies the key that signed in. */
export interface SignedIn {
  loginMethod: string
  /** `1` for a sign-in that succeeded. */
  status: string
  publicKeys: string[]
  /** Seconds for which SFTPGo uses the latest record. */
  rememberedSeconds: number
}

/**
 * @returns The key that signed the user in. It is `undefined` when no key did, and when SFTPGo uses
 *   the list of keys that came with a password, because SFTPGo doesn't report which of them it
 *   was.
 */
export function keyThatSignedIn(signedIn: SignedIn): string | undefined {
  const { loginMethod, status, publicKeys, rememberedSeconds } = signedIn
  if (loginMethod !== 'publickey' || status !== '1') return undefined
  if (rememberedSeconds > 0 && publicKeys.length > 1) return undefined
  return publicKeys[0]
}
