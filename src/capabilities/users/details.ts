import { and, exists, sql } from 'drizzle-orm'
import * as v from 'valibot'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import { appPasswordDeletion, isAppPasswordOfUser } from '../../core/access/app-password-store.ts'
import { allSessions, endSessions, withdrawLinksOf } from '../../core/access/endings.ts'
import type { Operator } from '../../core/access/operators.ts'
import {
  authorityOf,
  change,
  type ChangeDeps,
  of,
  read,
  type Subject,
} from '../../core/access/subject.ts'
import { isAdmin } from '../../core/accounts/conditions.ts'
import { emailSchema, timeSchema, userIdSchema } from '../../core/accounts/fields.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Language } from '../../core/base/language.ts'
import { asAuthority } from '../../core/database/statements.ts'
import { type MailSiteDeps, mailSiteOf } from '../mail/mail-site.ts'
import {
  hasEnded,
  insertEventOfAddress,
  insertEventOfEnd,
  selectDetails,
  selectGuardedDetails,
  updateEnd,
} from './details-store.ts'
import { mailToOldAddress, updateEmail } from './email-store.ts'

/** The fields of an account that only the user and operators see. */
export type Details = ReturnType<typeof selectDetails>['_']['result'][number]

/**
 * Reads an account, and what only its user and operators see of it.
 *
 * @throws {Refusal} The refusals of `read`.
 */
export async function readDetails<S extends Subject>(deps: ReaderDeps, subject: S) {
  const { account, found } = await read(deps, subject, {
    found: selectDetails(deps.db, subject.userId),
  })
  const [details] = found
  if (details === undefined) throw new Refusal('tokenInvalidated')
  return { account, details }
}

/** The fields of a change. A missing field stays unchanged. */
export const detailsSchema = v.object({
  id: userIdSchema,
  email: v.optional(emailSchema),
  ends_at: v.optional(v.nullable(timeSchema)),
})

/** The change that an operator requests. A missing field stays unchanged. */
export interface DetailsChange {
  /** Empty removes it. An operator can't declare it verified. */
  email?: string | undefined
  /** Unix time, milliseconds; null removes the end. */
  endsAt?: number | null | undefined
}

/**
 * Changes the address and the end of an account. An account that had ended gets a new end without
 * the sessions, app passwords, programs and links that it had: they are deleted first.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded` for what gives access (`DETAIL_FIELDS`),
 *   `userNotFound`, `adminHasNoEnd`, `guestHasNoEnd`, `guestHasNoAddress`, `invalidBody`.
 */
export async function changeDetails(
  deps: ChangeDeps & ReaderDeps & MailSiteDeps,
  operator: Operator,
  userId: number,
  { email, endsAt }: DetailsChange,
  language: Language,
): Promise<void> {
  const { db } = deps
  const subject = of(operator, userId)
  const { details: before } = await readDetails(deps, subject)
  if (email === undefined && endsAt === undefined) return
  if (email && before.role === GUEST) throw new Refusal('guestHasNoAddress')
  const isEnd = endsAt !== undefined && endsAt !== null
  if (isEnd && before.role === ADMIN) throw new Refusal('adminHasNoEnd')
  if (isEnd && before.role === GUEST) throw new Refusal('guestHasNoEnd')
  if (isEnd && endsAt <= deps.now())
    throw new Refusal('invalidBody', { field: 'ends_at', reason: { code: 'future', values: {} } })
  const hasMail = mailSiteOf(deps) !== undefined
  // A role that is given meanwhile has no end.
  const mayEnd = isEnd ? sql`not ${isAdmin}` : undefined
  const { moved } = await change(
    deps,
    subject,
    { kind: 'email_changed' },
    ({ now, by: live, event }) => {
      const guarded = selectGuardedDetails(db, userId, { email, endsAt })
      const isProven = authorityOf(deps, subject, { fresh: true }, now)
      const by = asAuthority(sql`(${isProven} or (${live} and not ${exists(guarded)}))`)
      const ended = hasEnded(db, userId, now)
      const ofTokens = { ...event, kind: 'token_deleted' } as const
      const ofEnd = { ...event, kind: 'end_changed' } as const
      return {
        guarded,
        ...(email !== undefined && {
          addressEvents: insertEventOfAddress(db, by, userId, email, event),
          mailed: hasMail ? mailToOldAddress(db, by, userId, email, language, event) : undefined,
          addressed: updateEmail(db, by, userId, email),
        }),
        ...(endsAt !== undefined && {
          ...appPasswordDeletion(db, by, and(isAppPasswordOfUser(userId), ended), ofTokens),
          ...endSessions(db, by, allSessions(userId), ended),
          withdrawn: withdrawLinksOf(db, by, userId, ended),
          endEvents: insertEventOfEnd(db, by, userId, endsAt, ofEnd, mayEnd),
          moved: updateEnd(db, by, userId, endsAt, mayEnd),
        }),
      }
    },
  )
  if (moved?.length === 0) throw new Refusal('adminHasNoEnd')
}
