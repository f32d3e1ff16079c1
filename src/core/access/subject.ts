import type { SQL } from 'drizzle-orm'
import type { Account } from '../accounts/accounts.ts'
import { ADMIN } from '../accounts/roles.ts'
import { selectUser } from '../accounts/store.ts'
import { type AuditEvent, eventOf, hasEvent, logWritten } from '../audit/events.ts'
import type { EventKind } from '../audit/kinds.ts'
import { Refusal } from '../base/refusals.ts'
import { type Answers, type Authority, type Parts, runBatch } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import {
  actAs,
  type Acting,
  type ActionKind,
  type ActorDeps,
  readAs,
  type ReaderDeps,
} from './act-as.ts'
import { type Actor, isSessionActor } from './actor.ts'
import { type FreshnessDeps, isFreshAt } from './is-fresh.ts'
import {
  eventBy,
  isActor,
  isFreshOperator,
  isOperator,
  methodsOfOperator,
  type Operator,
} from './operators.ts'
import { isFresh, isLive, mayConfirm, mayEnd, mayEndFresh } from './session-store.ts'

/** Users who act on their own account. */
export interface OwnAccount<Id extends UserId | undefined = UserId> {
  readonly isOwn: true
  readonly by: Actor
  readonly userId: Id
}

/** An operator who acts on the account of a user, or on the whole site. */
interface AccountOfUser<Id extends UserId | undefined = UserId> {
  readonly isOwn: false
  readonly by: Operator
  readonly userId: Id
}

/**
 * An account that is read or changed, and the actor who does it. D1 checks both in the batch of
 * `read`, `act` and `change`; the subject itself proves nothing.
 */
export type Subject<Id extends UserId | undefined = UserId> = OwnAccount<Id> | AccountOfUser<Id>

/** The subject of a decision on the whole site, or on a thing whose owner the operator didn't name. */
type AnySubject = Subject<UserId | undefined>

/** The account of the actor. */
export function own<By extends Actor>(actor: By): OwnAccount<By['userId']> {
  return { isOwn: true, by: actor, userId: actor.userId }
}

/** The account of any user, for an operator; without `userId`, what belongs to no single user. */
export function of(operator: Operator): AccountOfUser<undefined>
export function of<Id extends number | undefined>(operator: Operator, userId: Id): AccountOfUser<Id>
export function of(operator: Operator, userId?: number): AccountOfUser<number | undefined> {
  return { isOwn: false, by: operator, userId }
}

/** The account of the subject: that of the actor, or that of the user. */
export type AccountOf<S> =
  S extends OwnAccount<UserId | undefined> ? Acting : S extends Subject ? Account : undefined

/** Statements by name. The answer has other things by these names. */
type FreeParts = Parts & { owner?: never; account?: never; now?: never }

type Read<S, Named extends Parts> = { account: AccountOf<S> } & Answers<Named>

/** `now`: of the statements; Unix time, milliseconds. */
type Done<S, Named extends Parts> = { now: number } & Read<S, Named>

export type ChangeDeps = ActorDeps & FreshnessDeps

/** The demands of an action on a session. */
interface Demand extends ActionKind {
  /** It gives access, so the session must be fresh. */
  fresh?: boolean
}

/** The arguments of a function that makes the statements of an action. */
interface Given {
  /** Unix time, milliseconds. */
  now: number
  /** The condition that every write of the action carries. */
  by: Authority
  /** The methods that something is made with. */
  amr: SQL
}

/**
 * Reads for a user or an operator, in one round trip.
 *
 * @throws {Refusal} The refusals of `actAs`; `notAdmin`, `userNotFound`.
 */
export function read<S extends AnySubject, Named extends FreeParts>(
  deps: ReaderDeps,
  subject: S,
  parts: Named,
): Promise<Read<S, Named>>
export async function read(
  deps: ReaderDeps,
  subject: AnySubject,
  parts: Parts,
): Promise<Record<string, unknown>> {
  if (subject.isOwn) return readAs(deps, subject.by, parts)
  const { account, owner, ...answers }: Ran = await run(deps, subject, {
    owner: selectOwner(deps.db, subject),
    ...parts,
  })
  refuseOthers(subject, account)
  return { ...answers, account: found(owner) }
}

/**
 * Acts for a user or an operator, in one round trip: D1 checks who acts and runs the statements in
 * order, in one transaction. Afterwards it logs the events that were written. What an actor is told
 * comes in this order: the refusals of `actAs`, `notAdmin`, `confirmationNeeded`, `userNotFound`;
 * the caller adds its own refusals after them.
 *
 * @param demand A part with the name `guarded` that returns a row demands a fresh session too.
 * @param statements Makes the statements, by name.
 * @returns The account of the subject, and the answer of each statement under its name.
 */
