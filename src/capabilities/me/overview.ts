import { count, eq } from 'drizzle-orm'
import { passkeys } from '../../../schema/tables.ts'
import type { ReaderDeps, SessionActor } from '../../core/access/act-as.ts'
import { own, read } from '../../core/access/subject.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import { ownEvent, selectEvents } from '../../core/audit/event-lists.ts'
import { selectNewNetwork } from '../../core/audit/sign-in-networks.ts'
import { countUnusedCodes } from '../two-factor/store.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** How long a network that a user has signed in from is new. */
const NEW_MILLISECONDS = 7 * DAY_MILLISECONDS
const LATEST_EVENTS = { limit: 3, offset: 0 }

/**
 * Reads what a user wants to know first: what protects the account, and the latest events. One
 * round trip.
 */
export async function readOverview(deps: ReaderDeps, actor: SessionActor) {
  const { db } = deps
  const { userId, network } = actor
  const now = deps.now()
  const { closedAppPasswords, closedKeys, ...found } = await read(deps, own(actor), {
    ...selectClosed(db, userId),
    codes: countUnusedCodes(db, userId),
    places: selectNewNetwork(db, userId, now - NEW_MILLISECONDS, network),
    events: selectEvents(db, userId, LATEST_EVENTS),
    passkeys: db.select({ total: count() }).from(passkeys).where(eq(passkeys.userId, userId)),
  })
  const { account, codes, places, events, passkeys: counted } = found
  return {
    account,
    closedAppPasswords,
    closedKeys,
    codesLeft: total(codes),
    newPlace: places[0],
    events: events.map(ownEvent),
    passkeys: total(counted),
  }
}

function total(rows: { total: number }[]): number {
  return rows[0]?.total ?? 0
}
