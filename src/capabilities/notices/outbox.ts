import { and, inArray, type SQL, sql } from 'drizzle-orm'
import {
  auditEvents,
  noticeChannels,
  noticeCursor,
  notices,
  users,
} from '../../../schema/tables.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { type EventKind, isSignIn, kindsWith } from '../../core/audit/kinds.ts'
import { type NoticeTopic, type Topic, TOPICS } from '../../core/audit/topics.ts'
import { literal, literals } from '../../core/database/literal.ts'
import { rendered } from '../../core/database/rendered.ts'
import { THE_SERVICE, writing } from '../../core/database/statements.ts'
import { hasWord } from '../../core/database/words.ts'
import type { Database } from '../../core/deps.ts'
import type { ChannelKind, NoticeLanguage } from './channels.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../core/base/time.ts'

/** A notice that was not delivered for so long is given up. */
export const GIVE_UP_MILLISECONDS = DAY_MILLISECONDS

/** A test that was not sent for so long is given up. */
export const TEST_MILLISECONDS = 10 * 60 * 1000

/**
 * The second attempt comes a minute after the first, and each next one twice as late, up to 4
 * hours: 11 attempts in a day.
 */
const FIRST_DELAY_MILLISECONDS = 60_000
const MAX_DOUBLINGS = 8

/** The values of `queue`. */
export const QUEUES = { operators: 0, user: 1, told: 2 } as const

/**
 * Notices that a channel has in the outbox, waiting or told in this hour. The events of further
 * ones share a notice for each topic.
 */
const MAX_NOTICES = { ofOperators: 100, ofUser: 30 }

/** Rows that a run looks at in each queue, however long that is. */
const LOOKED_AT = 100

/** Workerd keeps six connections open at a time, so more would wait while their time runs. */
export const NOTICES_AT_ONCE = 6

/**
 * How far the cursor may stay behind the last event when no event needs a notice. The events
 * between are looked at again, which costs less than a written row for each sign-in.
 */
const MAX_LAG_EVENTS = 100

/** Number of latest sign-ins of a user that are searched for a country. */
const LATEST_SIGN_INS = 200

const afterCursor = sql`event.id > coalesce((select ${noticeCursor.eventId} from ${noticeCursor}), 0)`

const NEW_ID = sql`lower(hex(randomblob(16)))`

/**
 * Makes notices for the events after the cursor that a channel is told of. The events are those of
 * the audit log, which are written in the transactions that they report, so no event is lost and no
 * request writes more for it. An event joins the notice of its group: when that was told already,
 * it is told again at the end of the hour.
 */
export function insertNotices(db: Database, now: number) {
  const found = sql`(
    select event.id as event_id, event.user_id as user_id, event.kind as kind, event.at as at,
      channel.id as channel_id, channel.user_id is not null as is_own, ${TOPIC_OF_EVENT} as topic
    from ${auditEvents} as event
    join ${noticeChannels} as channel on channel.user_id is null or channel.user_id = event.user_id
    where ${afterCursor} and event.id > channel.since_event_id
  )`
  const told = sql`(
    select *, row_number() over (partition by channel_id order by event_id) as place
    from ${found} where topic is not null
  ) as found`
  const row = {
    channelId: sql`found.channel_id`,
    about: sql`iif(${isFull}, 'others/' || found.topic, ${GROUP})`,
    id: NEW_ID,
    eventId: sql`found.event_id`,
    events: 1,
    topic: sql`found.topic`,
    queue: sql`iif(found.is_own, ${literal(QUEUES.user)}, ${literal(QUEUES.operators)})`,
    attempts: 0,
    nextAt: now,
    expiresAt: now + GIVE_UP_MILLISECONDS,
  }
  return writing(db, THE_SERVICE)
    .insert(notices, row, { from: told, where: sql`true` })
    .onConflictDoUpdate({
      target: [notices.channelId, notices.about],
      set: {
        id: sql`excluded.id`,
        eventId: sql`excluded.event_id`,
        events: sql`${notices.events} + 1`,
        queue: sql`excluded.queue`,
      },
    })
}

/** Notices of one user, topic and kind in one hour are one notice. */
const GROUP = sql`coalesce(found.user_id, '') || '/' || found.topic || '/' || found.kind || '/' || (found.at / ${literal(HOUR_MILLISECONDS)})`

/** Holds when the channel of an event has no place for another notice. */
const isFull = sql`found.place + (
  select count(*) from (
    select 1 from ${notices} as kept where kept.channel_id = found.channel_id
    limit ${literal(MAX_NOTICES.ofOperators)}
  )
) > iif(found.is_own, ${literal(MAX_NOTICES.ofUser)}, ${literal(MAX_NOTICES.ofOperators)})`

