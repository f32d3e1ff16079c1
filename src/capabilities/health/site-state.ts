import {
  countSignInsByDay,
  selectLatestChanges,
  selectLatestOf,
} from '../../core/audit/event-lists.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'
import type { Database } from '../../core/deps.ts'
import { inBatchOf, type SharedBatch, type SharedParts } from '../../core/database/shared-batch.ts'
import { selectStops } from '../../core/throttle/stops.ts'
import { selectSettings, withAllDefaults } from '../settings/store.ts'
import { countUsersUpTo } from '../users/list-store.ts'
import { checkParts, type HealthDeps } from './health.ts'

const CHART_DAYS = 30
const LATEST_CHANGES = 5
/** More blocks are not shown. */
const MAX_STOPS = 50
/** Counts end here, so that their cost is bounded. */
export const MAX_COUNTED_USERS = 1000

/** The parts of other capabilities. */
interface Others<Part, Found> {
  checks: Parameters<typeof checkParts<Part>>[1]
  attention: readonly ((db: Database, batch: SharedBatch) => Promise<Found>)[]
}

/**
 * Reads what an administrator wants to know first: who waits for an approval, who is locked out,
 * what else needs attention, whether everything works, the sign-ins of each day, and what has
 * changed.
 *
 * @param readAsAdmin Runs statements for an administrator, with its own, and returns every answer.
 * @throws Whatever `readAsAdmin` throws.
 */
export async function readSiteState<
  Part,
  Found,
  Read extends Record<string, unknown> = Record<string, unknown>,
>(
  deps: HealthDeps,
  readAsAdmin: (parts: SharedParts) => Promise<Read>,
  { checks, attention }: Others<Part, Found>,
) {
  const { db } = deps
  const now = deps.now()
  const today = Math.floor(now / DAY_MILLISECONDS)
  const firstDay = today - CHART_DAYS + 1
  const { ran, works } = await inBatchOf(readAsAdmin, (batch) => [
    batch.add({
      stops: selectStops(db, now, MAX_STOPS),
      changes: selectLatestChanges(db, LATEST_CHANGES),
      days: countSignInsByDay(db, firstDay * DAY_MILLISECONDS),
      users: countUsersUpTo(db, {}, MAX_COUNTED_USERS + 1, now),
      waiting: countUsersUpTo(db, { groups: ['waiting'] }, MAX_COUNTED_USERS, now),
      factorless: countUsersUpTo(
        db,
        { groups: ['without-two-factor'] },
        MAX_COUNTED_USERS + 1,
        now,
      ),
      settings: selectSettings(db, ['setup_checklist']),
      backups: selectLatestOf(db, 'backup_made'),
    }),
    ...attention.map((find) => find(db, batch)),
  ])
  const [found, ...others] = works
  const days = new Map(found.days.map((day) => [day.day, day]))
  return {
    read: ran,
    parts: await checkParts(deps, checks),
    attention: others,
    /** Present blocks of users, the longest first. */
    stops: found.stops,
    changes: found.changes,
    /** The last days of UTC, the earliest first. `at` is the begin, Unix time in milliseconds. */
    days: Array.from({ length: CHART_DAYS }, (_, place) => {
      const { signIns = 0, refused = 0 } = days.get(firstDay + place) ?? {}
      return { at: (firstDay + place) * DAY_MILLISECONDS, signIns, refused }
    }),
    users: found.users[0]?.total ?? 0,
    waiting: found.waiting[0]?.total ?? 0,
    factorless: found.factorless[0]?.total ?? 0,
    /** Whether a backup was made within the days for which events are kept. */
    hasBackup: found.backups.length > 0,
    hasChecklist: withAllDefaults(found.settings).setup_checklist === 'true',
  }
}
