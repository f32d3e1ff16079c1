import { sql } from 'drizzle-orm'
import { auditEvents } from '../../schema/tables.ts'
import type { Database } from '../database/database.ts'

/**
 * Selects the network that a user has signed in from for the first time, if that was after `since`;
 * the latest of several. The network of the very first sign-in is not new, and neither is `but`,
 * where the user is now. It visits each network of the user once, by the index.
 *
 * @param since Unix time, milliseconds.
 */
export function selectNewNetwork(db: Database, userId: number, since: number, but: string) {
  // Exactly the condition of the partial index.
  const isSignIn = sql`event.user_id = ${userId} and event.kind in ('sign_in', 'service_sign_in')`
  const first = sql`with recursive place(network) as (
      select min(event.network) from ${auditEvents} as event where ${isSignIn}
      union all
      select (select min(event.network) from ${auditEvents} as event where ${isSignIn} and event.network > place.network)
      from place where place.network is not null
    )
    select place.network as network, (select min(event.at) from ${auditEvents} as event where ${isSignIn} and event.network = place.network) as at
    from place where place.network is not null`
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
