import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { of, read } from '../../core/access/subject.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { selectUserNamed } from '../../core/accounts/store.ts'
import { selectDeletedUser } from '../../core/audit/event-lists.ts'
import { windowOf } from '../../core/base/paging.ts'
import type { Answers } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { selectStops } from '../../core/throttle/stops.ts'
import {
  MAX_COUNTED,
  countUsers,
  countUsersUpTo,
  selectNamesLike,
  selectUsers,
  selectUsersWithUse,
  type UserFilter,
  type UserGroup,
  type UserOrder,
} from './list-store.ts'

/**
 * Lists a page of the users who fit the filter; see `windowOf`.
 *
 * @throws {Refusal} `notAdmin`.
 */
export async function listUsers(
  deps: ReaderDeps,
  operator: Operator,
  page: number,
  perPage: number,
  filter: UserFilter = {},
) {
  const now = deps.now()
  const { users, counted } = await read(deps, of(operator), {
    users: selectUsers(deps.db, filter, windowOf(page, perPage), now),
    counted: countUsers(deps.db, filter, now),
  })
  return { users, total: counted[0]?.total ?? 0 }
}

/** The users behind these can be found by their name only: a count and an offset read every row. */
export const MAX_LISTED_USERS = 10_000
/** Blocks that are looked at for a list of users. */
const MAX_STOPS = 500

/** The lists that have a count. */
const COUNTED_GROUPS = ['waiting', 'locked', 'without-two-factor', 'ending'] as const

/** How a page lists users. */
interface Listing {
  /** From 1; pages behind `MAX_LISTED_USERS` are empty. */
  page: number
  perPage: number
  order?: UserOrder
}

/**
 * Finds users, with the time when they were last seen and the number of their SSH keys.
 *
 * @returns A total of at most `MAX_LISTED_USERS + 1`, which means that there are more. In the order
 *   `seen`, only the first `MAX_ORDERED_BY_SEEN` of them are listed.
 * @throws {Refusal} `notAdmin`.
 */
export async function findUsers(
  deps: ReaderDeps,
  operator: Operator,
  filter: UserFilter,
  listing: Listing,
) {
  const now = deps.now()
  return read(deps, of(operator), listParts(deps.db, filter, listing, now)).then(listed)
}

/** As `findUsers`, with the number of users in the lists that have a count. */
export async function findUsersAndCounts(
  deps: ReaderDeps,
  operator: Operator,
  filter: UserFilter,
  listing: Listing,
) {
  const { db } = deps
  const now = deps.now()
  const counted = (group: UserGroup) => countUsersUpTo(db, { groups: [group] }, MAX_COUNTED, now)
  const found = await read(deps, of(operator), {
    ...listParts(db, filter, listing, now),
    waiting: counted('waiting'),
    locked: counted('locked'),
    'without-two-factor': counted('without-two-factor'),
    ending: counted('ending'),
  })
  const counts = new Map<string, number>(
    COUNTED_GROUPS.map((group) => [group, found[group][0]?.total ?? 0]),
  )
  return { ...listed(found), counts }
}

function listParts(
  db: Database,
  filter: UserFilter,
  { page, perPage, order = 'made' }: Listing,
  now: number,
) {
  const { limit, offset } = windowOf(page, perPage)
  const isListed = offset < MAX_LISTED_USERS
  return {
    users: isListed ? selectUsersWithUse(db, filter, { limit, offset }, now, order) : undefined,
    counted: countUsersUpTo(db, filter, MAX_LISTED_USERS + 1, now),
    stops: selectStops(db, now, MAX_STOPS),
  }
}

function listed({ users, counted, stops }: Answers<ReturnType<typeof listParts>>) {
  const stopped = (users ?? []).map((user) => ({
    ...user,
    stops: stops.filter(({ userId }) => userId === user.id),
  }))
  return { users: stopped, total: counted[0]?.total ?? 0 }
}

/** @throws {Refusal} `notAdmin`, `userNotFound`. */
export async function getUser(
  deps: ReaderDeps,
  operator: Operator,
  userId: number,
): Promise<Account> {
  const { account } = await read(deps, of(operator, userId), {})
  return account
}

/** @returns `undefined` for an unknown name. @throws {Refusal} `notAdmin`. */
export async function findUser(
  deps: ReaderDeps,
  operator: Operator,
  username: string,
): Promise<Account | undefined> {
  const { found } = await read(deps, of(operator), {
    found: selectUserNamed(deps.db, username),
  })
  return found[0]
}

/**
 * Finds the user whose events are meant, by name or as `#7`. Events outlive their user, so a user
 * who was deleted is found too, by the last name, unless another user has it now.
 *
 * @returns `undefined` for an unknown name. An id is not looked up.
 * @throws {Refusal} `notAdmin`.
 */
export async function findUserOfEvents(
  deps: ReaderDeps,
  operator: Operator,
  name: string,
): Promise<number | undefined> {
  const [, id] = /^#(\d{1,15})$/.exec(name) ?? []
  if (id !== undefined) return Number(id)
  const { found, deleted } = await read(deps, of(operator), {
    found: selectUserNamed(deps.db, name),
    deleted: selectDeletedUser(deps.db, name),
  })
  return found[0]?.id ?? deleted[0]?.id ?? undefined
}

/**
 * Lists names of a similar length to an unknown name, for a suggestion.
 *
 * @param slack The largest difference in letters.
 * @throws {Refusal} `notAdmin`.
 */
export async function listNamesLike(
  deps: ReaderDeps,
  operator: Operator,
  username: string,
  slack: number,
): Promise<string[]> {
  const { similar } = await read(deps, of(operator), {
    similar: selectNamesLike(deps.db, username, slack),
  })
  return similar.map((row) => row.username)
}
