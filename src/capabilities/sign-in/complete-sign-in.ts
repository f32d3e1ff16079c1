import { and, type SQL, sql } from 'drizzle-orm'
import { type AuditEvent, insertEvent, recordEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { logEvictions } from './evictions.ts'
import { tooManyAttempts } from '../../core/throttle/gate.ts'
import {
  asAuthority,
  type Authority,
  type Parts,
  runBatch,
  THE_SERVICE,
} from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Method } from '../../core/access/sign-in-methods.ts'
import { signInDetail } from '../../core/audit/sign-in-detail.ts'
import { needsCode } from '../two-factor/needs-code.ts'
import { prepareSignInCode } from '../two-factor/sign-in-code.ts'
import type { NewSession } from '../../core/access/token.ts'
import { newSession, signSession } from './new-session.ts'
import { evictSessions, selectLacksRoom, withRoom } from './session-limit.ts'
import { type CheckedUser, insertSession, isUnchanged, replacePasswordHash } from './store.ts'
import type { RefusedSignIn } from '../../core/throttle/refused.ts'
import { payBack, payBackSignIn } from '../../core/throttle/charges.ts'
import type { SignInCounters } from '../../core/throttle/counters.ts'

/** An attempt of a user who has shown everything but the code. */
export interface CheckedAttempt {
  user: CheckedUser
  /** The methods that the user has shown. */
  methods: readonly Method[]
  /** The credential (`access/begun-with.ts`). */
  begunWith: string
  /** The identity provider that has named the user; the event names it. */
  provider?: string
  /** When that provider asked its user to sign in (seconds since 1970), if it tells. */
  authTimeSeconds?: number | undefined
  /** A further condition, such as the link to the provider's account. */
  isStill?: SQL
  /** Further writes together with the session, under the same condition. */
  also?: (by: Authority) => Parts
  /** The counters that the attempt was charged to; `undefined` when nothing could be guessed. */
  signIn?: SignInCounters
  /** A better hash of the same password, when the stored hash must be replaced. */
  rehash?: { stored: string; replacement: string } | undefined
  /** Unix time, milliseconds. */
  now: number
}

/**
 * Completes a sign-in in one transaction. The session is written only when the account is still
 * unchanged since the check and the code, if the user has a second factor, was used up for this
 * session. Without a session there is no token.
 *
 * @returns The token.
 * @throws {Refusal} `wrongCredentials` when the account has changed since the check; `wrongCode`;
 *   `tooManyAttempts` after too many wrong codes, for the right code as well; `tooManySessions`.
 */
export async function completeSignIn(
  deps: Deps,
  checked: CheckedAttempt,
  code: string,
  client: Client,
  tokenSeconds: number,
): Promise<string> {
  const { db } = deps
  const { user, rehash, now, provider } = checked
  const ring = await deps.keyRing()
  const session = newSession(deps, user.id, now, tokenSeconds)
  const { sessionId } = session
  const about: AuditEvent = { ...client, at: now, kind: 'sign_in', userId: user.id }
  const isStill = asAuthority(sql`(${and(isUnchanged(db, user, now), checked.isStill)})`)
  // The operator trusts the provider's word for a second factor.
  const isTrusted = checked.methods.includes('mfa')
  const use =
    needsCode(user) && !isTrusted
      ? await prepareSignInCode(deps, isStill, user, { code, sessionId, event: about })
      : undefined
  const methods = use === undefined ? checked.methods : [...checked.methods, use.method]
  const event = { ...about, detail: signInDetail({ provider, methods }) }
  const by = use?.by ?? isStill
  const { blocks, lacking, inserted, evicted } = await runBatch(db, {
    blocks: use?.blocks,
    consumed: use?.consumed,
    charged: use?.charged,
    noted: use?.noted,
    cleared: use?.cleared,
    usedEvent: use?.usedEventInsert,
    ...partsOfSession(db, by, { ...checked, methods }, session, event),
    // The password was right, so the hash is replaced even when no session begins.
    rehashed: rehash && replacePasswordHash(db, THE_SERVICE, user.id, rehash),
    resealed: use?.resealed,
  })
  if (inserted.length === 0) {
    if (lacking.length > 0) throw new Refusal('tooManySessions')
    // Without a code, the session is missing only when the account changed after the check.
    if (blocks === undefined) throw new Refusal('wrongCredentials')
    throw await refuseCode(deps, checked, blocks, event)
  }
  if (use?.usedEvent) logEvent(use.usedEvent)
  logEvent(event)
  logEvictions(about, evicted)
  return signSession(deps, ring, session)
}

/**
 * Returns the statements that begin a session, where the account is as it was checked and may have
 * another one.
 *
 * @param event The sign-in.
 */
export function partsOfSession(
  db: Database,
  by: Authority,
  { user, signIn, methods, begunWith, authTimeSeconds, also, now }: CheckedAttempt,
  session: NewSession,
  event: AuditEvent,
) {
  const mayBegin = withRoom(by, user.id, now)
  return {
    paidBack: signIn && payBackSignIn(db, by, signIn),
    lacking: selectLacksRoom(db, by, user.id, now),
    event: insertEvent(db, mayBegin, event),
    ...also?.(mayBegin),
    inserted: insertSession(db, mayBegin, session, event, methods, begunWith, authTimeSeconds),
    ...evictSessions(db, session, event, now),
  }
}

/** Records a sign-in with a wrong code, or with any code while codes are blocked. */
async function refuseCode(
  { db }: Pick<Deps, 'db'>,
  { signIn, now }: CheckedAttempt,
  blocks: { expiresAt: number }[],
  event: AuditEvent,
): Promise<Refusal> {
  const refused: RefusedSignIn = { ...event, kind: 'sign_in_refused', detail: 'code' }
  if (blocks.length > 0) {
    logEvent({ ...refused, detail: 'too many codes' })
    if (signIn !== undefined) await payBack(db, THE_SERVICE, signIn.counters)
    return tooManyAttempts(blocks, now)
  }
  await recordEvent(db, refused)
  return new Refusal('wrongCode')
}
