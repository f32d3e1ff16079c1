import { and, inArray, type SQL, sql } from 'drizzle-orm'
import { auditEvents, noticeChannels, notices, users } from '../../../schema/tables.ts'
import type { EventKind } from '../../core/audit/kinds.ts'
import type { NoticeTopic } from '../../core/audit/topics.ts'
import { literal } from '../../core/database/literal.ts'
import { THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import type { ChannelKind, NoticeLanguage } from './channels.ts'
import { QUEUES } from './queues.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../core/base/time.ts'

/** A notice that was not delivered for so long is given up. */
export const GIVE_UP_MILLISECONDS = DAY_MILLISECONDS

/**
 * The second attempt comes a minute after the first, and each next one twice as late, up to 4
 * hours: 11 attempts in a day.
 */
const FIRST_DELAY_MILLISECONDS = 60_000
const MAX_DOUBLINGS = 8

/** Rows that a run looks at in each queue, however long that is. */
const LOOKED_AT = 100

/** Workerd keeps six connections open at a time, so more would wait while their time runs. */
export const NOTICES_AT_ONCE = 6

/** The key of a notice. */
export interface NoticeKey {
  channelId: number
  about: string
}

/** Returns the first due rows of a queue, in the order of the index. */
function dueIn(queue: keyof typeof QUEUES, now: number): SQL {
  return sql`select * from (
    select channel_id, about, queue, next_at, expires_at, event_id from ${notices}
    where queue = ${literal(QUEUES[queue])} and next_at <= ${now}
    order by next_at limit ${literal(LOOKED_AT)}
  )`
}

/**
 * Finds the notices to send now, at most `NOTICES_AT_ONCE`: those of operators before those of
 * users, and first one of each channel, so that a channel that does not answer keeps no other
 * waiting.
 *
 * @param only The one notice that is meant.
 */
function dueKeys(now: number, only: NoticeKey | undefined): SQL {
  if (only !== undefined) return sql`(select ${only.channelId}, ${only.about})`
  return sql`(
    select due.channel_id, due.about from (
      select *, row_number() over (partition by channel_id order by next_at, event_id) as place
      from (${dueIn('operators', now)} union all ${dueIn('user', now)})
      where expires_at > ${now}
    ) as due order by due.queue, due.place, due.next_at, due.event_id limit ${literal(NOTICES_AT_ONCE)}
  )`
}

/** Holds for the notices whose keys a query gives. */
const hasKey = (keys: SQL) => sql`(${notices.channelId}, ${notices.about}) in ${keys}`

/**
 * The columns of a notice with its channel and its event, whose columns are null when there is
 * none.
 */
const dueColumns = {
  about: sql<string>`notice.about`.as('about'),
  events: sql<number>`notice.events`.as('events'),
  id: sql<string>`notice.id`.as('id'),
  topic: sql<NoticeTopic>`notice.topic`.as('topic'),
  expiresAt: sql<number>`notice.expires_at`.as('expires_at'),
  noticeEventId: sql<number | null>`notice.event_id`.as('notice_event_id'),
  channelId: sql<number>`channel.id`.as('channel_id'),
  kind: sql<ChannelKind>`channel.kind`.as('kind'),
  config: sql<string>`channel.config`.as('config'),
  ownerId: sql<number | null>`channel.user_id`.as('owner_id'),
  /** The address that the owner has confirmed, for notices by e-mail. */
  ownerEmail: sql<string | null>`owner.email`.as('owner_email'),
  language: sql<NoticeLanguage>`channel.language`.as('language'),
  origin: sql<string>`channel.origin`.as('origin'),
  eventId: sql<number | null>`event.id`.as('event_id'),
  at: sql<number>`event.at`.as('at'),
  eventKind: sql<EventKind>`event.kind`.as('event_kind'),
  detail: sql<string>`event.detail`.as('detail'),
  network: sql<string>`event.network`.as('network'),
  country: sql<string>`event.country`.as('country'),
  userId: sql<number | null>`event.user_id`.as('user_id'),
  username: sql<string | null>`subject.username`.as('username'),
  actorId: sql<number | null>`event.actor_id`.as('actor_id'),
  actorName: sql<string | null>`actor.username`.as('actor_name'),
}

/** Selects the notices to send now, with their events and channels. */
export function selectDue(db: Database, now: number, only?: NoticeKey) {
  return db
    .select(dueColumns)
    .from(
      sql`${notices} as notice
        join ${noticeChannels} as channel on channel.id = notice.channel_id
        left join ${users} as owner on owner.id = channel.user_id and owner.email_verified = 1
        left join ${auditEvents} as event on event.id = notice.event_id
        left join ${users} as subject on subject.id = event.user_id
        left join ${users} as actor on actor.id = event.actor_id`,
    )
    .where(sql`(notice.channel_id, notice.about) in ${dueKeys(now, only)}`)
}

export type DueRow = ReturnType<typeof selectDue>['_']['result'][number]

/**
 * Takes the notices that `selectDue` has selected in the same batch: nobody else sends them, and
 * they come again later unless they are deleted. So a notice survives the end of the isolate that
 * sends it.
 */
export function takeDue(db: Database, now: number, only?: NoticeKey) {
  const delay = sql`(${FIRST_DELAY_MILLISECONDS} << min(${notices.attempts}, ${MAX_DOUBLINGS}))`
  return writing(db, THE_SERVICE).update(
    notices,
    {
      attempts: sql`${notices.attempts} + 1`,
      nextAt: sql`min(${now} + ${delay}, ${notices.expiresAt})`,
    },
    hasKey(dueKeys(now, only)),
  )
}

export function deleteNotices(db: Database, keys: readonly NoticeKey[]) {
  return writing(db, THE_SERVICE).delete(notices, hasKey(listedKeys(keys)))
}

function listedKeys(keys: readonly NoticeKey[]): SQL {
  const listed = JSON.stringify(keys.map(({ channelId, about }) => [channelId, about]))
  return sql`(select value ->> 0, value ->> 1 from json_each(${listed}))`
}

/**
 * Keeps notices that were sent until the end of their hour, for further events of the group. Events
 * that came while a notice was being sent are sent then.
 */
export function keepSent(db: Database, sent: readonly DueRow[]) {
  const listed = JSON.stringify(
    sent.map(({ channelId, about, events, at }) => [channelId, about, events, endOfHour(at)]),
  )
  const figure = (index: number) => sql`(
    select value ->> ${literal(index)} from json_each(${listed})
    where value ->> 0 = ${notices.channelId} and value ->> 1 = ${notices.about}
  )`
  const [events, end] = [figure(2), figure(3)]
  return writing(db, THE_SERVICE).update(
    notices,
    {
      events: sql`${notices.events} - ${events}`,
      queue: sql`iif(${notices.events} = ${events}, ${literal(QUEUES.sent)}, ${notices.queue})`,
      attempts: 0,
      nextAt: end,
      expiresAt: sql`${end} + ${GIVE_UP_MILLISECONDS}`,
    },
    hasKey(listedKeys(sent)),
  )
}

/** Returns the end of the hour of a time, both in Unix time, milliseconds. */
function endOfHour(at: number): number {
  return at - (at % HOUR_MILLISECONDS) + HOUR_MILLISECONDS
}

export function noteSent(db: Database, channelIds: readonly number[], now: number) {
  return writing(db, THE_SERVICE).update(
    noticeChannels,
    { lastSentAt: now, failure: '' },
    inArray(noticeChannels.id, [...channelIds]),
  )
}

/** Notes why attempts failed. @param failures The reason for each channel. */
export function noteFailures(db: Database, failures: ReadonlyMap<number, string>, now: number) {
  const reasons = JSON.stringify(Object.fromEntries(failures))
  const reason = sql`(${reasons} ->> ('$."' || ${noticeChannels.id} || '"'))`
  return writing(db, THE_SERVICE).update(
    noticeChannels,
    { lastFailedAt: now, failure: sql`${reason}` },
    inArray(noticeChannels.id, [...failures.keys()]),
  )
}

/**
 * Lets the notices of channels wait until their receivers want to be asked again.
 *
 * @param waits The time for each channel. Unix time, milliseconds.
 */
export function postpone(db: Database, waits: ReadonlyMap<number, number>) {
  const times = JSON.stringify(Object.fromEntries(waits))
  const time = sql`(${times} ->> ('$."' || ${notices.channelId} || '"'))`
  return writing(db, THE_SERVICE).update(
    notices,
    { nextAt: sql`min(max(${notices.nextAt}, ${time}), ${notices.expiresAt})` },
    and(
      inArray(notices.channelId, [...waits.keys()]),
      sql`${notices.queue} <> ${literal(QUEUES.sent)}`,
    ),
  )
}

/** The first notices that are given up. Their due time is not later. */
function expiredKeys(now: number): SQL {
  return sql`(
    select channel_id, about from (${dueIn('operators', now)} union all ${dueIn('user', now)})
    where expires_at <= ${now}
  )`
}

/** Counts the events that are given up, before `deleteExpired` deletes their notices. */
export function countExpired(db: Database, now: number) {
  const isLost = sql`(notice.channel_id, notice.about) in ${expiredKeys(now)} and notice.topic <> 'test'`
  const lost = sql`select sum(notice.events) from ${notices} as notice
    where notice.channel_id = ${noticeChannels.id} and ${isLost}`
  return writing(db, THE_SERVICE).update(
    noticeChannels,
    { lost: sql`${noticeChannels.lost} + (${lost})` },
    sql`${noticeChannels.id} in (select notice.channel_id from ${notices} as notice where ${isLost})`,
  )
}

export function deleteExpired(db: Database, now: number) {
  return writing(db, THE_SERVICE)
    .delete(notices, hasKey(expiredKeys(now)))
    .returning({
      id: notices.id,
      channelId: notices.channelId,
      topic: notices.topic,
      events: notices.events,
    })
}

/** Deletes the notices that were sent in an hour that is over. */
export function deleteSent(db: Database, now: number) {
  const keys = sql`(select channel_id, about from (${dueIn('sent', now)}))`
  return writing(db, THE_SERVICE).delete(notices, hasKey(keys))
}
