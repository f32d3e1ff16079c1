import { type SQL, sql } from 'drizzle-orm'
import { auditEvents } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { isSignIn } from './kinds.ts'

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

/**
 * Selects the latest of the networks from which a user first signed in after `since`. The network
 * of the very first sign-in does not count, nor does `but`, where the user is now.
 *
 * @param since Unix time, milliseconds.
 */
export function selectNewNetwork(db: Database, userId: number, since: number, but: string) {
  const firstAt = sql`select min(event.at) from ${auditEvents} as event where ${isSignInOf(userId)} and event.network = place.network`
  const first = sql`${withNetworksOf(userId)}
    select place.network as network, (${firstAt}) as at from place where place.network is not null`
  return db
    .select({
      network: sql<string>`found.network`.as('network'),
      at: sql<number>`found.at`.as('at'),
    })
    .from(sql`(select *, min(place.at) over () as earliest from (${first}) as place) as found`)
    .where(sql`found.at > ${since} and found.at > found.earliest and found.network <> ${but}`)
    .orderBy(sql`found.at desc`)
    .limit(1)
}
