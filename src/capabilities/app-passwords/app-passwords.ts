import { logDeletions } from '../../core/audit/deletions.ts'
import { type AuditEvent, eventOf, insertEvent, logEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Authority } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import {
  actFreshAs,
  type ActorDeps,
  endAs,
  readAs,
  type ReaderDeps,
} from '../../core/access/act-as.ts'
import type { SessionActor } from '../../core/access/actor.ts'
import { hashAppPassword, makeAppPassword } from '../../core/access/app-password.ts'
import { appPasswordDeletion } from '../../core/access/app-password-store.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import {
  actAsOperator,
  eventBy,
  isOperator,
  methodsOfOperator,
  type Operator,
} from '../../core/access/operators.ts'
import { parseScopes } from '../../core/access/scopes.ts'
import { isFresh, mayEnd, methodsOf } from '../../core/access/session-store.ts'
import { selectUser } from '../../core/accounts/store.ts'
import { isEnabledAt } from '../../core/accounts/conditions.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import {
  hasPlace,
  insertAppPassword,
  isAppPasswordWithId,
  type NewAppPassword,
  selectAppPasswords,
  selectNamed,
  selectStale,
} from './store.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

const MAX_APP_PASSWORDS_PER_USER = 50

/** An app password without a chosen expiry is valid for one year. */
const DEFAULT_LIFETIME_MILLISECONDS = 365 * DAY_MILLISECONDS

/** What a user chooses for a new app password. */
interface AppPasswordRequest {
  name: string
  /** As `scopesText` returns them. */
  scopes: string
  /** Unix time, milliseconds. Null: never. `undefined`: the default. */
  expiresAt: number | null | undefined
}

/** A new app password. The token is not stored and never shown again. */
interface CreatedAppPassword {
  id: number
  token: string
}

type CreatorDeps = ActorDeps & Pick<Deps, 'randomBytes'>

/** Lists the actor's app passwords, with the account and what is closed (`selectClosed`). */
export function listAppPasswords(deps: ReaderDeps, actor: SessionActor) {
  const { db } = deps
  return readAs(deps, actor, {
    appPasswords: selectAppPasswords(db, actor.userId),
    ...selectClosed(db, actor.userId),
  })
}

/**
 * @throws {Refusal} `invalidBody` for an expiry in the past; `confirmationNeeded`; `notAdmin` for
 *   the scope `admin`; `tokenNameTaken`, `tooManyTokens`.
 */
export async function createAppPassword(
  deps: CreatorDeps & FreshnessDeps,
  actor: SessionActor,
  request: AppPasswordRequest,
): Promise<CreatedAppPassword> {
  const now = deps.now()
  const amr = methodsOf(deps.db, actor)
  const { token, row } = newAppPassword(deps, { userId: actor.userId, amr }, request, now)
  const event = eventOf(actor, 'token_created', now, row.name)
  const { account, rivals, inserted } = await actFreshAs(
    deps,
    actor,
    now,
    creation(deps, isFresh(deps, actor, now), row, event),
  )
  const [created] = inserted
  if (created === undefined) throw reasonAgainst(account.role, row, rivals)
  logEvent(event)
  return { id: created.id, token }
}

/** @throws {Refusal} `tokenNotFound` for an unknown id and for the app password of another user. */
export async function deleteAppPassword(
  deps: ActorDeps,
  actor: SessionActor,
  id: number,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const event = eventOf(actor, 'token_deleted', now)
  const which = isAppPasswordWithId(actor.userId, id)
  const deletion = appPasswordDeletion(db, mayEnd(db, actor, now), which, event)
  const { deleted } = await endAs(deps, actor, deletion)
  if (deleted.length === 0) throw new Refusal('tokenNotFound')
  logDeletions(event, deleted)
}

/**
 * Lists the app passwords of any user for an operator.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function listAppPasswordsOf(deps: ActorDeps, operator: Operator, userId: number) {
  const { user, appPasswords } = await actAsOperator(deps, operator, {
    user: selectUser(deps.db, userId),
    appPasswords: selectAppPasswords(deps.db, userId),
  })
  if (user.length === 0) throw new Refusal('userNotFound')
  return appPasswords
}

/** Days after which an app password that nobody uses is probably forgotten. */
export const UNUSED_DAYS = 180

