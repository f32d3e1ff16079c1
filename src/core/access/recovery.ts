import { and, exists, gt, type SQL, sql } from 'drizzle-orm'
import { recoveryCodes, sessions } from '../../../schema/tables.ts'
import { asAuthority, type Authority } from '../database/statements.ts'
import type { Database, Deps } from '../deps.ts'
import type { ReaderDeps } from './act-as.ts'
import { own, read } from './subject.ts'
import type { SessionActor } from './actor.ts'
import type { FreshnessDeps } from './is-fresh.ts'
import { isSession, selectFreshActor } from './session-store.ts'
import type { Method } from './sign-in-methods.ts'
import { literal } from '../database/literal.ts'

/** A user need not show a second recovery code for so long after a sign-in with one. */
const RECOVERED_MILLISECONDS = 10 * 60 * 1000

/**
 * Holds for a row of `sessions` that was begun with a recovery code a moment ago, and in which no
 * code of an authenticator app was shown. A code that confirmed the session does not count: only
 * the codes of sign-ins stay in the table, with the session that began with them.
 */
function isRecovered(now: number): SQL | undefined {
  const { id, userId, amr, createdAt } = sessions
  const { userId: owner, usedBy } = recoveryCodes
  return and(
    gt(createdAt, now - RECOVERED_MILLISECONDS),
    sql`instr(${amr}, ${literal('otp' satisfies Method)}) = 0`,
    sql`exists (select 1 from ${recoveryCodes} where ${owner} = ${userId} and ${usedBy} = ${id})`,
  )
}

/** Works like `isFresh`, for a session that a recovery code has just begun. */
export function isFreshAfterRecovery(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  actor: SessionActor,
  now: number,
): Authority {
  return asAuthority(exists(selectFreshActor(deps, actor, now, isRecovered(now))))
}

/** Reads the account of an actor, and whether a recovery code has just begun the session. */
export async function readRecovery(deps: ReaderDeps, actor: SessionActor) {
  const { account, recovered } = await read(deps, own(actor), {
    recovered: selectRecovered(deps.db, actor, deps.now()),
  })
  return { account, isRecovered: recovered.length > 0 }
}

/** Selects the session if a recovery code has just begun it. */
export function selectRecovered(db: Database, { userId, sessionId }: SessionActor, now: number) {
  return db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(isSession(userId, sessionId), isRecovered(now)))
}
