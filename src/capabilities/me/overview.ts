import { and, count, eq, gt, isNull, or } from 'drizzle-orm'
import { appPasswords, passkeys, sessions, sshKeys } from '../../../schema/tables.ts'
import { readAs, type ReaderDeps, type SessionActor } from '../../core/access/act-as.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import { ownEvent, selectEvents } from '../../core/audit/event-lists.ts'
import { selectNewNetwork } from '../../core/audit/sign-in-networks.ts'
import type { Database } from '../../core/deps.ts'
import { selectAccessOf } from '../openid/grant-store.ts'
import { countUnusedCodes } from '../two-factor/store.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** How long a network that a user has signed in from is new. */
const NEW_MILLISECONDS = 7 * DAY_MILLISECONDS
const LATEST_EVENTS = { limit: 3, offset: 0 }

/**
 * Reads what a user wants to know first: what protects the account, how much of everything it has,
 * and the latest events. One round trip.
 */
export async function readOverview(deps: ReaderDeps, actor: SessionActor) {
  const { db } = deps
  const { userId, network } = actor
  const now = deps.now()
  const { closedAppPasswords, closedKeys, ...found } = await readAs(deps, actor, {
    ...selectClosed(db, userId),
    codes: countUnusedCodes(db, userId),
    places: selectNewNetwork(db, userId, now - NEW_MILLISECONDS, network),
    programs: selectAccessOf(db, userId),
    events: selectEvents(db, userId, LATEST_EVENTS),
    ...countHoldings(db, userId, now),
  })
  const { account, codes, places, programs, events, ...counted } = found
  return {
    account,
    closedAppPasswords,
    closedKeys,
    codesLeft: total(codes),
    newPlace: places[0],
    events: events.map(ownEvent),
    counts: {
      passkeys: total(counted.passkeys),
      sessions: total(counted.sessions),
      keys: total(counted.keys),
      appPasswords: total(counted.appPasswords),
      programs: programs.length,
    },
  }
}

function total(rows: { total: number }[]): number {
  return rows[0]?.total ?? 0
}

/** Counts what has not ended. */
function countHoldings(db: Database, userId: number, now: number) {
  const isLasting = or(isNull(appPasswords.expiresAt), gt(appPasswords.expiresAt, now))
  return {
    passkeys: db.select({ total: count() }).from(passkeys).where(eq(passkeys.userId, userId)),
    sessions: db
      .select({ total: count() })
      .from(sessions)
      .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now))),
    keys: db.select({ total: count() }).from(sshKeys).where(eq(sshKeys.userId, userId)),
    appPasswords: db
      .select({ total: count() })
      .from(appPasswords)
      .where(and(eq(appPasswords.userId, userId), isLasting)),
  }
}
