import { and, asc, count, desc, eq, gt, gte, lt, lte, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { auditEvents, users } from '../../schema/tables.ts'
import { literal, literals } from '../database/literal.ts'
import { type Authority, THE_SERVICE, writing } from '../database/statements.ts'
import { knownId, type UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import { type Client, COMMAND_LINE } from '../base/network.ts'
import type { PageWindow } from '../base/paging.ts'
import { type Change, changesIn } from './changes.ts'
import { terminalJson } from '../base/text.ts'

/**
 * What lists need of a kind of events. `change`: operators see the latest ones, because it changes
 * who may do what, or how the site works. `frequent`: the index of rare events leaves it out
 * (CONTRIBUTING.md, Add an event). What strangers cause is no change: they would bury the others.
 */
type KindClass = 'change' | 'frequent' | 'other'

/** The kinds of events, for users who check their own account and for operators. */
const CLASSES = [
  ['sign_in', 'frequent'],
  ['sign_in_refused', 'frequent'],
  ['service_sign_in', 'frequent'],
  ['recovery_code_used', 'other'],
  ['recovery_codes_made', 'other'],
  ['two_factor_on', 'other'],
  ['two_factor_off', 'other'],
  ['password_changed', 'other'],
  ['profile_changed', 'other'],
  ['session_ended', 'frequent'],
  ['key_added', 'other'],
  ['key_deleted', 'other'],
  ['key_used', 'frequent'],
  ['user_made', 'change'],
  ['user_changed', 'change'],
  ['role_changed', 'change'],
  ['password_reset', 'change'],
  ['two_factor_cancelled', 'change'],
  ['user_disabled', 'change'],
  ['user_enabled', 'change'],
  ['user_deleted', 'change'],
  ['user_unlocked', 'change'],
  ['users_imported', 'change'],
  ['service_token_made', 'change'],
  ['service_token_ended', 'change'],
  ['settings_changed', 'change'],
  ['proof_refused', 'other'],
  ['passkey_added', 'other'],
  ['passkey_deleted', 'other'],
  ['passkey_renamed', 'other'],
  ['passkey_cloned', 'other'],
  ['token_created', 'other'],
  ['token_deleted', 'other'],
  ['token_used_elsewhere', 'other'],
  ['client_added', 'change'],
  ['client_deleted', 'change'],
  ['client_secret_made', 'change'],
  ['signing_key_made', 'other'],
  ['access_given', 'other'],
  ['offline_access_given', 'other'],
  ['access_removed', 'other'],
  ['access_replayed', 'other'],
  ['name_released', 'change'],
  ['names_reserved', 'change'],
  ['identity_linked', 'other'],
  ['identity_unlinked', 'other'],
  ['account_locked', 'other'],
  ['network_locked', 'other'],
  ['many_refusals', 'other'],
  ['notices_changed', 'change'],
  ['registered', 'other'],
  ['registration_approved', 'change'],
  ['registration_rejected', 'change'],
  ['invitation_made', 'change'],
  ['link_withdrawn', 'change'],
  ['reset_link_made', 'change'],
  ['reset_mail_sent', 'other'],
  ['password_reset_by_link', 'other'],
  ['email_changed', 'change'],
  ['email_verified', 'other'],
  ['end_changed', 'change'],
  ['end_near', 'other'],
] as const satisfies readonly (readonly [kind: string, is: KindClass])[]

export const EVENT_KINDS = CLASSES.map(([kind]) => kind)

function kindsOf(wanted: KindClass): EventKind[] {
  return CLASSES.flatMap(([kind, is]) => (is === wanted ? [kind] : []))
}

export type EventKind = (typeof EVENT_KINDS)[number]

const FREQUENT_KINDS = kindsOf('frequent')

/** Exactly the condition of the index of rare events: with another, SQLite would not use it. */
function isRare(kind: SQL): SQL {
  return sql`${kind} not in ${literals(FREQUENT_KINDS)}`
}

export interface AuditEvent extends Client {
  /** Unix time, milliseconds. */
  at: number
  kind: EventKind
  /**
   * The user that the event concerns; `undefined` when no user has the name, and for an event of
   * the whole site.
   */
  userId?: UserId
  /** Keyed hash of a name that no account has. The name itself may be a password in the wrong field. */
  nameHash?: string
  /** The class of a refusal or the title of a key, never a secret. */
  detail?: string
  /** The admin who acted on another user. */
  actorId?: UserId
  /** The changed fields of a record, never a secret. */
  changes?: readonly Change[]
}

/** Creates an event that a signed-in user caused. */
export function eventOf(
  actor: Client & { userId: UserId },
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
    ...(actor.country !== undefined && { country: actor.country }),
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
    country: event.country ?? '',
  }
}

/**
 * Returns the time of the latest sign-in of a user, or null when none is kept. It visits each
 * network of the user once, by the index: a program can sign in from one network thousands of
 * times.
 */
export function latestSignIn(userId: SQL) {
  // Exactly the condition of the partial index.
  const isSignIn = sql`event.user_id = ${userId} and event.kind in ('sign_in', 'service_sign_in')`
  return sql<number | null>`(with recursive place(network) as (
    select min(event.network) from ${auditEvents} as event where ${isSignIn}
    union all
    select (select min(event.network) from ${auditEvents} as event where ${isSignIn} and event.network > place.network)
    from place where place.network is not null
  ) select max((select max(event.at) from ${auditEvents} as event where ${isSignIn} and event.network = place.network)) from place)`
}

const actors = alias(users, 'actors')

/**
 * Returns the name that a deleted user had, or null. The deletion is the last event of a user, and
 * names the user (`insertEventOfDeletion`).
 */
function nameOfDeleted(userId: SQL) {
  return sql<string | null>`(
    select iif(
      event.kind = 'user_deleted' and event.changes ->> '$[0].field' = 'username',
      event.changes ->> '$[0].from',
      null
    ) from ${auditEvents} as event where event.user_id = ${userId} order by event.id desc limit 1
  )`
}

/** The columns of an event that every list reads. */
const eventColumns = {
  id: auditEvents.id,
  at: auditEvents.at,
  kind: auditEvents.kind,
  userId: auditEvents.userId,
  detail: auditEvents.detail,
  network: auditEvents.network,
  userAgent: auditEvents.userAgent,
  actorId: auditEvents.actorId,
  actorName: sql<string | null>`${actors.username}`.as('by_name'),
  deletedActorName: sql<string | null>`iif(
    ${actors.username} is null and ${auditEvents.actorId} is not null,
    ${nameOfDeleted(sql`${auditEvents.actorId}`)},
    null
  )`.as('by_deleted_name'),
  // Drizzle does not pass null to the decoder.
  changes: sql`coalesce(${auditEvents.changes}, '')`.mapWith(changesIn).as('changed'),
}

/** Tells whether an admin has caused the event of another user. The command line has no id. */
export function isByOperator({
  actorId: by,
  userId,
}: {
  actorId: number | null
  userId: number | null
}): boolean {
  return by !== null && by !== userId
}

/** Selects the events of a user, latest first. */
export function selectEvents(
  db: Database,
  userId: UserId,
  { limit, offset }: PageWindow,
  filter: Omit<EventFilter, 'userId'> = {},
) {
  return db
    .select(eventColumns)
    .from(auditEvents)
    .leftJoin(actors, eq(actors.id, auditEvents.actorId))
    .where(fits({ ...filter, userId }))
    .orderBy(desc(auditEvents.id))
    .limit(limit)
    .offset(offset)
}

type OwnEvent = Awaited<ReturnType<typeof selectEvents>>[number]

/** Leaves out where an operator was, and with which browser: that is for operators. */
export function ownEvent(event: OwnEvent): OwnEvent {
  return isByOperator(event) ? { ...event, network: '', userAgent: '' } : event
}

/** The conditions on the events of a list. A missing condition allows every event. */
export interface EventFilter {
  userId?: UserId
  kind?: EventKind
  /** Unix time, milliseconds. */
  since?: number
  /** Unix time, milliseconds; an event at this time does not fit. */
  until?: number
  /** Only events that were written after the event with this id. */
  afterId?: number
}

/** The columns of an event of any user. */
const siteColumns = {
  ...eventColumns,
  username: users.username,
  deletedName: sql<string | null>`iif(
    ${users.username} is null and ${auditEvents.userId} is not null,
    ${nameOfDeleted(sql`${auditEvents.userId}`)},
    null
  )`.as('deleted_name'),
  nameHash: auditEvents.nameHash,
  times: auditEvents.times,
  country: auditEvents.country,
}

function selectOfSite(db: Database, which: SQL | undefined) {
  return db
    .select(siteColumns)
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.userId))
    .leftJoin(actors, eq(actors.id, auditEvents.actorId))
    .where(which)
}

