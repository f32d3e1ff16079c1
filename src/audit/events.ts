import { and, count, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { auditEvents, users } from '../../schema/tables.ts'
import { type Authority, THE_SERVICE, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { type Client, COMMAND_LINE } from '../base/network.ts'
import type { PageWindow } from '../base/paging.ts'
import { type Change, changesIn } from './changes.ts'

/** The kinds of events, for users who check their own account and for operators. */
export const EVENT_KINDS = [
  'sign_in',
  'sign_in_refused',
  'service_sign_in',
  'recovery_code_used',
  'recovery_codes_made',
  'two_factor_on',
  'two_factor_off',
  'password_changed',
  'profile_changed',
  'session_ended',
  'key_added',
  'key_deleted',
  'key_used',
  'user_made',
  'user_changed',
  'role_changed',
  'password_reset',
  'two_factor_cancelled',
  'user_disabled',
  'user_enabled',
  'user_deleted',
  'user_unlocked',
  'users_imported',
  'service_token_made',
  'service_token_ended',
  'settings_changed',
  'proof_refused',
] as const

export type EventKind = (typeof EVENT_KINDS)[number]

export interface AuditEvent extends Client {
  /** Unix time, milliseconds. */
  at: number
  kind: EventKind
  /**
   * The user that the event concerns; `undefined` when no user has the name, and for an event of
   * the whole site.
   */
  userId?: number
  /** Keyed hash of a name that no account has. The name itself may be a password in the wrong field. */
  nameHash?: string
  /** The class of a refusal or the title of a key, never a secret. */
  detail?: string
  /** The admin who acted on another user. */
  actorId?: number
  /** The changed fields of a record, never a secret. */
  changes?: readonly Change[]
}

/** Creates an event that a signed-in user caused. */
export function eventOf(
  actor: Client & { userId: number },
  kind: EventKind,
  at: number,
  detail = '',
): AuditEvent {
  return {
    at,
    kind,
    userId: actor.userId,
    detail,
    network: actor.network,
    userAgent: actor.userAgent,
  }
}

/** Writes an event; with `when`, only if that condition holds at this point of the batch. */
export function insertEvent(db: Database, by: Authority, event: AuditEvent, when?: SQL) {
  return writing(db, by).insert(auditEvents, eventRow(event), { where: when })
}

/** Returns the columns of an event. A caller may replace columns with those of another row. */
export function eventRow({ at, kind, userId, nameHash, detail, ...event }: AuditEvent) {
  return {
    at,
    kind,
    userId: userId ?? null,
    nameHash: nameHash ?? null,
    detail: detail ?? '',
    network: event.network,
    userAgent: event.userAgent,
    actorId: event.actorId ?? null,
    changes: event.changes === undefined ? null : JSON.stringify(event.changes),
  }
}

const actors = alias(users, 'actors')

/** The kinds whose detail only this service wrote, with the actor at its end. */
const KINDS_WITH_ACTOR_IN_DETAIL: readonly EventKind[] = [
  'user_made',
  'user_changed',
  'user_deleted',
  'user_unlocked',
  'two_factor_off',
  'session_ended',
]

/** The id of the actor: the column, or in older events the end of the detail (`by 7`). */
const actorId = sql<number | null>`coalesce(${auditEvents.actorId}, iif(
  ${auditEvents.kind} in ${KINDS_WITH_ACTOR_IN_DETAIL}
    and (${auditEvents.detail} glob 'by [0-9]*' or ${auditEvents.detail} glob '*, by [0-9]*'),
  cast(substr(${auditEvents.detail}, instr(${auditEvents.detail}, 'by ') + 3) as integer),
  null
))`

/** The columns of an event that every list reads. */
const eventColumns = {
  id: auditEvents.id,
  at: auditEvents.at,
  kind: auditEvents.kind,
  userId: auditEvents.userId,
  detail: auditEvents.detail,
  network: auditEvents.network,
  userAgent: auditEvents.userAgent,
  actorId: actorId.as('by_id'),
  actorName: sql<string | null>`${actors.username}`.as('by_name'),
  // Drizzle does not pass null to the decoder.
  changes: sql`coalesce(${auditEvents.changes}, '')`.mapWith(changesIn).as('changed'),
}

/** Selects the events of a user, latest first. */
export function selectEvents(db: Database, userId: number, { limit, offset }: PageWindow) {
  return db
    .select(eventColumns)
    .from(auditEvents)
    .leftJoin(actors, eq(actors.id, actorId))
    .where(eq(auditEvents.userId, userId))
    .orderBy(desc(auditEvents.id))
    .limit(limit)
    .offset(offset)
}

/** The conditions on the events of a list. A missing condition allows every event. */
export interface EventFilter {
  userId?: number
  kind?: EventKind
  /** Unix time, milliseconds. */
  since?: number
}

/** Selects the events of the whole site, latest first. Some belong to no user. */
export function selectAllEvents(
  db: Database,
  { userId, kind, since }: EventFilter,
  { limit, offset }: PageWindow,
) {
  return (
    db
      .select({
        ...eventColumns,
        username: users.username,
        nameHash: auditEvents.nameHash,
        times: auditEvents.times,
      })
      .from(auditEvents)
      .leftJoin(users, eq(users.id, auditEvents.userId))
      .leftJoin(actors, eq(actors.id, actorId))
      .where(
        and(
          userId === undefined ? undefined : eq(auditEvents.userId, userId),
          kind === undefined ? undefined : eq(auditEvents.kind, kind),
          since === undefined ? undefined : isSince(since),
        ),
      )
      // The order is that of the table or of an index, so D1 reads only the rows that are shown.
      .orderBy(desc(auditEvents.id))
      .limit(limit)
      .offset(offset)
  )
}

export function countEvents(db: Database, userId: number) {
  return db.select({ total: count() }).from(auditEvents).where(eq(auditEvents.userId, userId))
}

export function pruneEvents(db: Database, before: number) {
  const isEarly = lte(auditEvents.id, sql`${firstIdSince(before)} + ${OUT_OF_ORDER_EVENTS}`)
  return writing(db, THE_SERVICE).delete(auditEvents, and(isEarly, lte(auditEvents.at, before)))
}

/**
 * An event may be this much older than the events before it, because a shared event keeps its first
 * time.
 */
const LATE_MILLISECONDS = 10 * 60 * 1000

/** Number of events that may be written after newer ones. */
const OUT_OF_ORDER_EVENTS = 100

/**
 * Number of consecutive events that must all be older than a time before the search skips them. A
 * few events from a slow clock are not enough.
 */
const NEIGHBOURS = 8

function isSince(since: number) {
  const isLate = gte(auditEvents.id, firstIdSince(since - LATE_MILLISECONDS))
  return and(isLate, gte(auditEvents.at, since))
}

/**
 * Larger than the number of events will ever be. It is not a parameter, because D1 would halve a
 * parameter to a fraction.
 */
const FIRST_STEP = sql.raw(String(2 ** 40))

/**
 * Finds the approximate place in the table where a time begins, in ever smaller steps. Events are
 * written almost in the order of their times. An index of times would cost a second written row for
 * each event.
 */
function firstIdSince(since: number): SQL {
  const neighbours = sql`select event.at as at from ${auditEvents} as event where event.id >= place.id + place.step order by event.id limit ${NEIGHBOURS}`
  const isBefore = sql`coalesce((select max(at) from (${neighbours})) < ${since}, false)`
  return sql`(with recursive place(id, step) as (
    select 0, ${FIRST_STEP}
    union all
    select id + step * ${isBefore}, step / 2 from place where step > 0
  ) select max(id) from place)`
}

/**
 * Logs an event in one line, for Workers Logs and for fail2ban, which reads the network in it.
 * Events of the command line are not logged: it prints its own messages.
 */
export function logEvent(event: AuditEvent): void {
  const { kind, userId, nameHash, detail, actorId: actor, changes, network } = event
  if (network === COMMAND_LINE.network) return
  // The names of the fields are enough here. D1 keeps the values for a limited time.
  const changed = changes?.map(({ field }) => field)
  const line = {
    event: 'audit',
    kind,
    user: userId,
    name: nameHash,
    detail,
    actor,
    changed,
    network,
  }
  console.log(JSON.stringify(line))
}
