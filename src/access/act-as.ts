import { and, eq, gt } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { SelectedFields } from 'drizzle-orm/sqlite-core'
import { sessions, users } from '../../schema/tables.ts'
import { type Answers, type Parts, runBatchAfter } from '../database/statements.ts'
import type { Database, Deps } from '../deps.ts'
import type { Client } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { type Account, accountColumns } from '../accounts/accounts.ts'
import { type FreshnessDeps, isFreshAt, provenAt } from './freshness.ts'
import { moveSession } from './session-store.ts'
import type { SessionClaims } from './token.ts'

/** A session and where it is used from. */
export interface Actor extends SessionClaims, Client {}

/** The account of a session, and when its user last proved to be there (`isFreshAt`). */
export interface Acting extends Account {
  provenAt: number | null
}

/** What the account of a session is found by. */
interface ActorValues {
  sessionId: string
  userId: number
  now: number
}

/**
 * Finds the account of a session and, in the same row, what is asked for beside it: for D1 that is
 * one statement instead of two.
 */
export function selectActorWith<Beside extends SelectedFields>(beside: Beside) {
  return (db: Database, { sessionId, userId, now }: ActorValues) =>
    db
      // No session is live where `network` is null: the column itself never is.
      .select({
        ...accountColumns,
        network: sessions.network,
        provenAt: provenAt.as('proven_at'),
        ...beside,
      })
      .from(users)
      .leftJoin(
        sessions,
        and(eq(sessions.id, sessionId), eq(sessions.userId, users.id), gt(sessions.expiresAt, now)),
      )
      .where(eq(users.id, userId))
}

const selectActor = selectActorWith({})

/** The row before `admit` has looked at it. */
type Found = ReturnType<typeof selectActor>['_']['result'][number]

/** Makes the statement that finds the account of a session, and perhaps more. */
type ActorQuery<Row extends Found> = (
  db: Database,
  values: ActorValues,
) => RunnableQuery<Row[], 'sqlite'>

/** What it takes to act for a user. */
export type ActorDeps = Pick<Deps, 'db' | 'now' | 'defer'>

/** What it takes to read for a user, wherever that is nearest. */
export type ReaderDeps = ActorDeps & Pick<Deps, 'nearbyDb' | 'meter'>

/** The account of the actor, and the answers of the other parts of the batch. */
type Acted<Named extends Parts> = { account: Acting } & Answers<Named>

/**
 * Acts for the user of a session in one round trip: the session is checked and `parts` run in the
 * same D1 transaction, in their order. A write among them carries `isLive`, so it changes nothing
 * for a session that has ended.
 *
 * @returns The account, and the answer of each part under its name.
 * @throws {Refusal} 401: account gone or disabled, session ended.
 */
export function actAs<Named extends Parts>(
  deps: ActorDeps,
  actor: Actor,
  parts: Named,
): Promise<Acted<Named>> {
  return actWith(deps.db, deps, actor, selectActor, parts)
}

/**
 * As `actAs`, for what only a fresh session may do. A write carries `isFresh` of the same `now`.
 *
 * @throws {Refusal} `confirmationNeeded`, and those of `actAs`.
 */
export async function actFreshAs<Named extends Parts>(
  deps: ActorDeps & FreshnessDeps,
  actor: Actor,
  now: number,
  parts: Named,
): Promise<Acted<Named>> {
  const acted = await actAs(deps, actor, parts)
  if (!isFreshAt(deps, acted.account.provenAt, now)) throw new Refusal('confirmationNeeded')
  return acted
}

/**
 * As `actAs`, for parts that only read. A replica may answer that has all that the caller has seen.
 * When it refuses or fails, the primary decides: a replica may not have the session yet.
 */
export function readAs<Named extends Parts>(
  deps: ReaderDeps,
  actor: Actor,
  parts: Named,
): Promise<Acted<Named>> {
  return readNearby(deps, actor, (db) => actWith(db, deps, actor, selectActor, parts))
}

/** As `readAs`, for what is read in the same row as the account. */
export async function readRowAs<Row extends Found>(
  deps: ReaderDeps,
  actor: Actor,
  query: ActorQuery<Row>,
): Promise<Row> {
  const { account } = await readNearby(deps, actor, (db) => actWith(db, deps, actor, query, {}))
  return account
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

async function actWith<Row extends Found, Named extends Parts>(
  db: Database,
  deps: ActorDeps,
  actor: Actor,
  query: ActorQuery<Row>,
  parts: Named,
): Promise<{ account: Row } & Answers<Named>> {
  const { sessionId, userId } = actor
  const finding = query(db, { sessionId, userId, now: deps.now() })
  const [[found], answers] = await runBatchAfter(db, finding, parts)
  const account = admit(actor, found)
  // When this fails, the list of sessions shows an older network.
  if (account.network !== actor.network)
    deps.defer(moveSession(deps.db, actor).catch(() => undefined))
  return { ...answers, account }
}

function admit<Row extends Found>(session: SessionClaims, account: Row | undefined): Row {
  if (account === undefined) throw new Refusal('tokenInvalidated')
  if (account.disabled) throw new Refusal('accountDisabled')
  if (account.network !== null) return account
  // `iat` counts whole seconds: a token from the second of the change is an old one as well.
  const isOlderThanPassword = session.issuedAtSeconds * 1000 <= account.passwordChangedAt
  throw new Refusal(isOlderThanPassword ? 'passwordChanged' : 'tokenInvalidated')
}
