import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { appPasswords, sessions, users } from '../../../schema/tables.ts'
import { type Given, prepare } from '../database/prepared.ts'
import { type Answers, type Authority, type Parts, runBatchAfter } from '../database/statements.ts'
import type { Database, Deps } from '../deps.ts'
import { Refusal } from '../base/refusals.ts'
import { type Account, accountColumns, accountReaders } from '../accounts/accounts.ts'
import { isEnabledAt } from '../accounts/conditions.ts'
import {
  type Actor,
  type AppPasswordActor,
  credentialOf,
  isSessionActor,
  type SessionActor,
} from './actor.ts'
import {
  type AppPasswordState,
  appPasswordState,
  isAppPasswordOf,
  noteUse,
  readAppPasswordState,
} from './app-password-store.ts'
import { changeParts, type CountedAs, hasWrites, refuseTooManyChanges } from './changes.ts'
import { provenAt } from './freshness.ts'
import { factorState, type FactorState, isEnough, isMadeWithEnough } from './sign-in-methods.ts'
import { type AppPasswordScope, hasScope } from './scopes.ts'
import { isLive, isSessionUseNoted, mayConfirm, noteSessionUse } from './session-store.ts'

export type { Actor, SessionActor } from './actor.ts'

/**
 * The account of an actor, the time at which its user last proved who they are (`isFreshAt`), and
 * whether the session has the second factor that its user must use.
 */
export interface Acting extends Account {
  provenAt: number | null
  /** For an app password, by what it was made with. */
  factorState: FactorState
  /** Null for a session. */
  appPassword: AppPasswordState | null
}

/** Finds the account of an actor and, in the same row, perhaps further columns. */
interface ActorQuery<Row> {
  /** The statement for a batch. */
  inBatch: (db: Database, actor: Actor, now: number) => RunnableQuery<Row[], 'sqlite'>
  /**
   * Runs the query alone, prepared, because nearly every request does.
   *
   * @param given The values of the placeholders of `beside`.
   */
  alone: (db: Database, actor: Actor, now: number, given?: GivenValues) => Promise<Row[]>
}

type GivenValues = Readonly<Record<string, unknown>>

/** A further column of the row of an account. */
export interface AccountColumn {
  /** One of a few constants: a query is prepared for each. */
  sql: SQL<string | null>
  /** The values of its placeholders. */
  given?: GivenValues
}

/** The parameters of the queries. `now` is Unix time, milliseconds. */
type SessionValues = Pick<SessionActor, 'sessionId' | 'userId'> & { now: number }
type AppPasswordValues = Pick<AppPasswordActor, 'tokenHash' | 'username' | 'network'> & {
  now: number
}

/**
 * Makes a query that finds the account of an actor and, in the same row, the columns of `beside`.
 * D1 runs one statement instead of two.
 */