/** Selects the id of the last user who was deleted under a name. */
export function selectDeletedUser(db: Database, name: string) {
  const isNamed = sql`${auditEvents.changes} ->> '$[0].field' = 'username'
    and ${auditEvents.changes} ->> '$[0].from' = ${name}`
  return db
    .select({ id: auditEvents.userId })
    .from(auditEvents)
    .where(and(fits({ kind: 'user_deleted' }), isNamed))
    .orderBy(desc(auditEvents.id))
    .limit(1)
}

/** Selects the events of the whole site, latest first. Some belong to no user. */
export function selectAllEvents(db: Database, filter: EventFilter, { limit, offset }: PageWindow) {
  return (
    selectOfSite(db, fits(filter))
      // The order is that of the table or of an index, so D1 reads only the rows that are shown.
      .orderBy(desc(auditEvents.id))
      .limit(limit)
      .offset(offset)
  )
}

/** Selects the latest changes to users and to the site. It reads a few rows of each kind. */
export function selectLatestChanges(db: Database, limit: number) {
  const latest = sql`select event.id from json_each(${JSON.stringify(kindsOf('change'))}) as part, ${auditEvents} as event
    where event.id in (
      select one.id from ${auditEvents} as one
      where one.kind = part.value and ${isRare(sql`one.kind`)}
      order by one.id desc limit ${limit}
    ) order by event.id desc limit ${limit}`
  return selectOfSite(db, sql`${auditEvents.id} in (${latest})`)
    .orderBy(desc(auditEvents.id))
    .limit(limit)
}

