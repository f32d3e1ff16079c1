import { eq } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import { runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { generatePassword } from '../../core/passwords/generated-password.ts'
import {
  refuseCommonPassword,
  selectCommonPasswordsOfLength,
} from '../../core/passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../../core/passwords/passwords.ts'
import { isAdmin } from '../../core/accounts/conditions.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { usernameKey } from '../../core/accounts/username.ts'

/**
 * The permission of OpenList's first admin (docs/interface.md, Values): all bits but writing over
 * WebDAV (bit 9), FTP and SFTP (10, 11), which the operator may add.
 */
const ADMIN_PERMISSION = 0x71ff

/**
 * Creates the admin and the disabled guest, unless there is an admin.
 *
 * @param chosen The admin's password; otherwise one is generated.
 * @returns The admin's password; `undefined` when there was an admin already.
 * @throws {Refusal} `invalidBody` for a common password.
 */
export async function createFirstAccounts(
  { db, ...deps }: Pick<Deps, 'db' | 'hashPassword' | 'randomBytes'>,
  chosen?: string,
): Promise<string | undefined> {
  const admins = await db.select({ id: users.id }).from(users).where(isAdmin).limit(1)
  if (admins.length > 0) return undefined
  if (chosen !== undefined) await refuseCommon(db, chosen)
  const password = chosen ?? generatePassword(deps)
  const passwordHash = await hashPassword(deps, await staticDigest(password))
  const admin = {
    ...account('admin'),
    role: ADMIN,
    permission: ADMIN_PERMISSION,
    passwordHash,
  }
  const guest = { ...account('guest'), role: GUEST, disabled: true }
  const { insert } = writing(db, THE_SERVICE)
  await runBatch(db, {
    admin: insert(users, admin).onConflictDoNothing(),
    guest: insert(users, guest).onConflictDoNothing(),
  })
  // A write of a deploy returns no rows (`deploy/wrangler-d1.ts`), so the row is read again.
  const [made] = await db
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.usernameKey, admin.usernameKey))
  return made?.passwordHash === passwordHash ? password : undefined
}

/**
 * Compares the password here and not in a statement, because a deploy reads with statements on a
 * command line, which other users of the machine see.
 *
 * @throws {Refusal} `invalidBody`.
 */
async function refuseCommon(db: Database, password: string): Promise<void> {
  const common = await selectCommonPasswordsOfLength(db, password.length)
  const lower = password.toLowerCase()
  refuseCommonPassword(common.filter((row) => row.password === lower))
}

function account(username: string) {
  return { username, usernameKey: usernameKey(username), createdAt: Date.now() }
}
