import type { Deps } from '../../core/deps.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { clearCounter } from '../../core/throttle/charges.ts'
import { oldPasswordCounter } from '../../core/throttle/counters.ts'
import type { SessionActor } from '../../core/access/act-as.ts'
import { act, own } from '../../core/access/subject.ts'
import { type Method } from '../../core/access/sign-in-methods.ts'
import { toConfirm } from '../../core/access/leniency.ts'
import { selectMustUsePasskey } from '../../core/accounts/store.ts'
import { confirmLiveSession, confirmSessionWhen } from '../../core/access/session-store.ts'
import type { ShownPasskey } from '../passkeys/shown-passkey.ts'
import { confirmWithPasskey } from '../passkeys/confirm.ts'
import { useUpCode } from '../two-factor/manage.ts'
import { type ProofDeps, provePassword } from './prove-password.ts'

/** The password, the code or the passkey with which a user confirms a session. */
export type Confirmation = { password: string } | { code: string } | { passkey: ShownPasskey }

/**
 * Makes the session fresh with a password, a passkey, or a code, which is then used up
 * (docs/interface.md, Fresh sessions). The session then counts as begun with the code or the
 * passkey, also where a second factor is required.
 *
 * @throws {Refusal} `wrongPassword`, `wrongConfirmationCode`, `wrongConfirmationPasskey`,
 *   `twoFactorOff`, `tooManyAttempts`.
 */
export async function confirmSession(
  deps: ProofDeps & Pick<Deps, 'keyRing'>,
  session: SessionActor,
  shown: Confirmation,
): Promise<void> {
  const { db } = deps
  const actor = toConfirm(session)
  if ('passkey' in shown) {
    await confirmWithPasskey(deps, actor, shown.passkey)
    return
  }
  if ('code' in shown) {
    const method = await useUpCode(deps, actor, shown.code)
    await act(deps, own(actor), { confirms: true }, ({ now }) => ({
      confirmed: confirmLiveSession(db, actor, method, now),
    }))
    return
  }
  await provePassword(deps, actor, shown.password, 'wrongPassword')
  await act(deps, own(actor), { confirms: true }, ({ now, by }) => ({
    confirmed: confirmLiveSession(db, actor, 'pwd', now),
    cleared: clearCounter(db, by, oldPasswordCounter(actor)),
  }))
}

/**
 * Proves as much as a sign-in of this site does: a passkey, or the password, and the code of a user
 * who has two-step verification. A password that is not enough for a sign-in is not enough here. It
 * makes the session fresh as well.
 *
 * @returns What was shown.
 * @throws {Refusal} The refusals of `confirmSession`; `secondFactorUnused`.
 */
export async function proveAgain(
  deps: ProofDeps & Pick<Deps, 'keyRing'>,
  session: SessionActor,
  shown: { password: string; code: string } | { passkey: ShownPasskey },
): Promise<Method[]> {
  const { db } = deps
  const actor = toConfirm(session)
  if ('passkey' in shown) return confirmWithPasskey(deps, actor, shown.passkey)
  const { password, code } = shown
  const { hasTwoFactor } = await provePassword(deps, actor, password, 'wrongPassword')
  if (hasTwoFactor && code === '') throw new Refusal('wrongConfirmationCode')
  const methods: Method[] = hasTwoFactor ? ['pwd', await useUpCode(deps, actor, code)] : ['pwd']
  const { mustUsePasskey } = await act(deps, own(actor), { confirms: true }, ({ now, by }) => ({
    mustUsePasskey: selectMustUsePasskey(db, actor.userId),
    confirmed: confirmSessionWhen(db, by, actor, methods, now),
    cleared: clearCounter(db, by, oldPasswordCounter(actor)),
  }))
  if (mustUsePasskey.length > 0) throw new Refusal('secondFactorUnused')
  return methods
}
