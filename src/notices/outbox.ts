import { inArray, lte, type SQL, sql } from 'drizzle-orm'
import { auditEvents, noticeChannels, noticeCursor, notices, users } from '../../schema/tables.ts'
import { ADMIN } from '../accounts/roles.ts'
import type { EventKind } from '../audit/events.ts'
import { literal, literals } from '../database/literal.ts'
import { rendered } from '../database/rendered.ts'
import { THE_SERVICE, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import type { ChannelKind, NoticeLanguage } from './channels.ts'
import type { NoticeTopic, Topic } from './topics.ts'
import { KINDS_OF_TOPICS, MAKES_ADMIN, SIGN_INS, TOPICS } from './topics.ts'

/** A notice that was not delivered for so long is given up. */
export const GIVE_UP_MILLISECONDS = 24 * 60 * 60 * 1000

/** A test is of no use later. */
export const TEST_MILLISECONDS = 10 * 60 * 1000

/**
 * The second attempt comes a minute after the first, and each next one twice as late, up to 4
 * hours: 11 attempts in a day.
 */
const FIRST_DELAY_MILLISECONDS = 60_000
const MAX_DOUBLINGS = 8

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

/**
 * Makes a notice for each channel and each event after the cursor that the channel is told of. The
 * events are those of the audit log, which are written in the transactions that they report, so no
 * event is lost and no request writes more for it.
 */
export function insertNotices(db: Database, now: number) {
  const found = sql`(
    select event.id as event_id, channel.id as channel_id, ${TOPIC_OF_EVENT} as topic
    from ${auditEvents} as event
    join ${noticeChannels} as channel on channel.user_id is null or channel.user_id = event.user_id
    where ${afterCursor} and event.id > channel.since_event_id
  ) as found`
  const row = {
    id: sql`lower(hex(randomblob(16)))`,
    channelId: sql`found.channel_id`,
    eventId: sql`found.event_id`,
    topic: sql`found.topic`,
    attempts: 0,
    nextAt: now,
    expiresAt: now + GIVE_UP_MILLISECONDS,
  }
  return writing(db, THE_SERVICE).insert(notices, row, {
    from: found,
    where: sql`found.topic is not null`,
  })
}

/** Returns the topic of an event that a channel wants; null when it wants none. */
function topicOfEvent(): SQL {
  const cases = TOPICS.filter((topic) => KINDS_OF_TOPICS[topic].length > 0).map(
    (topic) =>
      sql`when event.kind in ${literals(KINDS_OF_TOPICS[topic])} and ${wants(topic)} then ${literal(topic)}`,
  )
  const makesAdmin = sql`exists (
    select 1 from json_each(event.changes)
    where value ->> 'field' = 'role' and value ->> 'to' = ${literal(ADMIN)}
  )`
  return rendered(sql`case
    when event.kind in ${literals(SIGN_INS)} then case
      when ${wants('new_country')} and ${isNewNetwork} and ${isNewCountry} then 'new_country'
      when ${wants('new_network')} and ${isNewNetwork} then 'new_network'
    end
    when event.kind in ${literals(MAKES_ADMIN)} and ${wants('new_admin')} and ${makesAdmin} then 'new_admin'
    ${sql.join(cases, sql` `)}
  end`)
}

function wants(topic: Topic): SQL {
  return sql`instr(' ' || channel.topics || ' ', ${literal(` ${topic} `)}) > 0`
}

/** Holds when no kept sign-in before this one came from its network. The index has these columns. */
const isNewNetwork = sql`not exists (
  select 1 from ${auditEvents} as earlier
  where earlier.user_id = event.user_id and earlier.kind in ('sign_in', 'service_sign_in')
    and earlier.network = event.network and earlier.id < event.id
)`

/**
 * Holds when the countries of earlier sign-ins are known, and this is another. Right after the
 * version that began to record countries, none is known.
 */
const isNewCountry = sql`event.country <> '' and coalesce((
  select max(earlier.country = event.country) from (
    select country from ${auditEvents} as one
    where one.user_id = event.user_id and one.kind in ('sign_in', 'service_sign_in')
      and one.id < event.id
    order by one.id desc limit ${literal(LATEST_SIGN_INS)}
  ) as earlier where earlier.country <> ''
) = 0, false)`

const TOPIC_OF_EVENT = topicOfEvent()

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

/**
 * Finds the notices to send now, at most `NOTICES_AT_ONCE`: first one of each channel, so that a
 * channel that does not answer keeps no other waiting.
 *
 * @param only The one notice that is meant.
 */
function dueIds(now: number, only: string | undefined): SQL {
  if (only !== undefined) return sql`(select ${only})`
  return sql`(
    select due.id from (
      select id, event_id, next_at,
        row_number() over (partition by channel_id order by next_at, event_id) as place
      from ${notices} where next_at <= ${now} and expires_at > ${now}
    ) as due order by due.place, due.next_at, due.event_id limit ${literal(NOTICES_AT_ONCE)}
  )`
}

/**
 * The columns of a notice with its channel and its event, whose columns are null when there is
 * none.
 */
const dueColumns = {
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
export function selectDue(db: Database, now: number, only?: string) {
  return db
    .select(dueColumns)
    .from(
      sql`${notices} as notice
        join ${noticeChannels} as channel on channel.id = notice.channel_id
        left join ${auditEvents} as event on event.id = notice.event_id
        left join ${users} as subject on subject.id = event.user_id
        left join ${users} as actor on actor.id = event.actor_id`,
    )
    .where(sql`notice.id in ${dueIds(now, only)}`)
}

export type DueRow = ReturnType<typeof selectDue>['_']['result'][number]

/**
 * Takes the notices that `selectDue` has selected in the same batch: nobody else sends them, and
 * they come again later unless they are deleted. So a notice survives the end of the isolate that
 * sends it.
 */
export function takeDue(db: Database, now: number, only?: string) {
  const delay = sql`(${FIRST_DELAY_MILLISECONDS} << min(${notices.attempts}, ${MAX_DOUBLINGS}))`
  return writing(db, THE_SERVICE).update(
    notices,
    { attempts: sql`${notices.attempts} + 1`, nextAt: sql`${now} + ${delay}` },
    sql`${notices.id} in ${dueIds(now, only)}`,
  )
}

export function deleteNotices(db: Database, ids: readonly string[]) {
  return writing(db, THE_SERVICE).delete(
    notices,
    sql`${notices.id} in (select value from json_each(${JSON.stringify(ids)}))`,
  )
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
    { nextAt: sql`max(${notices.nextAt}, ${time})` },
    inArray(notices.channelId, [...waits.keys()]),
  )
}

/** Counts the notices that are given up, before `deleteExpired` deletes them. */
export function countExpired(db: Database, now: number) {
  const expired = sql`select count(*) from ${notices} as one
    where one.channel_id = ${noticeChannels.id} and one.expires_at <= ${now} and one.topic <> 'test'`
  return writing(db, THE_SERVICE).update(
    noticeChannels,
    { lost: sql`${noticeChannels.lost} + (${expired})` },
    sql`${noticeChannels.id} in (
      select channel_id from ${notices} where expires_at <= ${now} and topic <> 'test'
    )`,
  )
}

export function deleteExpired(db: Database, now: number) {
  return writing(db, THE_SERVICE)
    .delete(notices, lte(notices.expiresAt, now))
    .returning({ id: notices.id, channelId: notices.channelId, topic: notices.topic })
}
