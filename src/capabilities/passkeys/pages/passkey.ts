import { Refusal, type RefusalName } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { validateJson } from '../../../web/http/input.ts'
import { assertionSchema } from '../answer-schemas.ts'
import { shownIn } from '../http/relying-party.ts'
import type { Fields } from '../../../web/kit/form.ts'

/**
 * Reads the answer of a passkey to a sign-in or a confirmation.
 *
 * @param refusal The answer to one that cannot be read.
 */
export function readAssertion(c: AppContext, fields: Fields, refusal: RefusalName) {
  const { passkey_answer: json = '', passkey_session: session = '' } = fields
  try {
    return shownIn(c, validateJson(assertionSchema, json), session)
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusal !== 'invalidBody') throw error
    throw new Refusal(refusal, { detail: error.message })
  }
}
