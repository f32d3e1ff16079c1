import { TEXTS } from '../../../.build/queries/actor.ts'
import { accountReaders } from '../accounts/account-readers.ts'
import type { Account } from '../accounts/accounts.ts'
import { isEnabledAt } from '../accounts/enabled-at.ts'
import { Refusal } from '../base/refusals.ts'
import { runText } from '../database/query-text.ts'
import { type Database, type Deps, loadWithDatabase } from '../deps.ts'
import {
  type Actor,
  type AppPasswordActor,
  credentialOf,
  isSessionActor,
  type SessionActor,
} from './actor.ts'
import type { ActorRow } from './actor-queries.ts'
import { appPasswordReaders, type AppPasswordState, isUseNoted } from './app-password-state.ts'
import { type FactorState, isEnough } from './leniency.ts'
import { type AppPasswordScope, hasScope } from './scopes.ts'
import { isSessionUseNoted } from './session-use.ts'

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

export type ActorDeps = Pick<Deps, 'db' | 'now' | 'defer'>

/** The dependencies of a read that a replica may answer. */
export type ReaderDeps = ActorDeps & Pick<Deps, 'nearbyDb' | 'meter'>

/** Runs a query for the row of an actor alone. */
type FindActor<Row extends ActorRow> = (db: Database, actor: Actor, now: number) => Promise<Row[]>

const { names, ofSession, ofAppPassword } = TEXTS

/** Runs the query of `selectActor` from its text, because nearly every request does. */
export const findActor: FindActor<ActorRow> = function findActor(db, actor, now) {
  return isSessionActor(actor)
    ? runText<ActorRow>(db, ofSession, { names, readers: accountReaders }, { ...actor, now })
    : runText<ActorRow>(
        db,
        ofAppPassword,
        { names, readers: appPasswordReaders },
        { ...actor, now },
      )
}

/** Reads the account of an actor, with the authority and from the places of `readAs`. */
export function readAccountAs(deps: ReaderDeps, actor: Actor): Promise<Acting> {
  return readRowAs(deps, actor, findActor)
}

/** Works like `readAccountAs`, with further columns in the same row. */
export function readRowAs<Row extends ActorRow>(
  deps: ReaderDeps,
  actor: Actor,
  find: FindActor<Row>,
): Promise<Row> {
  return readNearby(deps, actor, async (db) => {
    const now = deps.now()
    const [found] = await find(db, actor, now)
    return admit(deps, actor, found, now)
  })
}

/** Reads from a replica where it may, and from the primary where that refuses or fails. */
export async function readNearby<Result>(
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

/**
 * Checks the row of an actor, and records its use.
 *
 * @throws {Refusal} As `actAs` says.
 */
export function admit<Row extends ActorRow>(
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

function admitSession<Row extends ActorRow>(
  deps: ActorDeps,
  actor: SessionActor,
  found: Row | undefined,
  now: number,
): Row {
  const account = admitLive(actor, found, now)
  // When this fails, the list of sessions shows the previous network and time.
  if (!isSessionUseNoted(account, actor, now))
    deps.defer(noteSessionUse(deps, actor, now).catch(() => undefined))
  return account
}

function admitAppPassword<Row extends ActorRow>(
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
  // When this fails, the next use is recorded.
  if (!isUseNoted(appPassword, now)) {
    const used = { ...appPassword, userId: account.id }
    deps.defer(noteAppPasswordUse(deps, actor, used, now).catch(() => undefined))
  }
  return account
}

/** @throws {Refusal} `sessionNeeded`, `scopeNeeded`. */
function refuseMissingScope({ needs }: AppPasswordActor, scopes: readonly AppPasswordScope[]) {
  if (needs === 'session') throw new Refusal('sessionNeeded')
  if (!hasScope(scopes, needs)) throw new Refusal('scopeNeeded', { values: { scope: needs } })
}

function admitLive<Row extends ActorRow>(
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

// What writes is loaded after the answer, because most requests write nothing.

async function noteSessionUse({ db }: ActorDeps, actor: SessionActor, now: number): Promise<void> {
  const store = await loadWithDatabase(() => import('./session-store.ts'))
  await store.noteSessionUse(db, actor, now)
}

async function noteAppPasswordUse(
  { db }: ActorDeps,
  actor: AppPasswordActor,
  used: AppPasswordState & { userId: number },
  now: number,
): Promise<void> {
  const store = await loadWithDatabase(() => import('./app-password-store.ts'))
  await store.recordUse(db, actor, used, now)
}
