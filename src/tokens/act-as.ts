import { and, eq, gt } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { sessions, users } from '../../schema/tables.ts'
import { prepareOnce, type Value } from '../database.ts'
import type { Database, Deps } from '../deps.ts'
import type { Client } from '../network.ts'
import { Refusal } from '../refusals.ts'
import { type Account, accountColumns } from '../users/accounts.ts'
import { moveSession } from './sessions.ts'
import type { SessionClaims } from './token.ts'

/** A session and where it is used from. */
export interface Actor extends SessionClaims, Client {}

/** What the account of a session is found by. */
export type ActorValue = 'sessionId' | 'userId' | 'now'

/**
 * The account of a session, and the network that the session was last used from while it is live.
 * With columns of other tables in its row it is one statement for D1 instead of two.
 */
export const actorColumns = { ...accountColumns, network: sessions.network }

/** Joins the session that somebody shows, if it is live, to its user. */
export function isActorsSession(value: Value<ActorValue>) {
  return and(
    eq(sessions.id, value('sessionId')),
    eq(sessions.userId, users.id),
    gt(sessions.expiresAt, value('now')),
  )
}

const selectActor = prepareOnce((db, value: Value<ActorValue>) =>
  db
    .select(actorColumns)
    .from(users)
    .leftJoin(sessions, isActorsSession(value))
    .where(eq(users.id, value('userId'))),
)

/** Who was found, or rather who would be if the session is live (`admit`). */
type Found = ReturnType<typeof selectActor>['_']['result'][number]

/** Makes a statement that finds the account of a session, among other things. */
type Guarding<Row extends Found> = (
  db: Database,
  values: Record<ActorValue, number | string>,
) => RunnableQuery<Row[], 'sqlite'>

/** What it takes to act for a user. */
export type ActorDeps = Pick<Deps, 'db' | 'now' | 'defer'>

/** What it takes to read for a user, wherever that is nearest. */
export type ReaderDeps = ActorDeps & Pick<Deps, 'nearbyDb' | 'meter'>

/**
 * Acts for the user of a session in one round trip: the session is checked and `statements` run in
 * the same D1 transaction. A statement that writes carries `isLive` in its condition, so that it
 * changes nothing for a session that has ended; one that reads has read in vain.
 *
 * @returns The account, then what the statements returned.
 * @throws {Refusal} 401: account gone or disabled, session ended.
 */
export function actAs<Statements extends BatchItem<'sqlite'>[]>(
  deps: ActorDeps,
  actor: Actor,
  ...statements: Statements
): Promise<[Account, ...BatchResponse<Statements>]> {
  return actThrough(deps.db, deps, actor, selectActor, statements)
}

/**
 * As `actAs`, for statements that only read: a replica may answer that knows all that the caller
 * has seen. What it refuses, or fails to answer, the primary decides: a replica may not have heard
 * of the session yet.
 */
export function readAs<Statements extends BatchItem<'sqlite'>[]>(
  deps: ReaderDeps,
  actor: Actor,
  ...statements: Statements
): Promise<[Account, ...BatchResponse<Statements>]> {
  return readNearby(deps, actor, (db) => actThrough(db, deps, actor, selectActor, statements))
}

/** As `readAs`, for what is read in the same row as the account. */
export async function readRowAs<Row extends Found>(
  deps: ReaderDeps,
  actor: Actor,
  guarding: Guarding<Row>,
): Promise<Row> {
  const [row] = await readNearby(deps, actor, (db) => actThrough(db, deps, actor, guarding, []))
  return row
}

async function readNearby<Result>(
  deps: ReaderDeps,
  actor: Actor,
  read: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = deps.nearbyDb(actor.bookmark)
  if (db === undefined) return read(deps.db)
  try {
    return await read(db)
  } catch (error) {
    if (error instanceof Refusal && error.code === 401 && deps.meter.fromPrimary) throw error
    return read(deps.db)
  }
}

async function actThrough<Row extends Found, Statements extends BatchItem<'sqlite'>[]>(
  db: Database,
  deps: ActorDeps,
  actor: Actor,
  guarding: Guarding<Row>,
  statements: Statements,
): Promise<[Row, ...BatchResponse<Statements>]> {
  const { sessionId, userId } = actor
  const guard = guarding(db, { sessionId, userId, now: deps.now() })
  const [[found], ...results] = await db.batch([guard, ...statements])
  const account = admit(actor, found)
  if (account.network !== actor.network)
    deps.defer(moveSession(deps.db, actor).catch(() => undefined))
  // Drizzle types a batch as a tuple, and forgets it when the tuple is spread.
  return [account, ...(results as BatchResponse<Statements>)]
}

function admit<Row extends Found>(session: SessionClaims, account: Row | undefined): Row {
  if (account === undefined) throw new Refusal('tokenInvalidated')
  if (account.disabled) throw new Refusal('accountDisabled')
  if (account.network !== null) return account
  // `iat` counts whole seconds: a token from the second of the change is an old one as well.
  const isOlderThanPassword = session.issuedAtSeconds * 1000 <= account.passwordChangedAt
  throw new Refusal(isOlderThanPassword ? 'passwordChanged' : 'tokenInvalidated')
}
