import { pruneAppPasswords } from '../../core/access/app-password-store.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'
import type { RunPart } from '../../core/deps.ts'

/** Until then the owner sees in the list why a program stopped working. */
const EXPIRED_APP_PASSWORD_MILLISECONDS = 30 * DAY_MILLISECONDS

export const nightly: RunPart = ({ deps: { db }, now, batch }) =>
  batch.add({ expired: pruneAppPasswords(db, now - EXPIRED_APP_PASSWORD_MILLISECONDS) })
