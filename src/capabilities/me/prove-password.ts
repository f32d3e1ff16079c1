import { eventOf, recordEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { tooManyAttempts } from '../../core/throttle/gate.ts'
import { THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { staticDigest, verifyPassword } from '../../core/passwords/passwords.ts'
import { selectBlocks } from '../../core/throttle/blocks.ts'
import { chargeUnspent, payBack } from '../../core/throttle/charges.ts'
import { oldPasswordCounter } from '../../core/throttle/counters.ts'
import { noteStop } from '../../core/throttle/stops.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Acting, SessionActor } from '../../core/access/act-as.ts'
import { act, type ChangeDeps, own } from '../../core/access/subject.ts'
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
  const counter = oldPasswordCounter(actor)
  const done = await act(deps, own(actor), { confirms: true }, ({ now, by }) => ({
    blocks: selectBlocks(db, [counter], now),
    charged: chargeUnspent(db, by, [counter], now),
    noted: noteStop(db, by, counter, actor.userId, now),
    stored: selectPasswordHash(db, actor.userId),
  }))
  const { account, now, blocks, charged, stored } = done
  const refused = eventOf(actor, 'proof_refused', now, 'password')
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
  await recordEvent(db, refused)
  throw new Refusal(wrong)
}