/** The places at which `sampleEvents` looks, beside the first. */
const EVENT_SAMPLES = 30

/**
 * Estimates how many events were written since a time, and when: each row has the number of events
 * up to a place, and the time of the event there. It reads one event for each place.
 */
export function sampleEvents(db: Database, since: number) {
  const place = sql`span.first + (span.last - span.first) * sample.part / ${literal(EVENT_SAMPLES)}`
  const at = sql`select event.at from ${auditEvents} as event where event.id >= ${place} order by event.id limit 1`
  return db
    .select({ total: sql<number>`total`.as('total'), at: sql<number | null>`at`.as('at') })
    .from(
      sql`(with recursive
        span(first, last) as materialized (select ${firstIdSince(since)}, (select max(id) from ${auditEvents})),
        sample(part) as (select 0 union all select part + 1 from sample where part < ${literal(EVENT_SAMPLES)})
      select ${place} - span.first as total, (${at}) as at from span, sample order by part) as growth`,
    )
}

/** Selects the first events that fit, in the order in which they were written. */
export function selectEventsInOrder(db: Database, filter: EventFilter, limit: number) {
  return selectOfSite(db, fits(filter)).orderBy(asc(auditEvents.id)).limit(limit)
}

/** Counts the events that fit. It reads every one of them. */
export function countSiteEvents(db: Database, filter: EventFilter) {
  return db.select({ total: count() }).from(auditEvents).where(fits(filter))
}

export function countEvents(
  db: Database,
  userId: UserId,
  filter: Omit<EventFilter, 'userId'> = {},
) {
  return db
    .select({ total: count() })
    .from(auditEvents)
    .where(fits({ ...filter, userId }))
}

function fits({ userId, kind, since, until, afterId }: EventFilter) {
  return and(
    userId === undefined ? undefined : eq(auditEvents.userId, userId),
    kind === undefined ? undefined : eq(auditEvents.kind, kind),
    kind === undefined || FREQUENT_KINDS.includes(kind)
      ? undefined
      : isRare(sql`${auditEvents.kind}`),
    since === undefined ? undefined : isSince(since),
    until === undefined ? undefined : isUntil(until),
    afterId === undefined ? undefined : gt(auditEvents.id, afterId),
  )
}

export function pruneEvents(db: Database, before: number) {
  return writing(db, THE_SERVICE).delete(
    auditEvents,
    and(isEarlyIn(before), lte(auditEvents.at, before)),
  )
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

export function isSince(since: number) {
  const isLate = gte(auditEvents.id, firstIdSince(since - LATE_MILLISECONDS))
  return and(isLate, gte(auditEvents.at, since))
}

function isUntil(until: number) {
  return and(isEarlyIn(until + LATE_MILLISECONDS), lt(auditEvents.at, until))
}

/** Holds for every event before a time, and for few after it. */
function isEarlyIn(time: number) {
  return lte(auditEvents.id, sql`${firstIdSince(time)} + ${OUT_OF_ORDER_EVENTS}`)
}

/**
 * Larger than the number of events will ever be. It is not a parameter, because D1 would halve a
 * parameter to a fraction.
 */
const FIRST_STEP = literal(2 ** 40)

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
    user: knownId(userId),
    name: nameHash,
    detail,
    actor: knownId(actor),
    changed,
    network,
  }
  console.log(terminalJson(line))
}
