import * as v from 'valibot'
import { text } from '../../../core/base/text.ts'
import { validate } from '../../../web/http/input.ts'
import { type Fields, refuseOtherRepeat } from '../../../web/kit/form.ts'

const passwordSchema = v.object({ old_password: text(), password: text() })

/** Reads the fields of a new password. @throws {Refusal} `invalidBody`, `passwordsDiffer`. */
export function parsePassword(fields: Fields) {
  const passwords = validate(passwordSchema, fields)
  refuseOtherRepeat(fields)
  return passwords
}
