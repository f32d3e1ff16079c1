import { and, asc, count, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { auditEvents, users } from '../../../schema/tables.ts'
import type { PageWindow } from '../base/paging.ts'
import { DAY_MILLISECONDS } from '../base/time.ts'
import { literal } from '../database/literal.ts'
import type { UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import { changesIn } from './changes.ts'
import { firstIdSince, isSince, isUntil } from './event-times.ts'
import { type EventKind, FREQUENT_KINDS, isRare, isSignIn, kindsWith } from './kinds.ts'

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
  /** As it is stored: an address, or the /64 of one. */
  network?: string
  /** Leaves out what operators did to the user: where they were is not told. */
  isByUser?: true
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

const CHANGES = JSON.stringify(kindsWith((row) => row.class === 'change'))

/** Selects the latest changes to users and to the site. It reads a few rows of each kind. */
export function selectLatestChanges(db: Database, limit: number) {
  const latest = sql`select event.id from json_each(${CHANGES}) as part, ${auditEvents} as event
    where event.id in (
      select recent.id from ${auditEvents} as recent
      where recent.kind = part.value and ${isRare(sql`recent.kind`)}
      order by recent.id desc limit ${limit}
    ) order by event.id desc limit ${limit}`
  return selectOfSite(db, sql`${auditEvents.id} in (${latest})`)
    .orderBy(desc(auditEvents.id))
    .limit(limit)
}

/** Selects the id of the latest event of a rare kind. */
export function selectLatestOf(db: Database, kind: EventKind) {
  return db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(sql`${auditEvents.kind} = ${literal(kind)} and ${isRare(sql`${auditEvents.kind}`)}`)
    .orderBy(desc(auditEvents.id))
    .limit(1)
}

/** More events are not read: of a larger number, each so many are one of a sample. */
const MAX_SAMPLES = literal(1000)
const DAY = literal(DAY_MILLISECONDS)

/**
 * Counts the sign-ins and the refused ones of each day of UTC since a time. Up to `MAX_SAMPLES`
 * events, the counts are exact; of more, they are estimated from as many, at equal distances.
 *
 * @param since Unix time, milliseconds.
 * @returns A row for each day with events: `day` is the number of days since 1970.
 */
export function countSignInsByDay(db: Database, since: number) {
  const places = sql`min(sample.total, ${MAX_SAMPLES})`
  const weighted = (events: SQL) => sql<number>`sum(${events}) * sample.total / ${places}`
  return db
    .select({
      day: sql<number>`day`.as('day'),
      signIns: sql<number>`sign_ins`.as('sign_ins'),
      refused: sql<number>`refused`.as('refused'),
    })
    .from(
      sql`(
        with recursive sample(place, first, total) as (
          select 1, span.first, span.last - span.first from (
            select ${firstIdSince(since)} as first,
              (select max(event.id) from ${auditEvents} as event) as last
          ) as span where span.last > span.first
          union all
          select sample.place + 1, sample.first, sample.total from sample
          where sample.place < ${places}
        )
        select event.at / ${DAY} as day, ${weighted(isSignIn(sql`event.kind`))} as sign_ins,
          ${weighted(sql`(event.kind = 'sign_in_refused') * event.times`)} as refused
        from sample cross join ${auditEvents} as event
          on event.id = sample.first + sample.total * sample.place / ${places}
        where event.at >= ${since} group by day
      ) as found`,
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

function fits({ userId, kind, network, isByUser, since, until, afterId }: EventFilter) {
  return and(
    userId === undefined ? undefined : eq(auditEvents.userId, userId),
    kind === undefined ? undefined : eq(auditEvents.kind, kind),
    kind === undefined || FREQUENT_KINDS.includes(kind)
      ? undefined
      : isRare(sql`${auditEvents.kind}`),
    network === undefined ? undefined : eq(auditEvents.network, network),
    isByUser === undefined
      ? undefined
      : or(isNull(auditEvents.actorId), eq(auditEvents.actorId, auditEvents.userId)),
    since === undefined ? undefined : isSince(since),
    until === undefined ? undefined : isUntil(until),
    afterId === undefined ? undefined : gt(auditEvents.id, afterId),
  )
}
