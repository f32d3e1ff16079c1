import { eq } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import { runBatch, THE_SERVICE, writing } from '../../database/statements.ts'
import type { Deps } from '../../deps.ts'
import { generatePassword } from '../../passwords/generated-password.ts'
import { refuseCommonPassword, selectCommonPassword } from '../../passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../../passwords/passwords.ts'
import { ADMIN, GUEST } from '../../accounts/roles.ts'
import { usernameKey } from '../../accounts/username.ts'

/**
 * The permission of OpenList's first admin (docs/interface.md, Values): all bits but writing over
 * WebDAV (bit 9), FTP and SFTP (10, 11), which the operator may add.
 */
const ADMIN_PERMISSION = 0x71ff

/**
 * Creates the admin and the disabled guest, unless there is an admin.
 *
 * @returns The admin's password; `undefined` when there was an admin already.
 * @throws {Refusal} `invalidBody` for a common password.
 */
export async function createFirstAccounts(
  { db, ...deps }: Pick<Deps, 'db' | 'hashPassword' | 'randomBytes'>,
  password = generatePassword(deps),
): Promise<string | undefined> {
  const admins = await db.select({ id: users.id }).from(users).where(eq(users.role, ADMIN)).limit(1)
  if (admins.length > 0) return undefined
  refuseCommonPassword(await selectCommonPassword(db, password))
  const passwordHash = await hashPassword(deps, await staticDigest(password))
  const admin = {
    ...account('admin'),
    role: ADMIN,
    permission: ADMIN_PERMISSION,
    passwordHash,
  }
  const guest = { ...account('guest'), role: GUEST, disabled: true }
  const { insert } = writing(db, THE_SERVICE)
  const made = await runBatch(db, {
    admin: insert(users, admin).onConflictDoNothing().returning({ id: users.id }),
    guest: insert(users, guest).onConflictDoNothing(),
  })
  return made.admin.length > 0 ? password : undefined
}

function account(username: string) {
  return { username, usernameKey: usernameKey(username), createdAt: Date.now() }
}
