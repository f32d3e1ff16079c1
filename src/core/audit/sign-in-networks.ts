import { eq, type SQL, sql } from 'drizzle-orm'
import { auditEvents, sessions } from '../../../schema/tables.ts'
import { DAY_MILLISECONDS } from '../base/time.ts'
import type { Database } from '../database/database.ts'
import { literal } from '../database/literal.ts'
import { isSignIn } from './kinds.ts'
import { checkedAt } from './known-networks.ts'

/** Holds for an `event` that is a sign-in of the user. */
function isSignInOf(userId: SQL | number): SQL {
  return sql`event.user_id = ${userId} and ${isSignIn(sql`event.kind`)}`
}

/**
 * Begins a statement with the table `place`: each network that a user has signed in from, and a
 * last null. It visits each network once, by the index: a program can sign in from one network
 * thousands of times.
 */
function withNetworksOf(userId: SQL | number): SQL {
  const network = sql`select min(event.network) from ${auditEvents} as event where ${isSignInOf(userId)}`
  return sql`with recursive place(network) as (
    ${network}
    union all
    select (${network} and event.network > place.network) from place where place.network is not null
  )`
}

/** Returns the time of the latest sign-in of a user, or null when none is kept. */
export function latestSignIn(userId: SQL) {
  const latest = sql`select max(event.at) from ${auditEvents} as event where ${isSignInOf(userId)} and event.network = place.network`
  return sql<number | null>`(${withNetworksOf(userId)} select max((${latest})) from place)`
}

/** More sign-ins from one network are not counted. */
const MAX_COUNTED = literal(1000)

/**
 * Counts the sign-ins of a user since a time, of each network no more than `MAX_COUNTED`.
 *
 * @param since Unix time, milliseconds.
 */
export function countSignIns(userId: SQL, since: number) {
  const recent = sql`select 1 from ${auditEvents} as event where ${isSignInOf(userId)} and event.network = place.network and event.at > ${since} limit ${MAX_COUNTED}`
  return sql<number>`(${withNetworksOf(userId)} select sum((select count(*) from (${recent}))) from place)`
}

/** How long a network that a user has signed in from is new. */
const NEW_MILLISECONDS = 7 * DAY_MILLISECONDS

/**
 * Selects the networks from which a user first signed in less than a week ago (`checkedAt`), the
 * latest first, with the country of the first sign-in. Left out are the network of the very first
 * sign-in, `but`, where the user is now, and those that the user has confirmed since.
 *
 * @param now Unix time, milliseconds.
 */
export function selectNewNetworks(db: Database, userId: number, now: number, but: string) {
  return db
    .select({
      network: sql<string>`found.network`.as('network'),
      at: sql<number>`found.at`.as('at'),
      country: sql<string>`coalesce((${firstSignIn(userId, sql`event.country`)}), '')`.as(
        'country',
      ),
    })
    .from(newNetworks(userId, now, but))
    .orderBy(sql`found.at desc`)
}

/** The rows of {@link selectNewNetworks}, as `found` with the columns `network` and `at`. */
export function newNetworks(userId: number, now: number, but: string): SQL {
  const firstAt = sql`select min(event.at) from ${auditEvents} as event
    where ${isSignInOf(userId)} and event.network = place.network and event.at > place.checked_at`
  const places = sql`${withNetworksOf(userId)}
    select place.network as network, ${checkedAt(userId, sql`place.network`)} as checked_at
    from place where place.network is not null`
  // Of the events of the user, only those after the first sign-in from the network are read.
  const isConfirmed = sql`exists (
    select 1 from ${auditEvents} as answer
    where answer.user_id = ${userId} and answer.id > (${firstSignIn(userId, sql`event.id`)})
      and answer.kind = 'network_checked' and answer.detail = found.network
  )`
  // A network after whose sign-ins the account was secured is not taken for that of the very first.
  return sql`(
    select found.network, found.at
    from (
      select *, min(place.at) filter (where place.checked_at = 0) over () as earliest
      from (select *, (${firstAt}) as at from (${places}) as place) as place
    ) as found
    where found.at > ${now - NEW_MILLISECONDS}
      and (found.checked_at > 0 or found.at > found.earliest)
      and found.network <> ${but} and not ${isConfirmed}
  ) as found`
}

/** Selects a column of the sign-in of a user from the network `found` at its time. */
function firstSignIn(userId: number, column: SQL): SQL {
  return sql`select ${column} from ${auditEvents} as event where ${isSignInOf(userId)}
    and event.network = found.network and event.at >= found.at order by event.at limit 1`
}

/** Selects the country of each network of a user's sessions, as the latest sign-in there had it. */
export function selectCountries(db: Database, userId: number) {
  const found = db
    .select({ network: sessions.network })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .groupBy(sessions.network)
    .as('found')
  const country = sql`select event.country from ${auditEvents} as event
    where ${isSignInOf(userId)} and event.network = found.network order by event.at desc limit 1`
  return db
    .select({ network: found.network, country: sql<string | null>`(${country})`.as('country') })
    .from(found)
}
