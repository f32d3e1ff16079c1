import { and, eq, isNotNull } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import type { Database } from '../../core/deps.ts'
import { isAdmin, isEnabled } from '../../core/accounts/conditions.ts'

/** For so long the log may show a name from before a change. */
const MEMORY_MILLISECONDS = 60_000

/** Lists the admins who can sign in with a password, the oldest first. */
export async function findAdmins(
  db: Database,
  now: number,
): Promise<{ id: number; username: string }[]> {
  return db
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(and(isAdmin, isEnabled(now), isNotNull(users.passwordHash)))
    .orderBy(users.id)
}

/** Returns a function that finds the name of a user, and remembers it for a while. */
export function rememberNames(db: Database): (userId: number) => Promise<string | undefined> {
  const names = new Map<number, Promise<string | undefined>>()
  return (userId) => {
    const known = names.get(userId)
    if (known !== undefined) return known
    if (names.size === 0) setTimeout(() => names.clear(), MEMORY_MILLISECONDS).unref()
    const name = findName(db, userId)
    names.set(userId, name)
    return name
  }
}

async function findName(db: Database, userId: number): Promise<string | undefined> {
  const [user] = await db
    .select({ username: users.username })
    .from(users)
    .where(eq(users.id, userId))
  return user?.username
}
