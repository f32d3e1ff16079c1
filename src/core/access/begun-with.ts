import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import { identities, openidGrants, passkeys, sessions } from '../../../schema/tables.ts'
import { literal } from '../database/literal.ts'
import type { UserId } from '../database/user-id.ts'
import { isSessionActor } from './actor.ts'
import type { Ending } from './endings.ts'
import { isActor, type Operator } from './operators.ts'
import { isSessionOf } from './session-store.ts'
import type { Method } from './sign-in-methods.ts'

/** The removal of credentials. */
export interface Taking {
  actor: Operator
  /** Whether every other session ends, and everything that programs got. */
  endsOthers?: boolean
}

/**
 * Ends what a user began with passkeys: the sessions, but for the one in which the actor acts, and
 * what programs got in them. The statements stand before those that delete the passkeys.
 *
 * @param which The condition on `passkeys`.
 */
export function begunWithPasskeys(userId: UserId, which: SQL | undefined, taking: Taking): Ending {
  const name = sql`'passkey ' || ${passkeys.credentialId}`
  return endingOf({ table: passkeys, which, name, method: 'passkey' }, userId, taking)
}

/** Works like `begunWithPasskeys`, for linked accounts at identity providers. */
export function begunWithIdentities(
  userId: UserId,
  which: SQL | undefined,
  taking: Taking,
): Ending {
  const name = sql`'identity ' || ${identities.issuer} || ' ' || ${identities.subject}`
  return endingOf({ table: identities, which, name, method: 'sso' }, userId, taking)
}

interface Credentials {
  table: typeof passkeys | typeof identities
  which: SQL | undefined
  /** The text of `begun_with`. */
  name: SQL
  /**
   * The method that every session begun with them has. A session without the name of its credential
   * (`schema/tables.ts`) ends with any credential of this method.
   */
  method: Method
}

function endingOf(
  { table, which, name, method }: Credentials,
  userId: UserId,
  { actor, endsOthers = false }: Taking,
): Ending {
  const began = ({ begunWith, amr }: typeof sessions | typeof openidGrants) =>
    endsOthers
      ? undefined
      : sql`(${begunWith} = ${name} or (${begunWith} = '' and instr(${amr}, ${literal(method)}) > 0))`
  // The condition can be long, and D1 binds a hundred values: it stands once in a statement.
  const isTaken = (row: typeof sessions | typeof openidGrants) =>
    sql`exists (select 1 from ${table} where ${and(which, began(row))})`
  const isOther =
    isActor(actor) && isSessionActor(actor) ? ne(sessions.id, actor.sessionId) : undefined
  return {
    sessions: and(isSessionOf(userId), isOther, isTaken(sessions)),
    grants: and(eq(openidGrants.userId, userId), isTaken(openidGrants)),
  }
}
