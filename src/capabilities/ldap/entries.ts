import { ADMIN, isPermitted, PERMISSION } from '../../core/accounts/roles.ts'
import { actAsService, isService } from '../../core/access/service-tokens.ts'
import type { Deps } from '../../core/deps.ts'
import { selectListed, selectListedGroups, selectListedMembers, selectVersion } from './store.ts'

/** The groups of every site, in the order of the answer, each with the condition of its members. */
const GROUPS: Record<string, (account: { role: number; permission: number }) => boolean> = {
  users: () => true,
  admins: ({ role }) => role === ADMIN,
  'webdav-read': ({ permission }) => isPermitted(permission, PERMISSION.webdavRead),
  'webdav-write': ({ permission }) => isPermitted(permission, PERMISSION.webdavWrite),
  'sftp-read': ({ permission }) => isPermitted(permission, PERMISSION.sftpRead),
  'sftp-write': ({ permission }) => isPermitted(permission, PERMISSION.sftpWrite),
}

/** The accounts that may sign in, for an LDAP door. */
interface AccountList {
  groups: string[]
  accounts: { id: number; username: string; groups: string[] }[]
}

/**
 * Lists the accounts for an LDAP door, in one round trip.
 *
 * @param known The versions of the list that the door has.
 * @returns No `list` when the door has the current version; then no account is read.
 * @throws {Refusal} `wrongServiceToken`.
 */
export async function listEntries(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  tokenHash: string,
  known: readonly string[],
): Promise<{ version: string; list: AccountList | undefined }> {
  const now = clock()
  const by = isService(db, tokenHash, 'ldap')
  const { versions, groups, members, listed } = await actAsService(db, tokenHash, 'ldap', {
    versions: selectVersion(db, now),
    groups: selectListedGroups(db, by, known, now),
    members: selectListedMembers(db, by, known, now),
    listed: selectListed(db, by, known, now),
  })
  const version = versions[0]?.version ?? ''
  if (known.includes(version) || known.includes('*')) return { version, list: undefined }
  const membersOf = Map.groupBy(members, ({ groupId }) => groupId)
  const memberships = groups.flatMap((group) =>
    (membersOf.get(group.id) ?? []).map(({ userId }) => ({ userId, name: group.name })),
  )
  const groupsOf = Map.groupBy(memberships, ({ userId }) => userId)
  const accounts = listed.map(({ id, username, ...account }) => ({
    id,
    username,
    groups: [
      ...Object.keys(GROUPS).filter((name) => GROUPS[name]?.(account)),
      ...(groupsOf.get(id) ?? []).map(({ name }) => name),
    ],
  }))
  const names = [...Object.keys(GROUPS), ...groups.map(({ name }) => name)]
  return { version, list: { groups: names, accounts } }
}
