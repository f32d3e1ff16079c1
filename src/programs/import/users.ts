import { hash } from 'node:crypto'
import * as v from 'valibot'
import { parsePasswordHash, staticDigest } from '../../core/passwords/passwords.ts'
import { parseEmail } from '../../core/base/email.ts'
import { fromLooseBase32 } from '../../core/base/base32.ts'
import { basePathSchema, permissionSchema, ssoIdSchema } from '../../core/accounts/fields.ts'
import { ADMIN, GENERAL, GUEST } from '../../core/accounts/roles.ts'
import { usernameSchema } from '../../core/accounts/username.ts'
import { anything, flagColumn, numberColumn, readId, reasonOf, textColumn } from './columns.ts'
import type { RawRow } from './source.ts'
import { isEncrypted } from './worker-cipher.ts'
import { latchkey } from '../kit/printed-command.ts'

/** A password as the source stores it; never printed. */
type OldPassword = { hash: string } | { plain: string } | { digest: string }

/** A user of the source. */
export interface OldUser {
  /** `undefined` when it can't be an id here. */
  id: number | undefined
  username: string
  /** `undefined` when the user can't sign in with a password. */
  password: OldPassword | undefined
  /** Unix time, milliseconds. */
  passwordChangedAt: number
  role: number
  permission: number
  basePath: string
  disabled: boolean
  ssoId: string
  /** Only a Latchkey site has it; empty for none. */
  sub: string
  /** Only a Latchkey site has it; empty for none. */
  email: string
  emailVerified: boolean
  /** Unix time, milliseconds; null without an end. */
  endsAt: number | null
  waiting: boolean
  /** `undefined` while two-step verification is off. */
  seed: Uint8Array<ArrayBuffer> | undefined
  /** Notes for the operator about changes by the import. */
  remarks: string[]
}

/** OpenList allows users with an empty password; Latchkey imports them without a password. */
const EMPTY_DIGEST = await staticDigest('')
/** @see RFC 4226 section 4, R6 */
const MIN_SEED_BYTES = 16
/** The id of the role `general` of AList since 3.46. */
export const GENERAL_OF_ALIST = 3
/** In AList this bit restricts paths; in OpenList, and so here, it permits sharing. */
const SHARE = 1 << 14

/** The columns of all sources that may hold a password. */
type PasswordColumns = Record<
  'pwd_hash' | 'salt' | 'password' | 'password_hash' | 'worker_password',
  string
>

const userRow = v.object({
  username: usernameSchema,
  pwd_hash: textColumn,
  salt: textColumn,
  password: textColumn,
  /** A PHC string. Only Latchkey has it. */
  password_hash: textColumn,
  /** Only OpenList-Worker has it; see `fromWorkerUser`. */
  worker_password: textColumn,
  pwd_ts: v.fallback(numberColumn, 0),
  base_path: v.pipe(textColumn, v.transform(toAbsolutePath), basePathSchema),
  role: v.pipe(anything, v.transform(toRoles), v.custom<number[]>(isListOfNumbers, 'is unknown')),
  disabled: flagColumn,
  permission: v.pipe(numberColumn, permissionSchema),
  otp_secret: textColumn,
  sso_id: v.pipe(textColumn, ssoIdSchema),
  /** A text of another form is not ours: the account gets a new one. */
  sub: v.fallback(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)), ''),
  latchkey_email: v.fallback(v.pipe(textColumn, v.transform(toAddress)), ''),
  latchkey_email_verified: flagColumn,
  /** An account with an end that can't be read is not imported: it would have none. */
  latchkey_ends_at: v.nullish(v.pipe(numberColumn, v.integer('must be a time')), null),
  latchkey_waiting: flagColumn,
})

/**
 * Reads a row of `x_users`, or a user of a backup.
 *
 * @param now Unix time, milliseconds.
 * @returns The user, or the reason why the user can't be imported.
 */
