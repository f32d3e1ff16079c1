import * as v from 'valibot'
import { Refusal } from '../../../core/base/refusals.ts'
import { possiblyEmptyText, text } from '../../../core/base/text.ts'
import { validate } from '../../../web/http/input.ts'
import type { Fields } from '../../../web/kit/form.ts'

const passwordSchema = v.object({
  old_password: text(),
  password: text(),
  repeat: v.optional(possiblyEmptyText()),
})

/** Reads the fields of a new password. @throws {Refusal} `invalidBody`, `passwordsDiffer`. */
export function parsePassword(fields: Fields) {
  const { repeat, ...passwords } = validate(passwordSchema, fields)
  if (repeat !== undefined && passwords.password !== repeat) throw new Refusal('passwordsDiffer')
  return passwords
}
