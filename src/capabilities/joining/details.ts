import { and, exists, sql } from 'drizzle-orm'
import { type Acting, type ActorDeps, readAs, type ReaderDeps } from '../../core/access/act-as.ts'
import type { Actor } from '../../core/access/actor.ts'
import { appPasswordDeletion, isAppPasswordOfUser } from '../../core/access/app-password-store.ts'
import { allSessions, endSessions } from '../../core/access/endings.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  isOperator,
  type Operator,
} from '../../core/access/operators.ts'
import { isAdmin } from '../../core/accounts/conditions.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { logDeletions } from '../../core/audit/deletions.ts'
import { logEvents } from '../../core/audit/change-events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Language } from '../../core/base/language.ts'
import { asAuthority } from '../../core/database/statements.ts'
import { mailSiteOf } from '../mail/mail-site.ts'
import {
  hasEnded,
  insertEventOfAddress,
  insertEventOfEnd,
  selectDetails,
  selectGuardedDetails,
  updateEnd,
} from './address-store.ts'
import { mailToOldAddress, updateEmail } from './email-store.ts'
import { withdrawLinksOf } from './link-store.ts'
import type { MailingDeps } from './invitations.ts'

/** What only the user and operators see of an account. */
export type Details = ReturnType<typeof selectDetails>['_']['result'][number]

/** @throws {Refusal} `notAdmin`, `userNotFound`. */
export async function getDetails(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<Details> {
  const { found } = await actAsOperator(deps, operator, { found: selectDetails(deps.db, userId) })
  const [details] = found
  if (details === undefined) throw new Refusal('userNotFound')
  return details
}

/** Reads the account of an actor, and what only the user and operators see of it. */
export async function readOwnDetails(
  deps: ReaderDeps,
  actor: Actor,
): Promise<{ account: Acting; details: Details }> {
  const { account, found } = await readAs(deps, actor, {
    found: selectDetails(deps.db, actor.userId),
  })
  const [details] = found
  if (details === undefined) throw new Refusal('tokenInvalidated')
  return { account, details }
}

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
  deps: ActorDeps & FreshnessDeps & MailingDeps,
  operator: Operator,
  userId: number,
  { email, endsAt }: DetailsChange,
  language: Language,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const before = await getDetails(deps, operator, userId)
  if (email && before.role === GUEST) throw new Refusal('guestHasNoAddress')
  const isEnd = endsAt !== undefined && endsAt !== null
  if (isEnd && before.role === ADMIN) throw new Refusal('adminHasNoEnd')
  if (isEnd && before.role === GUEST) throw new Refusal('guestHasNoEnd')
  if (isEnd && endsAt <= now)
    throw new Refusal('invalidBody', { field: 'ends_at', reason: { code: 'future', values: {} } })
  const isGiving = exists(selectGuardedDetails(db, userId, { email, endsAt }))
  const isProven = isFreshOperator(deps, operator, now)
  const by = asAuthority(
    sql`(${isProven} or (${isOperator(db, operator, now)} and not ${isGiving}))`,
  )
  const ofAddress = eventBy(operator, userId, 'email_changed', now)
  const ofEnd = eventBy(operator, userId, 'end_changed', now)
  const ofTokens = eventBy(operator, userId, 'token_deleted', now)
  const ended = hasEnded(db, userId, now)
  // A role that is given meanwhile has no end.
  const mayEnd = isEnd ? sql`not ${isAdmin}` : undefined
  const hasMail = mailSiteOf(deps) !== undefined
  const answers = await actAsOperatorAt(deps, operator, now, {
    guarded: selectGuardedDetails(db, userId, { email, endsAt }),
    ...(email !== undefined && {
      addressEvents: insertEventOfAddress(db, by, userId, email, ofAddress),
      told: hasMail ? mailToOldAddress(db, by, userId, email, language, now) : undefined,
      addressed: updateEmail(db, by, userId, email),
    }),
    ...(endsAt !== undefined && {
      ...appPasswordDeletion(db, by, and(isAppPasswordOfUser(userId), ended), ofTokens),
      ...endSessions(db, by, allSessions(userId), ended),
      withdrawn: withdrawLinksOf(db, by, userId, ended),
      endEvents: insertEventOfEnd(db, by, userId, endsAt, ofEnd, mayEnd),
      moved: updateEnd(db, by, userId, endsAt, mayEnd),
    }),
  })
  if (!answers.isFresh && answers.guarded.length > 0) throw new Refusal('confirmationNeeded')
  if (answers.moved?.length === 0) throw new Refusal('adminHasNoEnd')
  logEvents(ofAddress, answers.addressEvents ?? [])
  logEvents(ofEnd, answers.endEvents ?? [])
  logDeletions(ofTokens, answers.deleted)
}
