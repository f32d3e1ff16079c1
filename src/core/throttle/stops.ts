import { desc, eq, type SQL, sql } from 'drizzle-orm'
import { throttleCounters, users } from '../../../schema/tables.ts'
import { isEnabled, isNotGuest } from '../accounts/conditions.ts'
import { isNamed } from '../accounts/store.ts'
import { rendered } from '../database/rendered.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { BLOCK_OF_ROW, blockOfStranger } from './blocks.ts'
import { pathOf } from '../database/json-path.ts'
import type { Counter, SignInCounters } from './counters.ts'
import { blockOf, figuresOf } from './limits.ts'
import type { LimitName } from './limit-table.ts'

/** The attempts that a counter refuses to a user. */
export type StopKind =
  /** Passwords from one network. */
  | 'pair'
  /** Passwords of every account from one network. */
  | 'network'
  /** The same from all networks of its /48, but not to users who have signed in there lately. */
  | 'site'
  /** Passwords from networks where the user has not signed in lately. */
  | 'account'
  | 'code'
  | 'old-password'
  | 'passkey'
  /** Passwords at an LDAP door. */
  | 'door'

/**
 * Notes at the counter of an account that a counter of this sign-in is spent, so that operators
 * find the user. It stands behind the charge in one batch, and writes when this charge begins a
 * block: a refused attempt writes nothing. The counters decide who is stopped: a note that they
 * contradict counts for nothing.
 */
export function noteSignInStop(db: Database, by: Authority, signIn: SignInCounters, now: number) {
  const [site, account] = signIn.counters
  const until = blockOfStranger(signIn)
  const { key, stopsUntil, stops } = throttleCounters
  const path = pathOf(signIn.network)
  return writing(db, by).update(
    throttleCounters,
    {
      accountId: idOf(signIn.username),
      stopsUntil: until,
      stops: sql`json_set(${stops}, ${path}, ${site.key})`,
    },
    sql`changes() > 0 and ${key} = ${account.key} and ${until} > ${now} and ${idOf(signIn.username)} is not null
      and (${until} > ${stopsUntil} or ${stops} ->> ${path} is null)`,
  )
}

/** Works like `noteSignInStop`, for a counter of one user. @param user The id, or the name. */
export function noteStop(
  db: Database,
  by: Authority,
  counter: Counter,
  user: number | string,
  now: number,
) {
  const { key, stopsUntil } = throttleCounters
  const id = typeof user === 'number' ? sql`${user}` : idOf(user)
  return writing(db, by).update(
    throttleCounters,
    { accountId: id, stopsUntil: BLOCK_OF_ROW },
    sql`${key} = ${counter.key} and ${BLOCK_OF_ROW} > ${now} and ${BLOCK_OF_ROW} > ${stopsUntil} and ${id} is not null`,
  )
}

function idOf(username: string): SQL {
  return sql`(select ${users.id} from ${users} where ${isNamed(username)})`
}

/** A block that stops a user now. */
export interface Stop {
  userId: number
  username: string
  kind: StopKind
  /** Empty for a block that holds for every network. */
  network: string
  /** Unix time, milliseconds. */
  until: number
}

/**
 * Selects what stops users now, the longest first.
 *
 * @param userId Only what stops this user.
 */
export function selectStops(db: Database, now: number, limit: number, userId?: number) {
  const mayUse = sql`${isEnabled(now)} and ${isNotGuest}`
  return db
    .select({
      userId: sql<number>`${users.id}`.as('user_id'),
      username: sql<string>`${users.username}`.as('username'),
      kind: sql<StopKind>`stop.kind`.as('kind'),
      network: sql<string>`stop.network`.as('network'),
      until: sql<number>`stop.until`.as('until'),
    })
    .from(sql`${stopsAt(now)} as stop cross join ${users} on ${users.id} = stop.account_id`)
    .where(userId === undefined ? mayUse : eq(users.id, userId))
    .orderBy(desc(sql`stop.until`), users.id)
    .limit(limit)
}

/** Holds for a user whom a counter stops. */
export function isStopped(now: number): SQL {
  const found = sql`(select stop.account_id from ${stopsAt(now)} as stop)`
  return sql`(${users.id} in ${found} and ${isEnabled(now)} and ${isNotGuest})`
}

/** The rows of the index: counters of accounts where a block was noted that has not ended. */
function notedAt(now: number): SQL {
  const { accountId, stopsUntil } = throttleCounters
  return sql`(select * from ${throttleCounters} where ${accountId} is not null and ${stopsUntil} > ${now}) as noted`
}

const KIND_OF_ROW = sql.raw(`case substr(noted.key, 1, instr(noted.key, '/') - 1)
  when 'account' then 'account' when 'pair' then 'door'
  else substr(noted.key, 7, instr(substr(noted.key, 7), '/') - 1) end`)

/** The end of the block of a row under this name. */
const blockAs = (name: 'noted' | 'site', key?: LimitName) =>
  rendered(() =>
    blockOf({
      key: key ?? sql.raw(`${name}.key`),
      failures: sql.raw(`${name}.failures`),
      expiresAt: sql.raw(`${name}.expires_at`),
      chargedAt: sql.raw(`${name}.charged_at`),
    }),
  )
/** The end of the block of a part of a network's row. The key of an account's row has its hash. */
const blockIn = (limit: 'network' | 'pair', owner: string) =>
  rendered(() =>
    blockOf(figuresOf(limit, sql.raw(`(site.parts -> ('$."${limit}/' || ${owner} || '"'))`))),
  )

const BLOCKS = {
  own: blockAs('noted'),
  pair: blockIn('pair', "substr(noted.key, 9) || '/' || place.key"),
  network: blockIn('network', 'place.key'),
  site: blockAs('site', 'site'),
}

/** Each block that lasts: of a counter of the account, and of the networks that were noted. */
function stopsAt(now: number): SQL {
  const atPlace = (kind: 'pair' | 'network' | 'site') => sql`
    select noted.account_id, ${sql.raw(`'${kind}'`)}, place.key, ${BLOCKS[kind]}
      from ${notedAt(now)} join json_each(noted.stops) as place
      join ${throttleCounters} as site on site.key = place.value
      where ${BLOCKS[kind]} > ${now}`
  return sql`(
    select account_id, ${KIND_OF_ROW} as kind, '' as network, ${BLOCKS.own} as until
      from ${notedAt(now)} where ${BLOCKS.own} > ${now}
    union all ${atPlace('pair')} union all ${atPlace('network')} union all ${atPlace('site')}
  )`
}

/**
 * Ends the blocks of the networks from which this account is stopped: for an operator, who knows
 * the user. It stands before what clears the account's own counters.
 */
export function clearNetworks(db: Database, by: Authority, accountKey: string, now: number) {
  const { key, parts, failures } = throttleCounters
  const places = sql`(select place.key as network, place.value as site from ${throttleCounters} as own
    join json_each(own.stops) as place where own.key = ${accountKey})`
  const spent = sql`part.key in (select 'network/' || network from ${places})`
  const rest = sql`(select json_group_object(part.key, json(part.value)) from json_each(${parts}) as part where not ${spent})`
  const set = { parts: rest, failures: sql`iif(${BLOCK_OF_ROW} > ${now}, 0, ${failures})` }
  return writing(db, by).update(throttleCounters, set, sql`${key} in (select site from ${places})`)
}
