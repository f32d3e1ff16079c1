import type { Deps, RunPart } from '../../core/deps.ts'
import {
  MAX_LOGOUT_ATTEMPTS,
  selectAnyLogout,
  sendAllLogouts,
  sendLogouts,
} from './back-channel.ts'
import { pruneGrants, pruneLogouts } from './grant-store.ts'
import { forgetKeySet, pruneKeys } from './keys.ts'

export const nightly: RunPart = async ({ deps, now, batch }) => {
  const { db } = deps
  await batch.add({
    grants: pruneGrants(db, now),
    logouts: pruneLogouts(db, MAX_LOGOUT_ATTEMPTS),
    keys: pruneKeys(db, now),
  })
  // Ending expired sessions may have written more logouts.
  await sendAllLogouts(deps)
}

export const frequent: RunPart = async ({ deps, now, batch }) => {
  const { logout } = await batch.add({ logout: selectAnyLogout(deps.db, now) })
  if (logout.length > 0) await sendLogouts(deps)
}

/** The command may have made a signing key. */
export async function afterCommand(deps: Deps): Promise<void> {
  forgetKeySet(deps)
}
