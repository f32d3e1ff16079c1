import type { ReaderDeps, SessionActor } from '../../core/access/act-as.ts'
import { own, read } from '../../core/access/subject.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import { selectRecovered } from '../../core/access/recovery.ts'
import { selectDemand } from '../../core/accounts/last-factor.ts'
import { selectEvents } from '../../core/audit/event-lists.ts'
import type { SharedParts } from '../../core/database/shared-batch.ts'
import { selectPasskeys } from '../passkeys/store.ts'
import { countUnusedCodes } from '../two-factor/store.ts'

const LATEST_CLONES = { limit: 100, offset: 0 }

/**
 * Reads what the user signs in with beside the password: the number of unused recovery codes, the
 * passkeys, the latest events of answers that a copy of a passkey may have given, whether a
 * recovery code has just begun the session, and what the demand for a second factor has closed.
 *
 * @param others Statements of others, which run in the same batch.
 */
export async function readWaysIn(deps: ReaderDeps, actor: SessionActor, others: SharedParts) {
  const { db } = deps
  const { userId } = actor
  const { account, codes, recovered, demand, ...ways } = await read(deps, own(actor), {
    codes: countUnusedCodes(db, userId),
    passkeys: selectPasskeys(db, userId),
    clones: selectEvents(db, userId, LATEST_CLONES, { kind: 'passkey_cloned' }),
    recovered: selectRecovered(db, actor, deps.now()),
    demand: selectDemand(db, userId),
    ...selectClosed(db, userId),
    ...others,
  })
  return {
    account,
    codesLeft: codes[0]?.total ?? 0,
    isRecovered: recovered.length > 0,
    mustUseFactor: demand.length > 0,
    ...ways,
  }
}
