import { type Answers, type Authority, type Parts, runBatchAfter } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { type Actor, isSessionActor } from './actor.ts'
import { selectActor } from './actor-queries.ts'
import { changeParts, type CountedAs, hasWrites, refuseTooManyChanges } from './changes.ts'
import { type Acting, type ActorDeps, admit, readNearby, type ReaderDeps } from './read-account.ts'
import { isLive, mayConfirm } from './session-store.ts'

export type { Actor, SessionActor } from './actor.ts'
export type { Acting, ActorDeps, ReaderDeps } from './read-account.ts'

/** The account of the actor, and the answers of the other parts of the batch. */
type Acted<Named extends Parts> = { account: Acting } & Answers<Named>

/** How the writes of an action count: as a change, unless one of these is true. */
export interface ActionKind {
  /**
   * It only takes access away, so it does not count: a thief who uses up the changes of a user must
   * not keep the user from ending what the thief has. A write carries `mayEnd`, and writes nothing
   * when nothing ends, so what was made bounds it.
   */
  ends?: boolean
  /** It confirms the session, so it counts for this session alone. A write carries `mayConfirm`. */
  confirms?: boolean
}

/**
 * Acts for a user in one round trip: D1 checks the session or the app password and runs `parts` in
 * order, in one transaction. A write among them carries `isLive`, so it changes nothing when the
 * session or the app password has ended. All writes of users pass here, so here they are counted.
 *
 * @returns The account, and the answer of each part under its name.
 * @throws {Refusal} 401 when the account is gone or disabled, or the session or the app password
 *   has ended; 403 when the session lacks the second factor that its user must use, or the app
 *   password was made without one; `scopeNeeded` and `sessionNeeded` for an app password;
 *   `tooManyChanges` when a part writes.
 */
export function actAs<Named extends Parts>(
  deps: ActorDeps,
  actor: Actor,
  parts: Named,
  kind: ActionKind = {},
): Promise<Acted<Named>> {
  const as = hasWrites(parts) ? countedAs(actor, kind) : undefined
  return actWith(deps.db, deps, actor, parts, as)
}

function countedAs(actor: Actor, { ends = false, confirms = false }: ActionKind) {
  if (confirms && isSessionActor(actor)) return 'confirmation'
  return ends ? undefined : 'change'
}

/**
 * Works like `actAs`, for parts that only read. A replica may answer when it has everything that
 * the caller has seen. When the replica refuses or fails, the primary decides, because a replica
 * may not have the session yet.
 */
export function readAs<Named extends Parts>(
  deps: ReaderDeps,
  actor: Actor,
  parts: Named,
): Promise<Acted<Named>> {
  return readNearby(deps, actor, (db) => actWith(db, deps, actor, parts))
}

async function actWith<Named extends Parts>(
  db: Database,
  deps: ActorDeps,
  actor: Actor,
  parts: Named,
  as?: CountedAs,
): Promise<Acted<Named>> {
  const now = deps.now()
  const change = as && changeParts(db, authorityOf(db, actor, as, now), actor, as, now)
  const first = { found: selectActor(db, actor, now), ...change }
  const [{ found, spent = [] }, answers] = await runBatchAfter(db, first, parts)
  const account = admit(deps, actor, found[0], now)
  refuseTooManyChanges(spent, now)
  return { ...answers, account }
}

/** Returns the condition under which a request is counted. */
function authorityOf(db: Database, actor: Actor, as: CountedAs, now: number): Authority {
  return as === 'confirmation' && isSessionActor(actor)
    ? mayConfirm(db, actor, now)
    : isLive(db, actor, now)
}
