import { type SQL, sql } from 'drizzle-orm'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Actor, SessionActor } from '../../core/access/actor.ts'
import { appPasswordDeletion, isAppPasswordOfUser } from '../../core/access/app-password-store.ts'
import {
  allSessions,
  endSessions,
  endsSomething,
  oneSession,
  otherSessions,
} from '../../core/access/endings.ts'
import type { Operator } from '../../core/access/operators.ts'
import { hasSession, selectSessions } from '../../core/access/session-store.ts'
import { change, type ChangeDeps, of, own, read, type Subject } from '../../core/access/subject.ts'
import { insertEvent, insertEvents } from '../../core/audit/events.ts'
import {
  newNetworks,
  selectCountries,
  selectNewNetworks,
} from '../../core/audit/sign-in-networks.ts'
import type { SharedParts } from '../../core/database/shared-batch.ts'
import { Refusal } from '../../core/base/refusals.ts'

/** Lists the sessions of an account, latest first, with it. @throws {Refusal} Those of `read`. */
export function listSessions<S extends Subject>(deps: ReaderDeps, subject: S) {
  const sessions = selectSessions(deps.db, subject.userId, deps.now())
  return read(deps, subject, { sessions })
}

/**
 * Lists the sessions of the actor's account with the countries of their networks, and the networks
 * that are new.
 *
 * @param others Statements of others, which run in the same batch.
 */
export async function listOwnSessions(
  deps: ReaderDeps,
  actor: SessionActor,
  others: SharedParts = {},
) {
  const { db } = deps
  const { userId, network } = actor
  const now = deps.now()
  const { countries, ...found } = await read(deps, own(actor), {
    sessions: selectSessions(db, userId, now),
    countries: selectCountries(db, userId),
    newNetworks: selectNewNetworks(db, userId, now, network),
    ...others,
  })
  const known = new Map(countries.map((row) => [row.network, row.country ?? '']))
  return { ...found, countries: known }
}

/**
 * Notes that the actor knows a new network: nothing warns of it any more.
 *
 * @throws {Refusal} `confirmationNeeded`.
 */
export function confirmNetwork(
  deps: ChangeDeps,
  actor: SessionActor,
  network: string,
): Promise<void> {
  return answer(deps, actor, 'network_checked', sql`found.network = ${network}`)
}

/**
 * Notes that the actor has secured the account after the sign-ins from all new networks: nothing
 * warns of those sign-ins any more, but of the next one (`checkedAt`).
 *
 * @throws {Refusal} `confirmationNeeded`.
 */
export function finishCheck(deps: ChangeDeps, actor: SessionActor): Promise<void> {
  return answer(deps, actor, 'account_checked')
}

/**
 * Answers the question about new networks. Not about the one where the actor is, so that a thief
 * can't hide there, and only from a fresh session.
 */
async function answer(
  deps: ChangeDeps,
  actor: SessionActor,
  kind: 'network_checked' | 'account_checked',
  where?: SQL,
): Promise<void> {
  const { db } = deps
  await change(deps, own(actor), { kind, fresh: true }, ({ now, by, event }) => ({
    events: insertEvents(
      db,
      by,
      event,
      { detail: sql`found.network` },
      { from: newNetworks(actor.userId, now, actor.network), where },
    ),
  }))
}

/**
 * @throws {Refusal} `userNotFound`; `sessionNotFound` for an unknown id and for the session of
 *   another user.
 */
export async function endSession(
  deps: ChangeDeps,
  subject: Subject,
  sessionId: string,
): Promise<void> {
  const { db } = deps
  const ending = oneSession(subject.userId, sessionId)
  const { ended } = await change(
    deps,
    subject,
    { kind: 'session_ended', ends: true },
    ({ by, event }) => ({
      event: insertEvent(db, by, event, hasSession(db, ending.sessions)),
      ...endSessions(db, by, ending),
    }),
  )
  if (ended.length === 0) throw new Refusal('sessionNotFound')
}

/**
 * Ends every session of the actor except the present one. From an app password, it ends them all.
 * App passwords stay.
 */
export async function endOtherSessions(deps: ChangeDeps, actor: Actor): Promise<void> {
  const { db } = deps
  const others = otherSessions(actor)
  await change(
    deps,
    own(actor),
    { kind: 'session_ended', detail: 'all others', ends: true },
    ({ by, event }) => ({
      event: insertEvent(db, by, event, endsSomething(db, others)),
      ...endSessions(db, by, others),
    }),
  )
}

/**
 * Ends every session of an account, that of the actor included, and deletes all app passwords.
 *
 * @returns The number of sessions and of app passwords that ended.
 * @throws {Refusal} `userNotFound`.
 */
export async function endEverything(
  deps: ChangeDeps,
  subject: Subject<number>,
): Promise<{ sessions: number; appPasswords: number }> {
  const { db } = deps
  const { userId, isOwn } = subject
  const ending = allSessions(userId)
  const { ended, deleted } = await change(
    deps,
    subject,
    { kind: 'session_ended', detail: isOwn ? 'everything' : 'all', ends: true },
    ({ by, event }) => {
      const deletion = { ...event, kind: 'token_deleted' } as const
      return {
        event: insertEvent(db, by, event, hasSession(db, ending.sessions)),
        ...appPasswordDeletion(db, by, isAppPasswordOfUser(userId), deletion),
        ...endSessions(db, by, ending),
      }
    },
  )
  return { sessions: ended.length, appPasswords: deleted.length }
}

/**
 * Ends the sessions of every user, including operators. A restored backup may contain sessions that
 * have ended since.
 *
 * @returns The number of sessions that ended.
 * @throws {Refusal} `notAdmin`.
 */
export async function endEverySession(deps: ChangeDeps, operator: Operator): Promise<number> {
  const { db } = deps
  const { ended } = await change(
    deps,
    of(operator),
    { kind: 'session_ended', detail: 'everyone' },
    ({ by, event }) => ({
      event: insertEvent(db, by, event, hasSession(db)),
      ...endSessions(db, by, {}),
    }),
  )
  return ended.length
}
