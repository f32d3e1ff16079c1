import { Refusal } from '../../core/base/refusals.ts'
import { type Actor, type ReaderDeps } from '../../core/access/act-as.ts'
import { readRowAs } from '../../core/access/read-account.ts'
import { selectActorWith } from '../../core/access/actor-queries.ts'
import { maskPermission } from '../../core/access/scopes.ts'
import { GROUP_NAMES, groupNameKey, groupNamesOf } from '../../core/accounts/groups.ts'
import { webdavAccess } from '../../core/accounts/file-access.ts'

/** The methods that change no file. */
const READING_METHODS = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND']

/** The user that a proxy tells the server behind it. */
interface ForwardedUser {
  username: string
  /** The names of the user's groups, the built-in one first. */
  groups: string[]
  basePath: string
  /** The bits of the user, without those that the app password lacks. */
  permission: number
}

/** The method of a request, as the proxies name it. */
interface OriginalMethod {
  /** `X-Forwarded-Method`, of Caddy and Traefik. */
  forwarded: string | undefined
  /** `X-Original-Method`, of nginx. */
  original: string | undefined
  /** The request has a header by which some servers take it for one of another method. */
  isOverridden: boolean
}

const selectActorAndGroups = selectActorWith({ groupNames: GROUP_NAMES })

/**
 * Decides for a proxy whether a request may reach the file server behind it.
 *
 * @param actor An app password that needs the scope `files:read`, or a session.
 * @param allowed Names of groups, of which the user must be in one; without it, any user may pass.
 * @throws {Refusal} `groupDenied`; `filesNotPermitted`; `scopeNeeded` for a write without
 *   `files:write`; the refusals of `actAs`.
 */
export async function forwardAuth(
  deps: ReaderDeps,
  actor: Actor,
  method: OriginalMethod,
  allowed?: readonly string[],
): Promise<ForwardedUser> {
  const account = await readRowAs(deps, actor, selectActorAndGroups)
  const { username, basePath, appPassword } = account
  const groups = groupNamesOf(account.role, account.groupNames)
  if (allowed !== undefined && !hasOneOf(groups, allowed)) throw new Refusal('groupDenied')
  const permission =
    appPassword === null
      ? account.permission
      : maskPermission(account.permission, appPassword.scopes)
  const access = webdavAccess(permission)
  const isAllowed = isReading(method) ? access !== 'none' : access === 'write'
  if (!isAllowed && webdavAccess(account.permission) === 'write')
    throw new Refusal('scopeNeeded', { values: { scope: 'files:write' } })
  if (!isAllowed) throw new Refusal('filesNotPermitted')
  return { username, groups, basePath, permission }
}

function hasOneOf(groups: readonly string[], names: readonly string[]): boolean {
  const keys = groups.map(groupNameKey)
  return names.some((name) => keys.includes(groupNameKey(name)))
}

/**
 * Tells whether a request changes no file. A proxy passes on the header that it doesn't set itself,
 * with whatever the client wrote. So two different methods, or none, count as a write, and so does
 * a header that overrides the method.
 */
function isReading({ forwarded, original, isOverridden }: OriginalMethod): boolean {
  const method = forwarded ?? original
  if (method === undefined || (original ?? method) !== method || isOverridden) return false
  return READING_METHODS.includes(method)
}

/**
 * Encodes a text for a header: UTF-8, percent-encoded where it is not visible ASCII. `%` is encoded
 * too, so that a server that decodes it gets the same text. A blank stays, unless it is the first
 * or the last character, where HTTP would drop it.
 *
 * @see RFC 9110 section 5.5
 */
export function headerText(text: string): string {
  return text.replaceAll(/[^ -~]+|%|^ | $/gu, encodeURIComponent)
}
