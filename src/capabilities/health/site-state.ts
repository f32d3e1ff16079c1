import type { Operator } from '../../core/access/operators.ts'
import { of, read } from '../../core/access/subject.ts'
import { sampleEvents, selectLatestChanges } from '../../core/audit/event-lists.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { inOneBatch, type SharedBatch } from '../../core/database/shared-batch.ts'
import { selectStops } from '../../core/throttle/stops.ts'
import { countUsersUpTo } from '../users/list-store.ts'
import { checkParts, type HealthDeps } from './health.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

const GROWTH_DAYS = 30
const LATEST_CHANGES = 5
/** More blocks are not shown. */
const MAX_STOPS = 50
/** Counts end here, so that their cost is bounded. */
export const MAX_COUNTED_USERS = 1000

type StateDeps = HealthDeps & Pick<Deps, 'meter'>

/** The parts of other capabilities. */
interface Others<Part, Found> {
  checks: Parameters<typeof checkParts<Part>>[1]
  attention: readonly ((db: Database, batch: SharedBatch) => Promise<Found>)[]
}

/**
 * Reads what an operator wants to know first: whether everything works, who waits for an approval,
 * who is locked out, what else needs attention, what has changed, and how the site grows.
 *
 * @throws {Refusal} `notAdmin`, and those of `actAs`.
 */
export async function readSiteState<Part, Found>(
  deps: StateDeps,
  operator: Operator,
  { checks, attention }: Others<Part, Found>,
) {
  const { db } = deps
  const now = deps.now()
  const [found, ...others] = await inOneBatch(
    (parts) => read(deps, of(operator), parts),
    (batch) => [
      batch.add({
        stops: selectStops(db, now, MAX_STOPS),
        changes: selectLatestChanges(db, LATEST_CHANGES),
        growth: sampleEvents(db, now - GROWTH_DAYS * DAY_MILLISECONDS),
        users: countUsersUpTo(db, {}, MAX_COUNTED_USERS + 1, now),
        waiting: countUsersUpTo(db, { groups: ['waiting'] }, MAX_COUNTED_USERS, now),
        factorless: countUsersUpTo(
          db,
          { groups: ['without-two-factor'] },
          MAX_COUNTED_USERS + 1,
          now,
        ),
      }),
      ...attention.map((find) => find(db, batch)),
    ],
  )
  const databaseBytes = deps.meter.databaseBytes
  return {
    parts: await checkParts(deps, checks),
    attention: others,
    /** Present blocks of users, the longest first. */
    stops: found.stops,
    changes: found.changes,
    events: Math.max(0, found.growth.at(-1)?.total ?? 0),
    eventsPerDay: perDay(found.growth, now),
    users: found.users[0]?.total ?? 0,
    waiting: found.waiting[0]?.total ?? 0,
    factorless: found.factorless[0]?.total ?? 0,
    databaseBytes,
  }
}

/** The number of events up to a time, in the order of the times. */
type Growth = readonly { total: number | null; at: number | null }[]

/** Estimates the events of each of the last days, the earliest first. */
function perDay(growth: Growth, now: number): number[] {
  // A few events are written after later ones.
  const times = growth.map(({ at }) => at).toSorted((a, b) => Number(a) - Number(b))
  const inOrder = growth.map(({ total }, place) => ({ total, at: times[place] ?? null }))
  const totals = Array.from({ length: GROWTH_DAYS + 1 }, (_, day) =>
    totalAt(inOrder, now - (GROWTH_DAYS - day) * DAY_MILLISECONDS),
  )
  return totals.slice(1).map((total, day) => Math.max(0, Math.round(total - (totals[day] ?? 0))))
}

/** Between two places, events are taken to be written at equal intervals. */
function totalAt(growth: Growth, time: number): number {
  let [before, beforeAt] = [0, 0]
  for (const { total, at } of growth) {
    if (total === null || at === null) continue
    if (at > time) {
      const share = beforeAt === 0 ? 0 : (time - beforeAt) / (at - beforeAt)
      return before + (total - before) * share
    }
    ;[before, beforeAt] = [total, at]
  }
  return before
}
