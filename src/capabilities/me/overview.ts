import { count, eq } from 'drizzle-orm'
import { passkeys } from '../../../schema/tables.ts'
import type { ReaderDeps, SessionActor } from '../../core/access/act-as.ts'
import { own, read } from '../../core/access/subject.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import { groupNamesOf, selectGroupNames } from '../../core/accounts/groups.ts'
import { selectVerifiedAddress } from '../../core/accounts/store.ts'
import { ownEvent, selectEvents } from '../../core/audit/event-lists.ts'
import { selectNewNetworks } from '../../core/audit/sign-in-networks.ts'
import { countUnusedCodes } from '../two-factor/store.ts'

const LATEST_EVENTS = { limit: 3, offset: 0 }

/**
 * Reads what a user wants to know first: what protects the account, and the latest events. One
 * round trip.
 */
export async function readOverview(deps: ReaderDeps, actor: SessionActor) {
  const { db } = deps
  const { userId, network } = actor
  const { closedAppPasswords, closedKeys, ...found } = await read(deps, own(actor), {
    ...selectClosed(db, userId),
    codes: countUnusedCodes(db, userId),
    newNetworks: selectNewNetworks(db, userId, deps.now(), network).limit(1),
    events: selectEvents(db, userId, LATEST_EVENTS),
    groups: selectGroupNames(db, userId),
    addresses: selectVerifiedAddress(db, userId),
    passkeys: db.select({ total: count() }).from(passkeys).where(eq(passkeys.userId, userId)),
  })
  const { account, codes, newNetworks, events, groups, addresses, passkeys: counted } = found
  return {
    account,
    closedAppPasswords,
    closedKeys,
    codesLeft: total(codes),
    newNetwork: newNetworks[0],
    /** The confirmed address; `undefined` without one. */
    address: addresses[0]?.email,
    events: events.map(ownEvent),
    passkeys: total(counted),
    /** Without the built-in one. */
    groups: groupNamesOf(account.role, groups[0]?.names ?? '[]').slice(1),
  }
}

function total(rows: { total: number }[]): number {
  return rows[0]?.total ?? 0
}
