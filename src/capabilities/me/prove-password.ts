import { eventOf, insertEvent, logEvent } from '../../core/audit/events.ts'
import { THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { staticDigest, verifyPassword } from '../../core/passwords/passwords.ts'
import { selectBlocks } from '../../core/throttle/blocks.ts'
import { chargeUnspent, payBack } from '../../core/throttle/charges.ts'
import { oldPasswordCounter } from '../../core/throttle/counters.ts'
import { noteStop } from '../../core/throttle/stops.ts'
import { tooManyAttempts } from '../../core/throttle/requests.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { type Acting, confirmAs, type SessionActor } from '../../core/access/act-as.ts'
import type { ChangeDeps } from '../../core/access/subject.ts'
import { mayConfirm } from '../../core/access/session-store.ts'
import { selectPasswordHash } from './profile-store.ts'

export type ProofDeps = ChangeDeps & Pick<Deps, 'hashPassword' | 'randomBytes'>

/**
 * Checks the password of a signed-in user. It costs one hash, or none when the user is throttled.
 * Earlier failures stay counted until the caller deletes them with `clearCounter`.
 *
 * @param wrong The refusal of a wrong password.
 * @returns The account of the user.
 * @throws {Refusal} `wrong`; `tooManyAttempts` after too many wrong passwords.
 */
export async function provePassword(
  deps: ProofDeps,
  actor: SessionActor,
  password: string,
  wrong: 'wrongOldPassword' | 'wrongPassword',
): Promise<Acting> {
  const { db } = deps
  const now = deps.now()
  const counter = oldPasswordCounter(actor)
  const refused = eventOf(actor, 'proof_refused', now, 'password')
  const { account, blocks, charged, stored } = await confirmAs(deps, actor, {
    blocks: selectBlocks(db, [counter], now),
    charged: chargeUnspent(db, mayConfirm(db, actor, now), [counter], now),
    noted: noteStop(db, mayConfirm(db, actor, now), counter, actor.userId, now),
    stored: selectPasswordHash(db, actor.userId),
  })
  if (charged.length === 0) {
    logEvent({ ...refused, detail: 'too many passwords' })
    throw tooManyAttempts(blocks, now)
  }
  const digest = await staticDigest(password)
  const passwordHash = stored[0]?.passwordHash ?? null
  const { matches } = await verifyPassword(deps, digest, passwordHash).catch((error: unknown) => {
    // An outage does not count as a failure of the user.
    deps.defer(payBack(db, THE_SERVICE, [counter]).catch(() => undefined))
    throw error
  })
  if (matches) return account
  await insertEvent(db, THE_SERVICE, refused)
  logEvent(refused)
  throw new Refusal(wrong)
}