/** The events that may make an administrator. */
const MAKES_ADMIN = ['user_made', 'role_changed'] as const satisfies readonly EventKind[]

/** Returns the topic of an event that a channel wants; null when it wants none. */
function topicOfEvent(): SQL {
  const cases = TOPICS.flatMap((topic) => {
    const kinds = kindsWith((row) => row.topic === topic)
    const isTold = sql`event.kind in ${literals(kinds)} and ${wants(topic)}`
    return kinds.length === 0 ? [] : [sql`when ${isTold} then ${literal(topic)}`]
  })
  const makesAdmin = sql`exists (
    select 1 from json_each(event.changes)
    where value ->> 'field' = 'role' and value ->> 'to' = ${literal(ADMIN)}
  )`
  return sql`case
    when ${isSignIn(sql`event.kind`)} then case
      when ${wants('new_country')} and ${isNewNetwork} and ${isNewCountry} then 'new_country'
      when ${wants('new_network')} and ${isNewNetwork} then 'new_network'
    end
    when event.kind in ${literals(MAKES_ADMIN)} and ${wants('new_admin')} and ${makesAdmin} then 'new_admin'
    ${sql.join(cases, sql` `)}
  end`
}

function wants(topic: Topic): SQL {
  // With such a link an admin could take over an account, so nobody may leave it out.
  if (topic === 'reset_link') return sql`true`
  return hasWord(sql`channel.topics`, literal(topic))
}

/** Holds when no kept sign-in before this one came from its network. The index has these columns. */
const isNewNetwork = sql`not exists (
  select 1 from ${auditEvents} as earlier
  where earlier.user_id = event.user_id and ${isSignIn(sql`earlier.kind`)}
    and earlier.network = event.network and earlier.id < event.id
)`

/**
 * Holds when the countries of earlier sign-ins are known, and this is another. Right after the
 * version that began to record countries, none is known.
 */
const isNewCountry = sql`event.country <> '' and coalesce((
  select max(earlier.country = event.country) from (
    select country from ${auditEvents} as one
    where one.user_id = event.user_id and ${isSignIn(sql`one.kind`)}
      and one.id < event.id
    order by one.id desc limit ${literal(LATEST_SIGN_INS)}
  ) as earlier where earlier.country <> ''
) = 0, false)`

const TOPIC_OF_EVENT = rendered(topicOfEvent)

/**
 * Moves the cursor to the last event. It stands directly after `insertNotices`, and writes nothing
 * when that made no notice and the cursor is near. The cursor moves back when the last events were
 * deleted, because SQLite then uses their ids again.
 */
export function moveCursor(db: Database) {
  const last = sql`coalesce((select max(${auditEvents.id}) from ${auditEvents}), 0)`
  const present = sql`coalesce((select ${noticeCursor.eventId} from ${noticeCursor}), 0)`
  const isNeeded = sql`changes() > 0 or ${last} - ${present} > ${MAX_LAG_EVENTS} or ${last} < ${present}`
  return writing(db, THE_SERVICE)
    .insert(noticeCursor, { id: 1, eventId: last }, { where: sql`(${isNeeded})` })
    .onConflictDoUpdate({ target: noticeCursor.id, set: { eventId: sql`excluded.event_id` } })
}

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
 * Keeps notices that were told until the end of their hour, for further events of the group. Events
 * that came while a notice was sent are told then.
 */
export function markTold(db: Database, told: readonly DueRow[]) {
  const listed = JSON.stringify(
    told.map(({ channelId, about, events, at }) => [channelId, about, events, endOfHour(at)]),
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
      queue: sql`iif(${notices.events} = ${events}, ${literal(QUEUES.told)}, ${notices.queue})`,
      attempts: 0,
      nextAt: end,
      expiresAt: sql`${end} + ${GIVE_UP_MILLISECONDS}`,
    },
    hasKey(listedKeys(told)),
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
      sql`${notices.queue} <> ${literal(QUEUES.told)}`,
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
  const isLost = sql`(one.channel_id, one.about) in ${expiredKeys(now)} and one.topic <> 'test'`
  const lost = sql`select sum(one.events) from ${notices} as one
    where one.channel_id = ${noticeChannels.id} and ${isLost}`
  return writing(db, THE_SERVICE).update(
    noticeChannels,
    { lost: sql`${noticeChannels.lost} + (${lost})` },
    sql`${noticeChannels.id} in (select one.channel_id from ${notices} as one where ${isLost})`,
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

/** Deletes the notices that were told in an hour that is over. */
export function deleteTold(db: Database, now: number) {
  const keys = sql`(select channel_id, about from (${dueIn('told', now)}))`
  return writing(db, THE_SERVICE).delete(notices, hasKey(keys))
}
