import { DAY_MILLISECONDS } from '../../core/base/time.ts'
import type { RunPart } from '../../core/deps.ts'
import { pruneLeases } from './lease.ts'
import { pruneGone } from './store.ts'
import { writeFileUsersInTime } from './write-in-time.ts'

/** No older backup of the file server is put back. */
const GONE_FILE_USER_MILLISECONDS = 365 * DAY_MILLISECONDS

export const nightly: RunPart = ({ deps: { db }, now, batch }) =>
  batch.add({
    leases: pruneLeases(db, now),
    fileUsers: pruneGone(db, now - GONE_FILE_USER_MILLISECONDS),
  })

export const frequent: RunPart = async ({ deps, batch }) => {
  // The writes of the other capabilities may be for the file server.
  await batch.add({})
  await writeFileUsersInTime(deps)
}
