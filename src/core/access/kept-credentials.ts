import { and, count, eq, exists, not, type SQL, sql } from 'drizzle-orm'
import { appPasswords, auditEvents, sessions, sshKeys, users } from '../../../schema/tables.ts'
import { isAdmin } from '../accounts/conditions.ts'
import { type AuditEvent, eventOf, eventRow, logEvent } from '../audit/events.ts'
import { Refusal } from '../base/refusals.ts'
import { asAuthority, type Authority, writing } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import { actFreshAs, type ActorDeps } from './act-as.ts'
import type { SessionActor } from './actor.ts'
import type { FreshnessDeps } from './freshness.ts'
import { actAsOperator, type Operator } from './operators.ts'
import { isSession, methodsOf, selectFreshActor } from './session-store.ts'
import { hasShownFactor, isMadeWithEnough, isMadeWithPassword } from './sign-in-methods.ts'

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
  deps: ActorDeps,
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
  const found = await actAsOperator(deps, operator, {
    appPasswords: counted(appPasswords),
    keys: counted(sshKeys),
  })
  const [ofAppPasswords] = found.appPasswords
  const [ofKeys] = found.keys
  const numbers = (of: 'admins' | 'everybody') => ({
    appPasswords: ofAppPasswords?.[of] ?? 0,
    keys: ofKeys?.[of] ?? 0,
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
export async function keepCredentials(
  deps: ActorDeps & FreshnessDeps,
  actor: SessionActor,
): Promise<Credentials> {
  const { db } = deps
  const { userId, sessionId } = actor
  const now = deps.now()
  const hasFactor = hasShownFactor(sessions.amr)
  const by = asAuthority(exists(selectFreshActor(deps, actor, now, hasFactor)))
  const ofAppPasswords = eventOf(actor, 'token_kept', now)
  const ofKeys = eventOf(actor, 'key_kept', now)
  const amr = methodsOf(db, actor)
  const { shown, ...kept } = await actFreshAs(deps, actor, now, {
    shown: db
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(isSession(userId, sessionId), hasFactor)),
    tokenEvents: insertEvents(db, by, appPasswords, userId, ofAppPasswords, appPasswords.name),
    appPasswords: writing(db, by)
      .update(appPasswords, { amr }, isWeakOf(appPasswords, userId))
      .returning({ detail: appPasswords.name }),
    keyEvents: insertEvents(db, by, sshKeys, userId, ofKeys, sshKeys.title),
    keys: writing(db, by)
      .update(sshKeys, { amr }, isWeakOf(sshKeys, userId))
      .returning({ detail: sshKeys.title }),
  })
  if (shown.length === 0) throw new Refusal('keepNeedsFactor')
  for (const { detail } of kept.appPasswords) logEvent({ ...ofAppPasswords, detail })
  for (const { detail } of kept.keys) logEvent({ ...ofKeys, detail })
  return { appPasswords: kept.appPasswords.length, keys: kept.keys.length }
}

function isWeakOf(table: Table, userId: UserId): SQL | undefined {
  return and(eq(table.userId, userId), isMadeWithPassword(table.amr))
}

/** Writes an event for each credential that is about to be kept. */
function insertEvents(
  db: Database,
  by: Authority,
  table: Table,
  userId: UserId,
  event: AuditEvent,
  detail: SQL | typeof appPasswords.name | typeof sshKeys.title,
) {
  const row = { ...eventRow(event), detail }
  return writing(db, by).insert(auditEvents, row, { from: table, where: isWeakOf(table, userId) })
}