export function selectActorWith<Beside extends Record<string, SQL.Aliased<number | string | null>>>(
  beside: Beside,
) {
  const sessionFields = {
    ...accountColumns,
    // `sessions.network` is never null, so a null here means that no session is live.
    network: sql<string | null>`${sessions.network}`.as('network'),
    lastActiveAt: sql<number | null>`${sessions.lastActiveAt}`.as('last_active_at'),
    provenAt: provenAt.as('proven_at'),
    factorState: factorState.as('factor_state'),
    appPassword: sql<AppPasswordState | null>`null`.as('app_password'),
    ...beside,
  }
  // Those of an app password have the same names.
  const names = Object.keys(sessionFields)
  const values = {
    sessionId: sql.placeholder('sessionId'),
    userId: sql.placeholder('userId'),
    tokenHash: sql.placeholder('tokenHash'),
    username: sql.placeholder('username'),
    network: sql.placeholder('network'),
    now: sql.placeholder('now'),
  }
  const ofPreparedSession = prepare((db) => ofSession(db, values), {
    names,
    readers: accountReaders,
  })
  const ofPreparedAppPassword = prepare((db) => ofAppPassword(db, values), {
    names,
    readers: { ...accountReaders, appPassword: readAppPasswordState },
  })
  return {
    inBatch: (db: Database, actor: Actor, now: number) =>
      isSessionActor(actor)
        ? ofSession(db, { ...actor, now })
        : ofAppPassword(db, { ...actor, now }),
    alone: (db: Database, actor: Actor, now: number, given: GivenValues = {}) =>
      isSessionActor(actor)
        ? ofPreparedSession(db, { ...given, ...actor, now })
        : ofPreparedAppPassword(db, { ...given, ...actor, now }),
  }

  function ofSession(db: Database, { sessionId, userId, now }: Given<SessionValues>) {
    const isOfActor = and(
      eq(sessions.id, sessionId),
      eq(sessions.userId, users.id),
      gt(sessions.expiresAt, now),
    )
    return db
      .select(sessionFields)
      .from(users)
      .leftJoin(sessions, isOfActor)
      .where(eq(users.id, userId))
  }

  function ofAppPassword(db: Database, given: Given<AppPasswordValues>) {
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
}

const selectActor = selectActorWith({})

/** The row before `admit` has checked it. */
type Found = Awaited<ReturnType<typeof selectActor.alone>>[number]

export type ActorDeps = Pick<Deps, 'db' | 'now' | 'defer'>

/** The dependencies of a read that a replica may answer. */
export type ReaderDeps = ActorDeps & Pick<Deps, 'nearbyDb' | 'meter'>

/** The account of the actor, and the answers of the other parts of the batch. */
type Acted<Named extends Parts> = { account: Acting } & Answers<Named>

/** How the writes of an action count: as a change, unless one of these is true. */
export interface ActionKind {
  /**
   * It only takes access away, so it does not count: a thief who uses up the changes of a user must
   * not keep the user from ending what the thief has. A write carries `mayEnd`, and writes nothing
   * when nothing ends, so what was made bounds it.
   */
  ends?: boolean
  /** It confirms the session, so it counts for this session alone. A write carries `mayConfirm`. */
  confirms?: boolean
}

/**
 * Acts for a user in one round trip: D1 checks the session or the app password and runs `parts` in
 * order, in one transaction. A write among them carries `isLive`, so it changes nothing when the
 * session or the app password has ended. All writes of users pass here, so here they are counted.
 *
 * @returns The account, and the answer of each part under its name.
 * @throws {Refusal} 401 when the account is gone or disabled, or the session or the app password
 *   has ended; 403 when the session lacks the second factor that its user must use, or the app
 *   password was made without one; `scopeNeeded` and `sessionNeeded` for an app password;
 *   `tooManyChanges` when a part writes.
 */
export function actAs<Named extends Parts>(
  deps: ActorDeps,
  actor: Actor,
  parts: Named,
  kind: ActionKind = {},
): Promise<Acted<Named>> {
  const as = hasWrites(parts) ? countedAs(actor, kind) : undefined
  return actWith(deps.db, deps, actor, parts, as)
}

function countedAs(actor: Actor, { ends = false, confirms = false }: ActionKind) {
  if (confirms && isSessionActor(actor)) return 'confirmation'
  return ends ? undefined : 'change'
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
  return readNearby(deps, actor, (db) => actWith(db, deps, actor, parts))
}

/** Reads the account of an actor, with the authority and from the places of `readAs`. */
export function readAccountAs(deps: ReaderDeps, actor: Actor): Promise<Acting> {
  return readRowAs(deps, actor, selectActor)
}

/** Works like `readAccountAs`, with further columns in the same row. */
export function readRowAs<Row extends Found>(
  deps: ReaderDeps,
  actor: Actor,
  query: Pick<ActorQuery<Row>, 'alone'>,
): Promise<Row> {
  return readNearby(deps, actor, async (db) => {
    const now = deps.now()
    const [found] = await query.alone(db, actor, now)
    return admit(deps, actor, found, now)
  })
}

async function readNearby<Result>(
  deps: ReaderDeps,
  actor: Actor,
  read: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = await deps.nearbyDb(actor.bookmark)
  if (db === undefined) return read(deps.db)
  try {
    return await read(db)
  } catch (error) {
    if (error instanceof Refusal && error.code === 401 && deps.meter.fromPrimary) throw error
    return read(deps.db)
  }
}

async function actWith<Named extends Parts>(
  db: Database,
  deps: ActorDeps,
  actor: Actor,
  parts: Named,
  as?: CountedAs,
): Promise<Acted<Named>> {
  const now = deps.now()
  const change = as && changeParts(db, authorityOf(db, actor, as, now), actor, as, now)
  const first = { found: selectActor.inBatch(db, actor, now), ...change }
  const [{ found, spent = [] }, answers] = await runBatchAfter(db, first, parts)
  const account = admit(deps, actor, found[0], now)
  refuseTooManyChanges(spent, now)
  return { ...answers, account }
}

/** Returns the condition under which a request is counted. */
function authorityOf(db: Database, actor: Actor, as: CountedAs, now: number): Authority {
  return as === 'confirmation' && isSessionActor(actor)
    ? mayConfirm(db, actor, now)
    : isLive(db, actor, now)
}

/** @throws {Refusal} As `actAs` says. */
function admit<Row extends Found>(
  deps: ActorDeps,
  actor: Actor,
  found: Row | undefined,
  now: number,
): Row {
  const account = isSessionActor(actor)
    ? admitSession(deps, actor, found, now)
    : admitAppPassword(deps, actor, found, now)
  deps.db.admitted.add(credentialOf(actor))
  return account
}

function admitSession<Row extends Found>(
  deps: ActorDeps,
  actor: SessionActor,
  found: Row | undefined,
  now: number,
): Row {
  const account = admitLive(actor, found, now)
  // When this fails, the list of sessions shows the previous network and time.
  if (!isSessionUseNoted(account, actor, now))
    deps.defer(noteSessionUse(deps.db, actor, now).catch(() => undefined))
  return account
}

function admitAppPassword<Row extends Found>(
  deps: ActorDeps,
  actor: AppPasswordActor,
  account: Row | undefined,
  now: number,
): Row {
  const appPassword = account?.appPassword ?? null
  if (account === undefined || appPassword === null) throw new Refusal('tokenInvalidated')
  if (appPassword.expiresAt !== null && appPassword.expiresAt <= now)
    throw new Refusal('tokenExpired')
  if (!isEnabledAt(account, now)) throw new Refusal('accountDisabled')
  deps.db.owners.set(actor.tokenHash, account.id)
  refuseMissingScope(actor, appPassword.scopes)
  if (!isEnough(account.factorState, undefined)) throw new Refusal('tokenLacksFactor')
  noteUse(deps, actor, { ...appPassword, userId: account.id }, now)
  return account
}

/** @throws {Refusal} `sessionNeeded`, `scopeNeeded`. */
function refuseMissingScope({ needs }: AppPasswordActor, scopes: readonly AppPasswordScope[]) {
  if (needs === 'session') throw new Refusal('sessionNeeded')
  if (!hasScope(scopes, needs)) throw new Refusal('scopeNeeded', { values: { scope: needs } })
}

function admitLive<Row extends Found>(
  session: SessionActor,
  account: Row | undefined,
  now: number,
): Row {
  if (account === undefined) throw new Refusal('tokenInvalidated')
  if (!isEnabledAt(account, now)) throw new Refusal('accountDisabled')
  if (account.network !== null) {
    if (isEnough(account.factorState, session.mayLackFactor)) return account
    const isMissing = account.factorState === 'missing'
    throw new Refusal(isMissing ? 'secondFactorMissing' : 'secondFactorUnused')
  }
  // `iat` counts whole seconds, so a token from the second of the change counts as old.
  const isOlderThanPassword = session.issuedAtSeconds * 1000 <= account.passwordChangedAt
  throw new Refusal(isOlderThanPassword ? 'passwordChanged' : 'tokenInvalidated')
}
