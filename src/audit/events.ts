import { and, count, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { auditEvents, users } from '../../schema/tables.ts'
import { type Authority, THE_SERVICE, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { type Client, COMMAND_LINE } from '../base/network.ts'
import type { PageWindow } from '../base/paging.ts'
import { type Change, changesIn } from './changes.ts'

/** What is worth remembering, for a user who wonders and an operator who has to know. */
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
  /** Whom it happened to; nobody when a name is unknown. */
  userId?: number
  /** Keyed hash of a name that no account has: it may be a password in the wrong field. */
  nameHash?: string
  /** The class of a refusal, the title of a key: never a secret. */
  detail?: string
  /** The admin who did it to somebody. */
  actorId?: number
  /** What changed of a record, never a secret. */
  changes?: readonly Change[]
}

/** An event that a signed-in user brought about. */
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

/** Writes an event; with `when`, only if that holds at this point of the batch. */
export function insertEvent(db: Database, by: Authority, event: AuditEvent, when?: SQL) {
  return writing(db, by).insert(auditEvents, eventRow(event), { where: when })
}

/** The columns of an event. A caller may replace those that another row knows better. */
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

/** The kinds whose detail was written by this service alone, and named the actor at its end. */
const KINDS_WITH_ACTOR_IN_DETAIL: readonly EventKind[] = [
  'user_made',
  'user_changed',
  'user_deleted',
  'user_unlocked',
  'two_factor_off',
  'session_ended',
]

/** Who did it: the column, or in older events the end of the detail, `by 7`. */
const actorId = sql<number | null>`coalesce(${auditEvents.actorId}, iif(
  ${auditEvents.kind} in ${KINDS_WITH_ACTOR_IN_DETAIL}
    and (${auditEvents.detail} glob 'by [0-9]*' or ${auditEvents.detail} glob '*, by [0-9]*'),
  cast(substr(${auditEvents.detail}, instr(${auditEvents.detail}, 'by ') + 3) as integer),
  null
))`

/** What every list reads of an event. */
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
  // Drizzle decodes no null.
  changes: sql`coalesce(${auditEvents.changes}, '')`.mapWith(changesIn).as('changed'),
}

/** The latest events of a user. */
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

/** Which events; what is missing may be anything. */
export interface EventFilter {
  userId?: number
  kind?: EventKind
  /** Unix time, milliseconds. */
  since?: number
}

/** The latest events of all users, and of nobody. */
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
      // In the order of the table or of an index, so that only what is shown is read.
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

/** How much older than those written before it an event may be: a shared one keeps its first time. */
const LATE_MILLISECONDS = 10 * 60 * 1000

/** How many events may be written after younger ones. */
const OUT_OF_ORDER_EVENTS = 100

/** How many events in turn must have been written by a clock that is slow, to be taken for old. */
const NEIGHBOURS = 8

function isSince(since: number) {
  const isLate = gte(auditEvents.id, firstIdSince(since - LATE_MILLISECONDS))
  return and(isLate, gte(auditEvents.at, since))
}

/** More than there will ever be events; not a parameter, which D1 would make a fraction when halved. */
const FIRST_STEP = sql.raw(String(2 ** 40))

/**
 * Finds about where in the table a time begins, in ever smaller steps: events are written in the
 * order of their times, nearly. An index of times would be a second row to write for each event.
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
 * One line per event, for Workers Logs and for fail2ban, which finds the network in it. None for
 * the command line, which is no Worker and says itself what it did.
 */
export function logEvent(event: AuditEvent): void {
  const { kind, userId, nameHash, detail, actorId: actor, changes, network } = event
  if (network === COMMAND_LINE.network) return
  // The names of the fields are enough here; the values stand in D1, which has an end.
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
