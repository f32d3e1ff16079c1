import { and, exists, lte, sql, eq } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import { type Acting, type ActorDeps, readAs, type ReaderDeps } from '../access/act-as.ts'
import type { Actor } from '../access/actor.ts'
import { appPasswordDeletion, isAppPasswordOfUser } from '../access/app-password-store.ts'
import { allSessions, endSessions } from '../access/endings.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  type Operator,
} from '../access/operators.ts'
import { isAdmin } from '../accounts/conditions.ts'
import { ADMIN, GUEST } from '../accounts/roles.ts'
import { logDeletions } from '../audit/deletions.ts'
import { logEvents } from '../audit/change-events.ts'
import { Refusal } from '../base/refusals.ts'
import type { Language } from '../base/language.ts'
import { mailSiteOf } from '../mail/mail-site.ts'
import {
  insertEventOfAddress,
  insertEventOfEnd,
  selectDetails,
  updateAddress,
  updateEnd,
} from './address-store.ts'
import { mailToOldAddress } from './email-store.ts'
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
  email?: string
  /** Unix time, milliseconds; null removes the end. */
  endsAt?: number | null
}

/**
 * Changes the address and the end of an account. An account that had ended gets a new end without
 * the sessions, app passwords, programs and links that it had: they are deleted first.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound`, `adminHasNoEnd`,
 *   `guestHasNoEnd`, `invalidBody`.
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
  const isEnd = endsAt !== undefined && endsAt !== null
  if (isEnd && before.role === ADMIN) throw new Refusal('adminHasNoEnd')
  if (isEnd && before.role === GUEST) throw new Refusal('guestHasNoEnd')
  if (isEnd && endsAt <= now)
    throw new Refusal('invalidBody', { field: 'ends_at', reason: { code: 'future', values: {} } })
  const by = isFreshOperator(deps, operator, now)
  const ofAddress = eventBy(operator, userId, 'email_changed', now)
  const ofEnd = eventBy(operator, userId, 'end_changed', now)
  const hasEnded = exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), lte(users.endsAt, now))),
  )
  const ofTokens = eventBy(operator, userId, 'token_deleted', now)
  // A role that is given meanwhile has no end.
  const mayEnd = isEnd ? sql`not ${isAdmin}` : undefined
  const revival =
    endsAt === undefined
      ? undefined
      : {
          ...appPasswordDeletion(db, by, and(isAppPasswordOfUser(userId), hasEnded), ofTokens),
          ...endSessions(db, by, allSessions(userId), hasEnded),
          withdrawn: withdrawLinksOf(db, by, userId, hasEnded),
        }
  const answers = await actAsOperatorAt(deps, operator, now, {
    addressEvents:
      email === undefined ? undefined : insertEventOfAddress(db, by, userId, email, ofAddress),
    told:
      email === undefined || mailSiteOf(deps) === undefined
        ? undefined
        : mailToOldAddress(db, by, userId, email, language, now),
    addressed: email === undefined ? undefined : updateAddress(db, by, userId, email),
    deletionEvents: revival?.deletionEvents,
    deleted: revival?.deleted,
    endedGrants: revival?.endedGrants,
    ended: revival?.ended,
    withdrawn: revival?.withdrawn,
    endEvents:
      endsAt === undefined ? undefined : insertEventOfEnd(db, by, userId, endsAt, ofEnd, mayEnd),
    moved: endsAt === undefined ? undefined : updateEnd(db, by, userId, endsAt, mayEnd),
  })
  if (!answers.isFresh) throw new Refusal('confirmationNeeded')
  if (answers.addressed?.length === 0) throw new Refusal('userNotFound')
  if (answers.moved?.length === 0) throw new Refusal('adminHasNoEnd')
  logEvents(ofAddress, answers.addressEvents ?? [])
  logEvents(ofEnd, answers.endEvents ?? [])
  logDeletions(ofTokens, answers.deleted)
}
