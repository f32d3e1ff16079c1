import { capability } from '../../web/kit/capability.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'
import { createFileRules, forwardToFiles, writeFileUsersInTime } from './http/gateway.ts'
import { pruneLeases } from './lease.ts'
import { handOverPages } from './pages/hand-over-routes.ts'
import { faultPage } from './pages/fault-page.ts'
import { pruneGone } from './store.ts'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  'sign-in': 'the sign-in page of the web client is that of the account',
  settings: 'the settings of a site with a file server are those of both',
}

/** No older backup of the file server is put back. */
const GONE_FILE_USER_MILLISECONDS = 365 * DAY_MILLISECONDS

export const files = capability({
  pages: [['/files', handOverPages]],
  middleware: { first: createFileRules(faultPage), last: forwardToFiles },
  nightly: ({ deps: { db }, now, batch }) =>
    batch.add({
      leases: pruneLeases(db, now),
      fileUsers: pruneGone(db, now - GONE_FILE_USER_MILLISECONDS),
    }),
  async frequent({ deps, batch }) {
    // What the others write may be for the file server.
    await batch.add({})
    await writeFileUsersInTime(deps)
  },
})
