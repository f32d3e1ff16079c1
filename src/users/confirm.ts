import type { Deps } from '../deps.ts'
import { clearCounter, oldPasswordCounter } from '../throttle/throttle.ts'
import { actAs, type Actor } from '../access/act-as.ts'
import { confirmLiveSession, isLive } from '../access/session-store.ts'
import { useUpCode } from '../two-factor/manage.ts'
import { type ProofDeps, provePassword } from './prove-password.ts'

/** The password or the code by which a user confirms a session. */
export type Confirmation = { password: string } | { code: string }

/**
 * Makes the session fresh for a password, or for a code, which is then used up (docs/interface.md,
 * Fresh sessions).
 *
 * @throws {Refusal} `wrongPassword`, `wrongConfirmationCode`, `twoFactorOff`, `tooManyAttempts`.
 */
export async function confirmSession(
  deps: ProofDeps & Pick<Deps, 'keyRing'>,
  actor: Actor,
  shown: Confirmation,
): Promise<void> {
  const { db } = deps
  if ('code' in shown) {
    await useUpCode(deps, actor, shown.code)
    await actAs(deps, actor, { confirmed: confirmLiveSession(db, actor, deps.now()) })
    return
  }
  await provePassword(deps, actor, shown.password, 'wrongPassword')
  const now = deps.now()
  await actAs(deps, actor, {
    confirmed: confirmLiveSession(db, actor, now),
    cleared: clearCounter(db, isLive(db, actor, now), oldPasswordCounter(actor.userId)),
  })
}
