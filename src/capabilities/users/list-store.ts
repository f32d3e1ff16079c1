import {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  exists,
  inArray,
  or,
  type SQL,
  sql,
  type SQLWrapper,
} from 'drizzle-orm'
import { auditEvents, sessions, sshKeys, users } from '../../../schema/tables.ts'
import { accountColumns, selectAccounts } from '../../core/accounts/accounts.ts'
import { isAdmin, isDisabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { NEAR_END_MILLISECONDS } from '../../core/accounts/near-end.ts'
import { hasPasskey } from '../../core/accounts/second-factor.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { isSignIn } from '../../core/audit/kinds.ts'
import { countSignIns, latestSignIn } from '../../core/audit/sign-in-networks.ts'
import { networkOf } from '../../core/base/network.ts'
import type { PageWindow } from '../../core/base/paging.ts'
import type { Database } from '../../core/deps.ts'
import { isStopped } from '../../core/throttle/stops.ts'

const MAX_NAMES_LIKE = 20_000

/** The groups of users that an operator can list. */
export const USER_GROUPS = [
  'waiting',
  'locked',
  'without-two-factor',
  'ending',
  'admins',
  'disabled',
] as const

export type UserGroup = (typeof USER_GROUPS)[number]

/** The conditions on the users of a list. A user must fit all of them. */
export interface UserFilter {
  /** A part of the name or of the e-mail address, in any case; or a network, or its beginning. */
  search?: string
  groups?: readonly UserGroup[]
  ids?: readonly number[]
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

/** The orders of a list: `made` is the order in which users were made. A minus sign reverses it. */
export const USER_ORDERS = ['made', '-made', 'name', '-name', 'seen', '-seen'] as const

export type UserOrder = (typeof USER_ORDERS)[number]

/** The counts beside the lists end here, so that their cost is bounded. */
export const MAX_COUNTED = 100

/** The order `seen` sorts the users who were made first: it reads each of them. */
export const MAX_ORDERED_BY_SEEN = 5000

export function isBySeen(order: UserOrder): boolean {
  return order === 'seen' || order === '-seen'
}

/** The latest sign-in, or a later use of a session, to the hour; null for none. */
const LAST_SEEN = sql<number | null>`nullif(max(
  coalesce(${latestSignIn(sql`${users.id}`)}, 0),
  coalesce((select max(session.last_active_at) from ${sessions} as session where session.user_id = ${sql`${users.id}`}), 0)
), 0)`

/**
 * Selects users with the time when they were last seen and the number of their SSH keys. SQLite
 * computes both only for the rows of the page; the order `seen` computes the time of
 * `MAX_ORDERED_BY_SEEN`.
 */
export function selectUsersWithUse(
  db: Database,
  filter: UserFilter,
  { limit, offset }: PageWindow,
  now: number,
  order: UserOrder = 'made',
) {
  const which = isIn(filter, now)
  const first = db
    .select({ id: users.id })
    .from(users)
    .where(which)
    .orderBy(users.id)
    .limit(MAX_ORDERED_BY_SEEN)
  return db
    .select({
      ...accountColumns,
      waiting: users.waiting,
      registeredAt: users.createdAt,
      registeredNetwork: users.registeredNetwork,
      lastSeenAt: LAST_SEEN.as('last_seen_at'),
      keys: sql<number>`(select count(*) from ${sshKeys} as key where key.user_id = ${sql`${users.id}`})`.as(
        'keys',
      ),
    })
    .from(users)
    .where(isBySeen(order) ? inArray(users.id, first) : which)
    .orderBy(...orderColumns(order))
    .limit(limit)
    .offset(offset)
}

/** @returns The columns; users who were never seen stand last in the order `-seen`. */
function orderColumns(order: UserOrder): [SQL, ...SQL[]] {
  const isReversed = order.startsWith('-')
  const by = isReversed ? desc : asc
  if (order === 'made' || order === '-made') return [by(users.id)]
  if (order === 'name' || order === '-name') return [by(users.usernameKey)]
  return [by(sql`last_seen_at`), asc(users.id)]
}

/** Selects when a user was last seen, and how often the user has signed in since a time. */
export function selectUse(db: Database, userId: number, since: number) {
  return db
    .select({
      lastSeenAt: LAST_SEEN.as('last_seen_at'),
      signIns: countSignIns(sql`${users.id}`, since).as('sign_ins'),
    })
    .from(users)
    .where(eq(users.id, userId))
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

function isIn({ search = '', groups = [], ids, ending }: UserFilter, now: number) {
  return and(
    ids === undefined ? undefined : inArray(users.id, [...ids]),
    ...groups.map((group) => isInGroup(group, now)),
    search === '' ? undefined : isFoundBy(search),
    ending === undefined ? undefined : isEnding(ending),
  )
}

function isInGroup(group: UserGroup, now: number): SQL | undefined {
  if (group === 'locked') return isStopped(now)
  if (group === 'ending') return isEnding({ from: now, until: now + NEAR_END_MILLISECONDS })
  return GROUP_CONDITIONS[group]
}

/** Holds for a row of `users` whose account ends in this time. */
export function isEnding({ from, until }: { from: number; until: number }): SQL {
  return sql`${users.endsAt} > ${from} and ${users.endsAt} <= ${until}`
}

const GROUP_CONDITIONS: Record<Exclude<UserGroup, 'locked' | 'ending'>, SQL> = {
  // Exactly the condition of the index.
  waiting: sql`${users.waiting} = 1`,
  admins: isAdmin,
  disabled: isDisabled,
  'without-two-factor': sql`${users.totpSeed} is null and ${isNotGuest} and not ${hasPasskey}`,
}

/**
 * Holds for a name or an address that contains `search`, ignoring case. `LIKE` would give `%` and
 * `_` a meaning, and D1 refuses patterns over 50 bytes.
 */
function isFoundBy(search: string) {
  return or(
    sql`instr(${users.usernameKey}, ${usernameKey(search)}) > 0`,
    sql`instr(lower(${users.email}), lower(${search})) > 0`,
    isOfNetwork(search),
  )
}

/** The beginning of an address: it has a point or a colon. */
const NETWORK = /^(?=.*[.:])[\da-f.:/]{2,}$/

/**
 * Holds for users who have registered or signed in from a network. For each user, the index of
 * sign-ins finds the network.
 *
 * @returns `undefined` for a text that is no network and no beginning of one.
 */
function isOfNetwork(search: string): SQL | undefined {
  const text = search.toLowerCase()
  if (!NETWORK.test(text)) return undefined
  const network = networkOf(text)
  const within = (column: SQLWrapper) =>
    network === 'unknown'
      ? sql`${column} >= ${text} and ${column} < ${after(text)}`
      : sql`${column} = ${network}`
  const event = sql`event.network`
  const signIn = sql`(select 1 from ${auditEvents} as event where event.user_id = ${users.id} and ${isSignIn(sql`event.kind`)} and ${within(event)})`
  return or(within(users.registeredNetwork), exists(signIn))
}

/** Returns the first text behind all those that begin with this one. */
function after(text: string): string {
  return text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1)
}

/** Counts those of a list who wait for an administrator: for an approval, or locked out. */
export function countNeedy(db: Database, most: number, now: number) {
  const upTo = (group: UserGroup) => countUsersUpTo(db, { groups: [group] }, most, now)
  return db
    .select({ total: sql<number>`found.total`.as('total') })
    .from(sql`(select ${upTo('waiting')} + ${upTo('locked')} as total) as found`)
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
