import * as v from 'valibot'
import { APP_PASSWORD_SCOPES, scopesText } from '../../core/access/scopes.ts'
import { hasAppPasswordForm } from '../../core/access/app-password-form.ts'
import { nameText } from '../../core/base/text.ts'
import { parseTime } from '../../core/base/time.ts'
import { reason } from '../../core/base/reasons.ts'

const MAX_NAME_CHARACTERS = 100

/** The name by which a user tells app passwords apart. It stands in events, so it is no secret. */
export const appPasswordNameSchema = v.pipe(
  nameText(MAX_NAME_CHARACTERS),
  v.check((name) => !hasAppPasswordForm(name), reason('nameIsAppPassword')),
)

export const scopeSchema = v.picklist(
  APP_PASSWORD_SCOPES,
  `must be one of ${APP_PASSWORD_SCOPES.join(', ')}`,
)

/** At least one scope. The result is sorted, without repetitions. */
const scopesSchema = v.pipe(
  v.array(scopeSchema),
  v.minLength(1, 'must name at least one scope'),
  v.transform((scopes) => scopesText(scopes)),
)

/** Unix time, milliseconds; null for never. A missing time is the default. */
const expirySchema = v.nullish(
  v.pipe(
    v.string(),
    v.check(
      (time) => parseTime(time) !== undefined,
      'must be a time such as 2027-11-21T09:15:00Z, or null for never',
    ),
    v.transform((time) => parseTime(time) ?? null),
  ),
)

export const newAppPasswordSchema = v.object({
  name: appPasswordNameSchema,
  scopes: scopesSchema,
  expires_at: expirySchema,
})
