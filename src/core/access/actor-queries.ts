import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { appPasswords, sessions, users } from '../../../schema/tables.ts'
import { accountReaders } from '../accounts/account-readers.ts'
import { accountColumns } from '../accounts/accounts.ts'
import { type Given, prepare, textOf } from '../database/prepared.ts'
import type { Database } from '../deps.ts'
import { type Actor, type AppPasswordActor, isSessionActor, type SessionActor } from './actor.ts'
import { appPasswordReaders, type AppPasswordState } from './app-password-state.ts'
import { appPasswordState, isAppPasswordOf } from './app-password-store.ts'
import { provenAt } from './freshness.ts'
import type { FactorState } from './leniency.ts'
import { factorState, isMadeWithEnough } from './sign-in-methods.ts'

type GivenValues = Readonly<Record<string, unknown>>

/** A further column of the row of an account. */
export interface AccountColumn {
  /** One of a few constants: a query is prepared for each. */
  sql: SQL<string | null>
  /** The values of its placeholders. */
  given?: GivenValues
}

/** Further columns of the row of an actor. */
type Beside = Record<string, SQL.Aliased<number | string | null>>

/** The parameters of the queries. `now` is Unix time, milliseconds. */
type SessionValues = Pick<SessionActor, 'sessionId' | 'userId'> & { now: number }
type AppPasswordValues = Pick<AppPasswordActor, 'tokenHash' | 'username' | 'network'> & {
  now: number
}

const placeholders = () => ({
  sessionId: sql.placeholder('sessionId'),
  userId: sql.placeholder('userId'),
  tokenHash: sql.placeholder('tokenHash'),
  username: sql.placeholder('username'),
  network: sql.placeholder('network'),
  now: sql.placeholder('now'),
})

/**
 * Makes a query that finds the account of an actor and, in the same row, the columns of `beside`.
 * D1 runs one statement instead of two.
 *
 * @returns Runs the query alone, prepared. `given` are the values of the placeholders of `beside`.
 */
export function selectActorWith<Columns extends Beside>(beside: Columns) {
  const names = namesWith(beside)
  const ofSession = prepare((db) => selectSession(db, placeholders(), beside), {
    names,
    readers: accountReaders,
  })
  const ofAppPassword = prepare((db) => selectAppPassword(db, placeholders(), beside), {
    names,
    readers: appPasswordReaders,
  })
  return (db: Database, actor: Actor, now: number, given: GivenValues = {}) =>
    isSessionActor(actor)
      ? ofSession(db, { ...given, ...actor, now })
      : ofAppPassword(db, { ...given, ...actor, now })
}

/** Selects the account of an actor, for a batch. */
export function selectActor(db: Database, actor: Actor, now: number) {
  return isSessionActor(actor)
    ? selectSession(db, { ...actor, now }, {})
    : selectAppPassword(db, { ...actor, now }, {})
}

/** The row of an account before it was checked. */
export type ActorRow = Awaited<ReturnType<typeof selectActor>>[number]

/** Returns the text of the queries for the account of an actor (`scripts/assets/queries.ts`). */
export function textsOfActor(db: Database) {
  return {
    names: namesWith({}),
    ofSession: textOf(selectSession(db, placeholders(), {})),
    ofAppPassword: textOf(selectAppPassword(db, placeholders(), {})),
  }
}

function sessionFields<Columns extends Beside>(beside: Columns) {
  return {
    ...accountColumns,
    // `sessions.network` is never null, so a null here means that no session is live.
    network: sql<string | null>`${sessions.network}`.as('network'),
    lastActiveAt: sql<number | null>`${sessions.lastActiveAt}`.as('last_active_at'),
    provenAt: provenAt.as('proven_at'),
    factorState: factorState.as('factor_state'),
    appPassword: sql<AppPasswordState | null>`null`.as('app_password'),
    ...beside,
  }
}

/** The fields of an app password have the same names. */
function namesWith(beside: Beside): string[] {
  return Object.keys(sessionFields(beside))
}

function selectSession<Columns extends Beside>(
  db: Database,
  { sessionId, userId, now }: Given<SessionValues>,
  beside: Columns,
) {
  const isOfActor = and(
    eq(sessions.id, sessionId),
    eq(sessions.userId, users.id),
    gt(sessions.expiresAt, now),
  )
  return db
    .select(sessionFields(beside))
    .from(users)
    .leftJoin(sessions, isOfActor)
    .where(eq(users.id, userId))
}

function selectAppPassword<Columns extends Beside>(
  db: Database,
  given: Given<AppPasswordValues>,
  beside: Columns,
) {
  return db
    .select({
      ...accountColumns,
      network: sql<string | null>`${appPasswords.lastNetwork}`.as('network'),
      lastActiveAt: sql<number | null>`${appPasswords.lastUsedAt}`.as('last_active_at'),
      // Creating an app password needed a fresh session, so it needs none here.
      provenAt: sql<number | null>`${given.now}`.as('proven_at'),
      factorState:
        sql<FactorState>`iif(${isMadeWithEnough(appPasswords.amr)}, 'enough', 'unused')`.as(
          'factor_state',
        ),
      appPassword: appPasswordState(given.network, given.now).as('app_password'),
      ...beside,
    })
    .from(users)
    .innerJoin(appPasswords, eq(appPasswords.userId, users.id))
    .where(isAppPasswordOf(given))
}