/**
 * Lists the app passwords of all users that never expire or that nobody has used for `UNUSED_DAYS`.
 *
 * @throws {Refusal} `notAdmin`.
 */
export async function listStaleAppPasswords(deps: ActorDeps, operator: Operator) {
  const unusedSince = deps.now() - UNUSED_DAYS * DAY_MILLISECONDS
  const { stale } = await actAsOperator(deps, operator, {
    stale: selectStale(deps.db, unusedSince),
  })
  return stale
}

/**
 * Creates an app password for any user. Only the command line offers it.
 *
 * @throws {Refusal} `notAdmin` for the scope `admin` of a user who is no admin; `userNotFound`,
 *   `accountDisabled`, `tokenNameTaken`, `tooManyTokens`, `invalidBody`.
 */
export async function createAppPasswordOf(
  deps: CreatorDeps,
  operator: Operator,
  userId: number,
  request: AppPasswordRequest,
): Promise<CreatedAppPassword> {
  const { db } = deps
  const now = deps.now()
  const amr = methodsOfOperator(db, operator)
  const { token, row } = newAppPassword(deps, { userId, amr }, request, now)
  const event = eventBy(operator, userId, 'token_created', now, row.name)
  const { user, rivals, inserted } = await actAsOperator(deps, operator, {
    user: selectUser(db, userId),
    ...creation(deps, isOperator(db, operator, now), row, event),
  })
  const [created] = inserted
  const [owner] = user
  if (owner === undefined) throw new Refusal('userNotFound')
  if (created === undefined && !isEnabledAt(owner, now)) throw new Refusal('accountDisabled')
  if (created === undefined) throw reasonAgainst(owner.role, row, rivals)
  logEvent(event)
  return { id: created.id, token }
}

/** @throws {Refusal} `notAdmin`, `tokenNotFound`. */
export async function deleteAppPasswordOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
  id: number,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const event = eventBy(operator, userId, 'token_deleted', now)
  const which = isAppPasswordWithId(userId, id)
  const deletion = appPasswordDeletion(db, isOperator(db, operator, now), which, event)
  const { deleted } = await actAsOperator(deps, operator, deletion)
  if (deleted.length === 0) throw new Refusal('tokenNotFound')
  logDeletions(event, deleted)
}

function newAppPassword(
  deps: Pick<Deps, 'randomBytes'>,
  owner: Pick<NewAppPassword, 'userId' | 'amr'>,
  { name, scopes, expiresAt }: AppPasswordRequest,
  now: number,
): { token: string; row: NewAppPassword } {
  if (typeof expiresAt === 'number' && expiresAt <= now) {
    throw new Refusal('invalidBody', {
      field: 'expires_at',
      reason: { code: 'future', values: {} },
    })
  }
  const token = makeAppPassword(deps)
  const row = {
    ...owner,
    name,
    tokenHash: hashAppPassword(token),
    scopes,
    createdAt: now,
    expiresAt: expiresAt === undefined ? now + DEFAULT_LIFETIME_MILLISECONDS : expiresAt,
  }
  return { token, row }
}

/** Returns the statements that create an app password, in the order of their batch. */
function creation({ db }: Pick<Deps, 'db'>, by: Authority, row: NewAppPassword, event: AuditEvent) {
  const where = hasPlace(db, row, MAX_APP_PASSWORDS_PER_USER)
  return {
    rivals: selectNamed(db, row),
    event: insertEvent(db, by, event, where),
    inserted: insertAppPassword(db, by, row, where),
  }
}

/** Returns the reason why an app password was not created. */
function reasonAgainst(role: number, row: NewAppPassword, rivals: unknown[]): Refusal {
  if (parseScopes(row.scopes).includes('admin') && role !== ADMIN) return new Refusal('notAdmin')
  if (rivals.length > 0) return new Refusal('tokenNameTaken')
  return new Refusal('tooManyTokens', { values: { limit: MAX_APP_PASSWORDS_PER_USER } })
}
