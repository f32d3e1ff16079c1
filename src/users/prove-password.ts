import { eventOf, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import { staticDigest, verifyPassword } from '../passwords/passwords.ts'
import {
  chargeProof,
  confirmFailure,
  oldPasswordCounter,
  payBack,
  selectProofBlocks,
  tooManyAttempts,
} from '../throttle/throttle.ts'
import { Refusal } from '../base/refusals.ts'
import { actAs, type Actor, type ActorDeps } from '../access/act-as.ts'
import { isLive } from '../access/session-store.ts'
import { selectPasswordHash } from './profile-store.ts'

export type ProofDeps = ActorDeps & Pick<Deps, 'hashPassword' | 'randomBytes'>

/**
 * Checks the password of a signed-in user, at the price of one hash; a session that is throttled
 * pays none. The failures before stay counted: who calls it forgets them with `clearCounter`.
 *
 * @param wrong What a wrong password is refused as.
 * @throws {Refusal} `wrong`; `tooManyAttempts` after too many wrong ones.
 */
export async function provePassword(
  deps: ProofDeps,
  actor: Actor,
  password: string,
  wrong: 'wrongOldPassword' | 'wrongPassword',
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const counter = oldPasswordCounter(actor.userId)
  const refused = eventOf(actor, 'proof_refused', now, 'password')
  const [, blocks, charged, [stored]] = await actAs(
    deps,
    actor,
    selectProofBlocks(db, counter, now),
    chargeProof(db, counter, now, isLive(db, actor, now)),
    selectPasswordHash(db, actor.userId),
  )
  if (charged.length === 0) {
    logEvent({ ...refused, detail: 'too many passwords' })
    throw tooManyAttempts(blocks, now)
  }
  const digest = await staticDigest(password)
  const { matches } = await verifyPassword(deps, digest, stored?.passwordHash ?? null).catch(
    (error: unknown) => {
      // An outage is nobody's failure.
      deps.defer(payBack(db, [counter]).catch(() => undefined))
      throw error
    },
  )
  if (matches) return
  await db.batch([insertEvent(db, refused), confirmFailure(db, [counter], now)])
  logEvent(refused)
  throw new Refusal(wrong)
}
