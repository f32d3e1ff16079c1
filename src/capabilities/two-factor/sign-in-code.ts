import { not, sql } from 'drizzle-orm'
import { type AuditEvent, insertEvent } from '../../core/audit/events.ts'
import { asAuthority, type Authority, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { areOpen, selectBlocks } from '../../core/throttle/blocks.ts'
import { chargeUnspent, clearCounter } from '../../core/throttle/charges.ts'
import { codeCounter } from '../../core/throttle/counters.ts'
import { noteStop } from '../../core/throttle/stops.ts'
import { resealSeed } from './sealed.ts'
import { type Enrolled, readSecondFactor } from './second-factor.ts'
import { consumeSecondFactor, isUsedFor, replaceSeed } from './store.ts'

/** The code of a sign-in. */
interface SignInCode {
  code: string
  /** The id of the session that begins with the code. */
  sessionId: string
  /** The event of the sign-in. */
  event: AuditEvent
}

/**
 * Reads the code of a sign-in and makes the statements that use it up. In the batch they have the
 * order of the properties, and the session is inserted before `resealed`.
 *
 * @param isUnchanged Holds while the user's row is still the checked one.
 */
export async function prepareSignInCode(
  deps: Pick<Deps, 'db' | 'keyRing' | 'randomBytes'>,
  isUnchanged: Authority,
  user: Enrolled,
  { code, sessionId, event }: SignInCode,
) {
  const { db } = deps
  const ring = await deps.keyRing()
  const now = event.at
  const factor = await readSecondFactor(ring, user, code, now)
  const resealed =
    factor.kind === 'time step' ? await resealSeed(deps, ring, user.totpSeed, user.id) : undefined
  const counter = codeCounter(user.id)
  const by = asAuthority(sql`(${isUnchanged} and ${isUsedFor(db, user, factor, sessionId)})`)
  const isOpen = areOpen([counter], now)
  const usedEvent: AuditEvent | undefined =
    factor.kind === 'recovery code' ? { ...event, kind: 'recovery_code_used' } : undefined
  return {
    /**
     * The authority of the session. It holds when the row is unchanged and the code was used up for
     * this session.
     */
    by,
    /** The kind of the code. */
    method: factor.kind === 'recovery code' ? ('recovery' as const) : ('otp' as const),
    /** The event to log after the sign-in. */
    usedEvent,
    blocks: selectBlocks(db, [counter], now),
    consumed: consumeSecondFactor(db, isUnchanged, user, factor, isOpen, sessionId),
    // Runs in the same transaction, so that each of several concurrent codes sees the charges before it.
    charged: chargeUnspent(db, THE_SERVICE, [counter], now, not(by)),
    noted: noteStop(db, THE_SERVICE, counter, user.id, now),
    cleared: clearCounter(db, by, counter),
    usedEventInsert: usedEvent && insertEvent(db, by, usedEvent),
    // Stands last in the batch, because it changes the checked row.
    resealed: resealed === undefined ? undefined : replaceSeed(db, by, user, resealed),
  }
}
