import { actAsOperator, type Operator } from '../access/operators.ts'
import { estimateEvents, selectAllEvents, selectLatestChanges } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import { selectChannels } from '../notices/store.ts'
import { countUsersUpTo } from '../users/store.ts'
import { checkParts, type HealthDeps } from './health.ts'

const HOUR_MILLISECONDS = 60 * 60 * 1000
const GROWTH_DAYS = 30
const LATEST_CHANGES = 5
/** More events of an hour are not looked at. */
const EVENTS_OF_HOUR = { limit: 50, offset: 0 }
/** Counts end here, so that their cost is bounded. */
export const MAX_COUNTED_USERS = 1000

type StateDeps = HealthDeps & Pick<Deps, 'meter'>

/**
 * Reads what an operator wants to know first: whether everything works, who waits for an approval,
 * who is locked out, which channels fail, what has changed, and how the site grows.
 *
 * @throws {Refusal} `notAdmin`, and those of `actAs`.
 */
export async function readSiteState(deps: StateDeps, operator: Operator) {
  const { db } = deps
  const now = deps.now()
  const lastHour = now - HOUR_MILLISECONDS
  const { locked, unlocked, channels, ...found } = await actAsOperator(deps, operator, {
    locked: selectAllEvents(db, { kind: 'account_locked', since: lastHour }, EVENTS_OF_HOUR),
    unlocked: selectAllEvents(db, { kind: 'user_unlocked', since: lastHour }, EVENTS_OF_HOUR),
    channels: selectChannels(db, null),
    changes: selectLatestChanges(db, LATEST_CHANGES),
    growth: estimateEvents(db, now - GROWTH_DAYS * 24 * HOUR_MILLISECONDS),
    users: countUsersUpTo(db, {}, MAX_COUNTED_USERS + 1),
    waiting: countUsersUpTo(db, { groups: ['waiting'] }, MAX_COUNTED_USERS),
    factorless: countUsersUpTo(db, { groups: ['without-two-factor'] }, MAX_COUNTED_USERS + 1),
  })
  const databaseBytes = deps.meter.databaseBytes
  const isUnlocked = (userId: number | null, id: number) =>
    unlocked.some((event) => event.userId === userId && event.id > id)
  return {
    parts: await checkParts(deps),
    locked: locked.filter(
      ({ userId, username, id }) => username !== null && !isUnlocked(userId, id),
    ),
    failing: channels.filter(
      ({ lastFailedAt, lastSentAt }) => lastFailedAt !== null && lastFailedAt > (lastSentAt ?? 0),
    ),
    changes: found.changes,
    events: found.growth[0]?.total ?? 0,
    users: found.users[0]?.total ?? 0,
    waiting: found.waiting[0]?.total ?? 0,
    factorless: found.factorless[0]?.total ?? 0,
    databaseBytes,
  }
}