export function readUser(row: RawRow, now: number): OldUser | string {
  const parsed = v.safeParse(userRow, row)
  if (!parsed.success) return reasonOf(parsed.issues[0])
  const old = parsed.output
  const seed = readSeed(old.otp_secret)
  // Without its second factor, the password alone would open the account.
  if (isEncrypted(old.otp_secret))
    return 'otp_secret is encrypted: name the file with the JWT_SECRET of OpenList-Worker, with --secrets <file>'
  if (old.otp_secret !== '' && seed === undefined)
    return 'otp_secret is not base32: first cancel 2FA of this user in the source'
  const role = roleOf(old.role)
  const password = role === GUEST ? undefined : readPassword(old)
  // The guest has none.
  const email = role === GUEST ? '' : old.latchkey_email
  const bringsRoles = Array.isArray(row['role']) || /\[/.test(String(row['role']))
  return {
    id: readId(row['id']),
    username: old.username,
    password,
    passwordChangedAt: Math.min(Math.max(Math.round(old.pwd_ts * 1000), 0), now),
    role,
    permission: bringsRoles ? old.permission & ~SHARE : old.permission,
    basePath: old.base_path,
    disabled: old.disabled,
    ssoId: old.sso_id,
    sub: old.sub,
    email,
    emailVerified: email !== '' && old.latchkey_email_verified,
    // Admins and the guest have no end.
    endsAt: role === GENERAL ? old.latchkey_ends_at : null,
    // Only a disabled account can wait for approval.
    waiting: old.disabled && old.latchkey_waiting,
    seed: role === GUEST ? undefined : seed,
    remarks: [
      ...(role !== GUEST && password === undefined ? [reasonForNoPassword(old)] : []),
      ...(seed !== undefined && seed.length < MIN_SEED_BYTES
        ? ['has a 2FA secret of less than 128 bits: the user should set up 2FA again']
        : []),
    ],
  }
}

/** Returns the role, as AList does: admin or guest if it is among the roles. */
export function roleOf(roles: number[]): number {
  return [ADMIN, GUEST].find((role) => roles.includes(role)) ?? GENERAL
}

/** Returns the roles: one number, or since AList 3.46 a list of numbers, as JSON or as JSON text. */
function toRoles(value: unknown): unknown {
  if (Array.isArray(value)) return value
  if (typeof value === 'string' && value.startsWith('[')) {
    try {
      return JSON.parse(value)
    } catch {
      return value
    }
  }
  const role = v.safeParse(numberColumn, value)
  return role.success ? [role.output] : value
}

/** Reads the roles of a user of the source; empty when they can't be read. */
export function readRoles(value: unknown): number[] {
  const roles = toRoles(value)
  return v.is(v.array(v.number()), roles) ? roles : []
}

function isListOfNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((role) => typeof role === 'number')
}

/** Returns the password that the source would accept; `undefined` for the empty password. */
function readPassword(old: PasswordColumns): OldPassword | undefined {
  if (parsePasswordHash(old.password_hash) !== undefined) return { hash: old.password_hash }
  if (/^[0-9a-f]{64}$/.test(old.worker_password))
    return old.salt === ''
      ? notEmpty(old.worker_password)
      : readSaltedPassword({ ...old, pwd_hash: old.worker_password })
  return readSaltedPassword(old)
}

function notEmpty(digest: string): OldPassword | undefined {
  return digest === EMPTY_DIGEST ? undefined : { digest }
}

/** Says why a user of the source has no password here. */
function reasonForNoPassword({ worker_password: password }: PasswordColumns): string {
  const what = `set one with: ${latchkey('user', 'password', 'NAME')}`
  if (isEncrypted(password))
    return `has no password, because it is encrypted: name the file with the JWT_SECRET of OpenList-Worker, with --secrets <file>, or ${what}`
  return password === ''
    ? `has no password: ${what}`
    : `has no password, because its hash is of another kind: ${what}`
}

function readSaltedPassword(old: PasswordColumns): OldPassword | undefined {
  const phc = `$openlist$${old.salt}$${old.pwd_hash}`
  if (parsePasswordHash(phc) !== undefined)
    return hash('sha256', `${EMPTY_DIGEST}-${old.salt}`) === old.pwd_hash
      ? undefined
      : { hash: phc }
  // Before 3.24, AList stored the password in clear text.
  return old.pwd_hash === '' && old.password !== '' ? { plain: old.password } : undefined
}

function readSeed(secret: string): Uint8Array<ArrayBuffer> | undefined {
  const seed = fromLooseBase32(secret.trim())
  return seed !== undefined && seed.length > 0 ? seed : undefined
}

/** @returns Empty for what is no address. */
function toAddress(text: string): string {
  return parseEmail(text) ?? ''
}

/** Returns a path as the source reads it: with slashes, from the root. */
function toAbsolutePath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\/*/, '/')
}
