import * as v from 'valibot'
import { parseEmail } from '../base/email.ts'
import { possiblyEmptyText } from '../base/text.ts'
import { reason } from '../base/reasons.ts'

/** An address, or an empty text for none. */
export const emailSchema = v.pipe(
  possiblyEmptyText(),
  v.check((text) => text.trim() === '' || parseEmail(text) !== undefined, reason('email')),
  v.transform((text) => parseEmail(text) ?? ''),
)
