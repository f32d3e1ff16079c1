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

/** A session and the client that uses it. */
export interface Actor extends SessionClaims, Client {}

/**
 * The account of a session, and the time at which its user last proved a password or a code
 * (`isFreshAt`).
 */
export interface Acting extends Account {
  provenAt: number | null
}

/** The values that identify the account of a session. */
interface ActorValues {
  sessionId: string
  userId: number
  now: number
}

/**
 * Makes a query that finds the account of a session and, in the same row, the columns of `beside`.
 * D1 runs one statement instead of two.
 */
export function selectActorWith<Beside extends SelectedFields>(beside: Beside) {
  return (db: Database, { sessionId, userId, now }: ActorValues) =>
    db
      // `sessions.network` is never null, so a null here means that no session is live.
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

/** The row before `admit` has checked it. */
type Found = ReturnType<typeof selectActor>['_']['result'][number]

/** Makes the statement that finds the account of a session, and perhaps further columns. */
type ActorQuery<Row extends Found> = (
  db: Database,
  values: ActorValues,
) => RunnableQuery<Row[], 'sqlite'>

export type ActorDeps = Pick<Deps, 'db' | 'now' | 'defer'>

/** The dependencies of a read that a replica may answer. */
export type ReaderDeps = ActorDeps & Pick<Deps, 'nearbyDb' | 'meter'>

/** The account of the actor, and the answers of the other parts of the batch. */
type Acted<Named extends Parts> = { account: Acting } & Answers<Named>

/**
 * Acts for the user of a session in one round trip: D1 checks the session and runs `parts` in
 * order, in one transaction. A write among them carries `isLive`, so it changes nothing when the
 * session has ended.
 *
 * @returns The account, and the answer of each part under its name.
 * @throws {Refusal} 401 when the account is gone or disabled, or the session has ended.
 */
export function actAs<Named extends Parts>(
  deps: ActorDeps,
  actor: Actor,
  parts: Named,
): Promise<Acted<Named>> {
  return actWith(deps.db, deps, actor, selectActor, parts)
}

/**
 * Works like `actAs`, for actions that need a fresh session. A write carries `isFresh` of the same
 * `now`.
 *
 * @throws {Refusal} `confirmationNeeded`, and the refusals of `actAs`.
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
 * Works like `actAs`, for parts that only read. A replica may answer when it has everything that
 * the caller has seen. When the replica refuses or fails, the primary decides, because a replica
 * may not have the session yet.
 */
export function readAs<Named extends Parts>(
  deps: ReaderDeps,
  actor: Actor,
  parts: Named,
): Promise<Acted<Named>> {
  return readNearby(deps, actor, (db) => actWith(db, deps, actor, selectActor, parts))
}

/** Works like `readAs`, for columns that are read in the same row as the account. */
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
  // When this fails, the list of sessions shows the previous network.
  if (account.network !== actor.network)
    deps.defer(moveSession(deps.db, actor).catch(() => undefined))
  return { ...answers, account }
}

function admit<Row extends Found>(session: SessionClaims, account: Row | undefined): Row {
  if (account === undefined) throw new Refusal('tokenInvalidated')
  if (account.disabled) throw new Refusal('accountDisabled')
  if (account.network !== null) return account
  // `iat` counts whole seconds, so a token from the second of the change counts as old.
  const isOlderThanPassword = session.issuedAtSeconds * 1000 <= account.passwordChangedAt
  throw new Refusal(isOlderThanPassword ? 'passwordChanged' : 'tokenInvalidated')
}