export function act<S extends AnySubject, Named extends FreeParts>(
  deps: ChangeDeps,
  subject: S,
  demand: Demand,
  statements: (given: Given) => Named | Promise<Named>,
): Promise<Done<S, Named>>
export async function act(
  deps: ChangeDeps,
  subject: AnySubject,
  demand: Demand,
  statements: (given: Given) => Parts | Promise<Parts>,
): Promise<Record<string, unknown>> {
  const now = deps.now()
  const parts = await statements({
    now,
    by: authorityOf(deps, subject, demand, now),
    amr: methodsOfOperator(deps.db, subject.by),
  })
  const { account, owner, ...answers }: Ran = await run(
    deps,
    subject,
    { owner: selectOwner(deps.db, subject), ...parts },
    demand,
  )
  logWritten(parts, answers)
  refuseOthers(subject, account)
  const isStale = account !== undefined && !isFreshAt(deps, account.provenAt, now)
  if (isStale && (demand.fresh || hasRows(answers['guarded'])))
    throw new Refusal('confirmationNeeded')
  return { ...answers, now, account: subject.isOwn ? account : found(owner) }
}

/** An event and what its change demands of a session. */
interface Change extends Demand {
  kind: EventKind
  detail?: string
}

/**
 * Works like `act`, for a change that has an event.
 *
 * @param statements They write the event with the condition of the change, at the place of the
 *   batch where it can be read. Further events are copies of it with another kind.
 * @throws {TypeError} When no statement writes an event.
 */
export function change<S extends AnySubject, Named extends FreeParts>(
  deps: ChangeDeps,
  subject: S,
  { kind, detail, ...demand }: Change,
  statements: (given: Given & { event: AuditEvent }) => Named | Promise<Named>,
): Promise<Done<S, Named>> {
  return act(deps, subject, demand, async (given) => {
    const parts = await statements({ ...given, event: eventFor(subject, kind, given.now, detail) })
    if (!hasEvent(parts)) throw new TypeError(`no statement of this change writes ${kind}`)
    return parts
  })
}

/** Returns the condition under which a subject's actor may act. */
export function authorityOf(
  deps: Pick<ChangeDeps, 'db' | 'freshSeconds'>,
  { isOwn, by }: AnySubject,
  { fresh = false, ends = false, confirms = false }: Demand,
  now: number,
): Authority {
  if (!isOwn) return fresh ? isFreshOperator(deps, by, now) : isOperator(deps.db, by, now)
  if (confirms && isSessionActor(by)) return mayConfirm(deps.db, by, now)
  if (ends) return fresh ? mayEndFresh(deps, by, now) : mayEnd(deps.db, by, now)
  return fresh ? isFresh(deps, by, now) : isLive(deps.db, by, now)
}

/** Selects the user of an operator. The account of an actor comes with the check of the session. */
function selectOwner(db: Database, { isOwn, userId }: AnySubject) {
  return isOwn || userId === undefined ? undefined : selectUser(db, userId)
}

interface Ran {
  account?: Acting
  owner?: Account[] | undefined
  [part: string]: unknown
}

async function run<Named extends Parts>(
  deps: ActorDeps,
  { isOwn, by }: AnySubject,
  parts: Named,
  kind: ActionKind = {},
): Promise<{ account?: Acting } & Answers<Named>> {
  return isActor(by) ? actAs(deps, by, parts, isOwn ? kind : {}) : runBatch(deps.db, parts)
}

/** @throws {Refusal} `notAdmin` for another user who acts as an operator. */
function refuseOthers({ isOwn }: AnySubject, account: Acting | undefined): void {
  if (!isOwn && account !== undefined && account.role !== ADMIN) throw new Refusal('notAdmin')
}

function eventFor(subject: AnySubject, kind: EventKind, at: number, detail = ''): AuditEvent {
  return subject.isOwn
    ? eventOf(subject.by, kind, at, detail)
    : eventBy(subject.by, subject.userId, kind, at, detail)
}

/** @throws {Refusal} `userNotFound`; nothing when no user was looked for. */
function found(owner: Account[] | undefined): Account | undefined {
  if (owner?.length === 0) throw new Refusal('userNotFound')
  return owner?.[0]
}

function hasRows(answer: unknown): boolean {
  return Array.isArray(answer) && answer.length > 0
}
