import { type Access, sftpAccess, webdavAccess } from './access.ts'

/**
 * How long SFTPGo goes by the latest password that was accepted, without asking again. A WebDAV
 * client sends the password with every request.
 */
export const REMEMBERED_SECONDS = 60

/**
 * SFTPGo sends the user that it keeps back with every question, keys included, and a body may have
 * 64 KiB.
 */
const MAX_LISTED_BYTES = 32 * 1024

/** SFTPGo checks these against the password that it keeps, perhaps without asking. */
const DENIED_LOGIN_METHODS = [
  'keyboard-interactive',
  'publickey+keyboard-interactive',
  'publickey+password',
]

const PERMISSIONS = { read: ['list', 'download'], write: ['*'] }

/** What SFTPGo calls its protocols; its web pages (HTTP) are not among them. */
const ACCESS = new Map([
  ['SSH', sftpAccess],
  ['FTP', sftpAccess],
  ['DAV', webdavAccess],
])

/** A user whom SFTPGo may let in. */
export interface Admission {
  access: Exclude<Access, 'none'>
  /** After a password only: a key is asked about each time. */
  remembered?: Remembered
}

/** What SFTPGo goes by until it asks again, in all protocols alike. */
interface Remembered {
  seconds: number
  deniedProtocols: string[]
  publicKeys: string[]
}

/** A key of the user: its line, with or without a comment, and when it was last used. */
interface ListedKey {
  line: string
  lastUsedAt: number
}

/** @returns `none` for every user of a protocol that is not ours. */
export function accessBy(protocol: string, permission: number): Access {
  return ACCESS.get(protocol)?.(permission) ?? 'none'
}

export function isProtocol(name: string): boolean {
  return ACCESS.has(name)
}

/**
 * What SFTPGo may go by after a password. It keeps one record of a user for all protocols: those
 * that the user may not use are denied, the keys are listed, or none would sign in meanwhile; and a
 * user who may do more over one protocol than over another is not remembered.
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

/** The keys used last, without their comments. */
function linesThatFit(keys: ListedKey[]): string[] {
  const lines = keys
    .toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)
    .map(({ line }) => line.split(' ', 2).join(' '))
  let bytes = 0
  return lines.filter((line) => (bytes += line.length) <= MAX_LISTED_BYTES)
}

/** The user as SFTPGo keeps it. @see SFTPGo's documentation of external authentication */
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

/** The part of a stored user that says which key signed in. */
export interface SignedIn {
  loginMethod: string
  /** `1` for a sign-in that succeeded. */
  status: string
  publicKeys: string[]
  /** How long SFTPGo goes by what it was told last, seconds. */
  rememberedSeconds: number
}

/**
 * @returns The key that signed the user in; `undefined` when none did, and when SFTPGo goes by the
 *   list of all keys that came with a password: then nothing says which of them it was.
 */
export function keyThatSignedIn(signedIn: SignedIn): string | undefined {
  const { loginMethod, status, publicKeys, rememberedSeconds } = signedIn
  if (loginMethod !== 'publickey' || status !== '1') return undefined
  if (rememberedSeconds > 0 && publicKeys.length > 1) return undefined
  return publicKeys[0]
}
