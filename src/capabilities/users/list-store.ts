import { and, between, count, type SQL, sql } from 'drizzle-orm'
import { sshKeys, users } from '../../../schema/tables.ts'
import { accountColumns, selectAccounts } from '../../core/accounts/accounts.ts'
import { isAdmin, isDisabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { hasPasskey } from '../../core/accounts/second-factor.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { latestSignIn } from '../../core/audit/sign-in-networks.ts'
import type { PageWindow } from '../../core/base/paging.ts'
import type { Database } from '../../core/deps.ts'
import { isStopped } from '../../core/throttle/stops.ts'

const MAX_NAMES_LIKE = 20_000

/** The groups of users that an operator can list. */
export const USER_GROUPS = [
  'admins',
  'disabled',
  'without-two-factor',
  'waiting',
  'locked',
] as const

export type UserGroup = (typeof USER_GROUPS)[number]

/** The conditions on the users of a list. A user must fit all of them. */
export interface UserFilter {
  /** A part of the name, in any case. */
  search?: string
  groups?: readonly UserGroup[]
  /** Only users whose account ends between these times. Unix time, milliseconds. */
  ending?: { from: number; until: number } | undefined
}

export function selectUsers(
  db: Database,
  filter: UserFilter,
  { limit, offset }: PageWindow,
  now: number,
) {
  return selectAccounts(db).where(isIn(filter, now)).orderBy(users.id).limit(limit).offset(offset)
}

export function countUsers(db: Database, filter: UserFilter, now: number) {
  return db.select({ total: count() }).from(users).where(isIn(filter, now))
}

/**
 * Selects users with their latest sign-in and the number of their SSH keys. SQLite computes both
 * only for the rows of the page.
 */
export function selectUsersWithUse(
  db: Database,
  filter: UserFilter,
  { limit, offset }: PageWindow,
  now: number,
) {
  return db
    .select({
      ...accountColumns,
      waiting: users.waiting,
      registeredAt: users.createdAt,
      registeredNetwork: users.registeredNetwork,
      lastSignInAt: latestSignIn(sql`${users.id}`).as('last_sign_in_at'),
      keys: sql<number>`(select count(*) from ${sshKeys} as key where key.user_id = ${sql`${users.id}`})`.as(
        'keys',
      ),
    })
    .from(users)
    .where(isIn(filter, now))
    .orderBy(users.id)
    .limit(limit)
    .offset(offset)
}

/** Counts users, but not beyond `most`, so that the cost is bounded. */
export function countUsersUpTo(db: Database, filter: UserFilter, most: number, now: number) {
  const found = db
    .select({ id: users.id })
    .from(users)
    .where(isIn(filter, now))
    .limit(most)
    .as('found')
  return db.select({ total: count() }).from(found)
}

function isIn({ search = '', groups = [], ending }: UserFilter, now: number) {
  return and(
    ...groups.map((group) => (group === 'locked' ? isStopped(now) : GROUP_CONDITIONS[group])),
    search === '' ? undefined : isNamedLike(search),
    ending === undefined
      ? undefined
      : sql`${users.endsAt} > ${ending.from} and ${users.endsAt} <= ${ending.until}`,
  )
}

const GROUP_CONDITIONS: Record<Exclude<UserGroup, 'locked'>, SQL> = {
  // Exactly the condition of the index.
  waiting: sql`${users.waiting} = 1`,
  admins: isAdmin,
  disabled: isDisabled,
  'without-two-factor': sql`${users.totpSeed} is null and ${isNotGuest} and not ${hasPasskey}`,
}

/**
 * Holds for a name that contains `search`, ignoring case. `LIKE` would give `%` and `_` a meaning,
 * and D1 refuses patterns over 50 bytes.
 */
function isNamedLike(search: string) {
  return sql`instr(${users.usernameKey}, ${usernameKey(search)}) > 0`
}

/** Selects names of a similar length to this one, from which the caller finds similar names. */
export function selectNamesLike(db: Database, username: string, slack: number) {
  const length = Array.from(username).length
  return db
    .select({ username: users.username })
    .from(users)
    .where(between(sql`length(${users.username})`, length - slack, length + slack))
    .orderBy(users.id)
    .limit(MAX_NAMES_LIKE)
}
