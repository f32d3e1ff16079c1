import { and, count, eq, exists, not, sql, type SQLWrapper } from 'drizzle-orm'
import { appPasswords, sessions, sshKeys, users } from '../../../schema/tables.ts'
import { isAdmin } from '../accounts/conditions.ts'
import { insertEvents } from '../audit/events.ts'
import type { EventKind } from '../audit/kinds.ts'
import { Refusal } from '../base/refusals.ts'
import { asAuthority, writing } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import type { ReaderDeps } from './act-as.ts'
import type { SessionActor } from './actor.ts'
import type { Operator } from './operators.ts'
import { isSession, selectFreshActor } from './session-store.ts'
import { hasShownFactor, isMadeWithEnough, isMadeWithPassword } from './sign-in-methods.ts'
import { change, type ChangeDeps, of, own, read } from './subject.ts'

type Table = typeof appPasswords | typeof sshKeys

/**
 * Selects the app passwords and SSH keys of a user that open nothing now, because the site demands
 * a second factor and they were made without one.
 */
export function selectClosed(db: Database, userId: UserId) {
  const closed = (table: Table) =>
    db
      .select({ id: table.id })
      .from(table)
      .innerJoin(users, eq(users.id, table.userId))
      .where(and(eq(table.userId, userId), not(isMadeWithEnough(table.amr))))
  return { closedAppPasswords: closed(appPasswords), closedKeys: closed(sshKeys) }
}

/** Numbers of app passwords and SSH keys. */
export interface Credentials {
  appPasswords: number
  keys: number
}

/** The numbers of credentials made with a password alone: those of admins, and all. */
export interface MadeWithPassword {
  admins: Credentials
  everybody: Credentials
}

/**
 * Counts the app passwords and SSH keys that a demand for a second factor closes.
 *
 * @throws {Refusal} `notAdmin`.
 */
export async function countMadeWithPassword(
  deps: ReaderDeps,
  operator: Operator,
): Promise<MadeWithPassword> {
  const counted = (table: Table) =>
    deps.db
      .select({
        everybody: count(),
        admins: sql<number>`total(${isAdmin})`.mapWith(Number).as('of_admins'),
      })
      .from(table)
      .innerJoin(users, eq(users.id, table.userId))
      .where(isMadeWithPassword(table.amr))
  const found = await read(deps, of(operator), {
    appPasswords: counted(appPasswords),
    keys: counted(sshKeys),
  })
  const [ofAppPasswords] = found.appPasswords
  const [ofKeys] = found.keys
  const numbers = (whose: 'admins' | 'everybody') => ({
    appPasswords: ofAppPasswords?.[whose] ?? 0,
    keys: ofKeys?.[whose] ?? 0,
  })
  return { admins: numbers('admins'), everybody: numbers('everybody') }
}

/** Returns what a value of the setting `require_second_factor` closes. */
export function closedBy(demand: string | undefined, made: MadeWithPassword): Credentials {
  if (demand === 'everybody') return made.everybody
  return demand === 'admins' ? made.admins : { appPasswords: 0, keys: 0 }
}

/**
 * Keeps the app passwords and SSH keys of the actor that were made without a second factor: they
 * count as made with that of the session.
 *
 * @returns How many were kept.
 * @throws {Refusal} `confirmationNeeded`; `keepNeedsFactor` when the session has shown none.
 */
export async function keepCredentials(deps: ChangeDeps, actor: SessionActor): Promise<Credentials> {
  const { db } = deps
  const { userId, sessionId } = actor
  const hasFactor = hasShownFactor(sessions.amr)
  const isWeak = (table: Table) => and(eq(table.userId, userId), isMadeWithPassword(table.amr))
  const kept = await change(
    deps,
    own(actor),
    { kind: 'token_kept', fresh: true },
    ({ now, amr, event }) => {
      const by = asAuthority(exists(selectFreshActor(deps, actor, now, hasFactor)))
      const keep = (table: Table) =>
        writing(db, by).update(table, { amr }, isWeak(table)).returning({ id: table.id })
      // They stand before the updates, which leave none of these rows.
      const written = (table: Table, kind: EventKind, detail: SQLWrapper) =>
        insertEvents(db, by, { ...event, kind }, { detail }, { from: table, where: isWeak(table) })
      return {
        shown: db
          .select({ id: sessions.id })
          .from(sessions)
          .where(and(isSession(userId, sessionId), hasFactor)),
        event: written(appPasswords, 'token_kept', appPasswords.name),
        appPasswords: keep(appPasswords),
        keyEvent: written(sshKeys, 'key_kept', sshKeys.title),
        keys: keep(sshKeys),
      }
    },
  )
  if (kept.shown.length === 0) throw new Refusal('keepNeedsFactor')
  return { appPasswords: kept.appPasswords.length, keys: kept.keys.length }
}
