import type { Method } from '../../../core/access/sign-in-methods.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import type { Fields } from '../../../web/kit/form.ts'
import { hasAnswer } from '../../../web/kit/passkey-button.tsx'
import { readAssertion } from '../../passkeys/pages/passkey.ts'
import { confirmSession, proveAgain } from '../confirm.ts'

/**
 * Makes the session fresh with the password, the code or the passkey of a form. The form contains
 * none while the session is fresh. The next decision checks whether the session is fresh.
 *
 * @throws {Refusal} The refusals of `confirmSession`.
 */
export async function confirmWithForm(c: AppContext, fields: Fields): Promise<void> {
  const { confirm_password: password = '', confirm_code: code = '' } = fields
  // When both are present, only the password is checked: a right code must not hide a wrong password.
  if (password !== '') return confirmSession(c.get('deps'), sessionOf(c), { password })
  if (code !== '') return confirmSession(c.get('deps'), sessionOf(c), { code })
  if (!hasAnswer(fields)) return
  const passkey = readAssertion(c, fields, 'wrongConfirmationPasskey')
  return confirmSession(c.get('deps'), sessionOf(c), { passkey })
}

/**
 * Proves as much as a sign-in does, with a form in which `ConfirmFields` asks for everything.
 *
 * @returns What was shown.
 * @throws {Refusal} `confirmationNeeded` for an empty form, and the refusals of `proveAgain`.
 */
export async function proveAgainWithForm(c: AppContext, fields: Fields): Promise<Method[]> {
  const { confirm_password: password = '', confirm_code: code = '' } = fields
  const [deps, session] = [c.get('deps'), sessionOf(c)]
  if (password !== '') return proveAgain(deps, session, { password, code })
  if (!hasAnswer(fields)) throw new Refusal('confirmationNeeded')
  const passkey = readAssertion(c, fields, 'wrongConfirmationPasskey')
  return proveAgain(deps, session, { passkey })
}
