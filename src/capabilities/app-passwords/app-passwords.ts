import type { ReaderDeps, SessionActor } from '../../core/access/act-as.ts'
import { hashAppPassword, makeAppPassword } from '../../core/access/app-password.ts'
import { appPasswordDeletion } from '../../core/access/app-password-store.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import { parseScopes } from '../../core/access/scopes.ts'
import { change, type ChangeDeps, of, own, read, type Subject } from '../../core/access/subject.ts'
import type { Operator } from '../../core/access/operators.ts'
import { isEnabledAt } from '../../core/accounts/enabled-at.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'
import type { Deps } from '../../core/deps.ts'
import {
  hasPlace,
  insertAppPassword,
  isAppPasswordWithId,
  selectAppPasswords,
  selectNamed,
  selectStale,
} from './store.ts'

const MAX_APP_PASSWORDS_PER_USER = 50

/** An app password without a chosen expiry is valid for one year. */
const DEFAULT_LIFETIME_MILLISECONDS = 365 * DAY_MILLISECONDS

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

/** Lists the app passwords of an account. @throws {Refusal} The refusals of `read`. */
export async function listAppPasswords(deps: ReaderDeps, subject: Subject<number>) {
  const { appPasswords } = await read(deps, subject, {
    appPasswords: selectAppPasswords(deps.db, subject.userId),
  })
  return appPasswords
}

/** Lists the actor's app passwords, with the account and what is closed (`selectClosed`). */
export function listAppPasswordsWithClosed(deps: ReaderDeps, actor: SessionActor) {
  const { db } = deps
  return read(deps, own(actor), {
    appPasswords: selectAppPasswords(db, actor.userId),
    ...selectClosed(db, actor.userId),
  })
}

/**
 * Creates an app password. The operator who makes one for a user is the command line.
 *
 * @throws {Refusal} `invalidBody` for an expiry in the past; `confirmationNeeded`, `userNotFound`;
 *   `accountDisabled`; `notAdmin` for the scope `admin`; `tokenNameTaken`, `tooManyTokens`.
 */
export async function createAppPassword(
  deps: ChangeDeps & Pick<Deps, 'randomBytes'>,
  subject: Subject<number>,
  { name, scopes, expiresAt }: AppPasswordRequest,
): Promise<CreatedAppPassword> {
  const { db } = deps
  const token = makeAppPassword(deps)
  const { account, rivals, inserted, now } = await change(
    deps,
    subject,
    { kind: 'token_created', detail: name, fresh: true },
    ({ now: createdAt, by, amr, event }) => {
      const row = {
        userId: subject.userId,
        amr,
        name,
        tokenHash: hashAppPassword(token),
        scopes,
        createdAt,
        expiresAt: expiryOf(expiresAt, createdAt),
      }
      const where = hasPlace(db, row, MAX_APP_PASSWORDS_PER_USER)
      return {
        rivals: selectNamed(db, row),
        event: insertEvent(db, by, event, where),
        inserted: insertAppPassword(db, by, row, where),
      }
    },
  )
  const [created] = inserted
  if (created !== undefined) return { id: created.id, token }
  if (!isEnabledAt(account, now)) throw new Refusal('accountDisabled')
  if (parseScopes(scopes).includes('admin') && account.role !== ADMIN) throw new Refusal('notAdmin')
  if (rivals.length > 0) throw new Refusal('tokenNameTaken')
  throw new Refusal('tooManyTokens', { values: { limit: MAX_APP_PASSWORDS_PER_USER } })
}

/** @throws {Refusal} `invalidBody` for a time in the past. */
function expiryOf(expiresAt: AppPasswordRequest['expiresAt'], now: number): number | null {
  if (typeof expiresAt === 'number' && expiresAt <= now) {
    throw new Refusal('invalidBody', {
      field: 'expires_at',
      reason: { code: 'future', values: {} },
    })
  }
  return expiresAt === undefined ? now + DEFAULT_LIFETIME_MILLISECONDS : expiresAt
}

/**
 * @throws {Refusal} `userNotFound`; `tokenNotFound` for an unknown id and for the app password of
 *   another user.
 */
export async function deleteAppPassword(
  deps: ChangeDeps,
  subject: Subject<number>,
  id: number,
): Promise<void> {
  const which = isAppPasswordWithId(subject.userId, id)
  const { deleted } = await change(
    deps,
    subject,
    { kind: 'token_deleted', ends: true },
    ({ by, event }) => appPasswordDeletion(deps.db, by, which, event),
  )
  if (deleted.length === 0) throw new Refusal('tokenNotFound')
}

/** Days after which an app password that nobody uses is probably forgotten. */
export const UNUSED_DAYS = 180

/**
 * Lists the app passwords of all users that never expire or that nobody has used for `UNUSED_DAYS`.
 *
 * @throws {Refusal} `notAdmin`.
 */
export async function listStaleAppPasswords(deps: ReaderDeps, operator: Operator) {
  const unusedSince = deps.now() - UNUSED_DAYS * DAY_MILLISECONDS
  const { stale } = await read(deps, of(operator), { stale: selectStale(deps.db, unusedSince) })
  return stale
}
