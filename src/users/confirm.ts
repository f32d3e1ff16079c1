import type { Deps } from '../deps.ts'
import { clearCounter, oldPasswordCounter } from '../throttle/throttle.ts'
import { actAs, type Actor } from '../access/act-as.ts'
import { confirmLiveSession } from '../access/session-store.ts'
import { useUpCode } from '../two-factor/manage.ts'
import { type ProofDeps, provePassword } from './prove-password.ts'

/** What a user shows to be there. */
export type Confirmation = { password: string } | { code: string }

/**
 * Makes the session fresh for a password, or for a code that is used up by it (contract section 7).
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
    await actAs(deps, actor, confirmLiveSession(db, actor, deps.now()))
    return
  }
  await provePassword(deps, actor, shown.password, 'wrongPassword')
  await actAs(
    deps,
    actor,
    confirmLiveSession(db, actor, deps.now()),
    clearCounter(db, oldPasswordCounter(actor.userId)),
  )
}
