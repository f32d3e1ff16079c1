import { type SQL, sql } from 'drizzle-orm'
import { auditEvents, noticeChannels, noticeCursor, notices } from '../../../schema/tables.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { type EventKind, isSignIn, kindsWith } from '../../core/audit/kinds.ts'
import { checkedAt } from '../../core/audit/known-networks.ts'
import { type Topic, TOPICS } from '../../core/audit/topics.ts'
import { HOUR_MILLISECONDS } from '../../core/base/time.ts'
import { literal, literals } from '../../core/database/literal.ts'
import { rendered } from '../../core/database/rendered.ts'
import { THE_SERVICE, writing } from '../../core/database/statements.ts'
import { hasWord } from '../../core/database/words.ts'
import type { Database } from '../../core/deps.ts'
import { GIVE_UP_MILLISECONDS } from './outbox.ts'
import { QUEUES } from './queues.ts'

/**
 * Notices that a channel has in the outbox, waiting or sent in this hour. The events of further
 * ones share a notice for each topic.
 */
const MAX_NOTICES = { ofOperators: 100, ofUser: 30 }

/**
 * How far the cursor may stay behind the last event when no event needs a notice. The events
 * between are looked at again, which costs less than a written row for each sign-in.
 */
const MAX_LAG_EVENTS = 100

/** Number of latest sign-ins of a user that are searched for a country. */
const LATEST_SIGN_INS = 200

/**
 * Makes notices for the events after the cursor that a channel wants. The events are those of the
 * audit log, which are written in the transactions that they report, so no event is lost and no
 * request writes more for it. An event joins the notice of its group: when that was sent already,
 * it is sent again at the end of the hour.
 */
export function insertNotices(db: Database, now: number) {
  const row = {
    channelId: sql`wanted.channel_id`,
    about: sql`iif(${IS_FULL}, 'others/' || wanted.topic, ${GROUP})`,
    id: sql`lower(hex(randomblob(16)))`,
    eventId: sql`wanted.event_id`,
    events: 1,
    topic: sql`wanted.topic`,
    queue: sql`iif(wanted.is_own, ${literal(QUEUES.user)}, ${literal(QUEUES.operators)})`,
    attempts: 0,
    nextAt: now,
    expiresAt: now + GIVE_UP_MILLISECONDS,
  }
  return writing(db, THE_SERVICE)
    .insert(notices, row, { from: WANTED, where: sql`true` })
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

/**
 * Moves the cursor to the last event. It stands directly after `insertNotices`, and writes nothing
 * when that made no notice and the cursor is near. The cursor moves back when the last events were
 * deleted, because SQLite then uses their ids again.
 */
export function moveCursor(db: Database) {
  const last = sql`coalesce((select max(${auditEvents.id}) from ${auditEvents}), 0)`
  const isNeeded = sql`changes() > 0 or ${last} - ${CURSOR} > ${MAX_LAG_EVENTS} or ${last} < ${CURSOR}`
  return writing(db, THE_SERVICE)
    .insert(noticeCursor, { id: 1, eventId: last }, { where: sql`(${isNeeded})` })
    .onConflictDoUpdate({ target: noticeCursor.id, set: { eventId: sql`excluded.event_id` } })
}

/** The last event for which notices were made. */
const CURSOR = sql`coalesce((select ${noticeCursor.eventId} from ${noticeCursor}), 0)`

/** Each new event with each channel that wants it, numbered within the channel. */
const WANTED = rendered(
  () => sql`(
    select *, row_number() over (partition by channel_id order by event_id) as number
    from (
      select event.id as event_id, event.user_id as user_id, event.kind as kind, event.at as at,
        channel.id as channel_id, channel.user_id is not null as is_own, ${topicOfEvent()} as topic
      from ${auditEvents} as event
      join ${noticeChannels} as channel on channel.user_id is null or channel.user_id = event.user_id
      where event.id > ${CURSOR} and event.id > channel.since_event_id
    )
    where topic is not null
  ) as wanted`,
)

/** Names the notice of an event: those of one user, topic and kind in one hour are one notice. */
const GROUP = sql`coalesce(wanted.user_id, '') || '/' || wanted.topic || '/' || wanted.kind || '/' || (wanted.at / ${literal(HOUR_MILLISECONDS)})`

/** Holds when the channel of an event has no place for another notice. */
const IS_FULL = sql`wanted.number + (
  select count(*) from (
    select 1 from ${notices} as kept where kept.channel_id = wanted.channel_id
    limit ${literal(MAX_NOTICES.ofOperators)}
  )
) > iif(wanted.is_own, ${literal(MAX_NOTICES.ofUser)}, ${literal(MAX_NOTICES.ofOperators)})`

/** Returns the topic of an event that a channel wants; null when it wants none. */
function topicOfEvent(): SQL {
  const ofKinds = TOPICS.flatMap((topic) => {
    const kinds = kindsWith((row) => row.topic === topic)
    const isWanted = sql`event.kind in ${literals(kinds)} and ${wants(topic)}`
    return kinds.length === 0 ? [] : [sql`when ${isWanted} then ${literal(topic)}`]
  })
  return sql`case
    when ${isSignIn(sql`event.kind`)} then case
      when ${wants('new_country')} and ${isNewNetwork()} and ${isNewCountry()} then 'new_country'
      when ${wants('new_network')} and ${isNewNetwork()} then 'new_network'
    end
    when ${wants('new_admin')} and ${makesAdmin()} then 'new_admin'
    ${sql.join(ofKinds, sql` `)}
  end`
}

function wants(topic: Topic): SQL {
  // With such a link an admin could take over an account, so nobody may leave it out.
  if (topic === 'reset_link') return sql`true`
  return hasWord(sql`channel.topics`, literal(topic))
}

/**
 * Holds when no kept sign-in before this one came from its network since the account was last
 * secured after one. The index has these columns.
 */
function isNewNetwork(): SQL {
  return sql`not exists (
    select 1 from ${auditEvents} as earlier
    where earlier.user_id = event.user_id and ${isSignIn(sql`earlier.kind`)}
      and earlier.network = event.network and earlier.id < event.id
      and earlier.at > ${checkedAt(sql`event.user_id`, sql`event.network`)}
  )`
}

/**
 * Holds when the countries of earlier sign-ins are known, and this is another. Right after the
 * version that began to record countries, none is known. Sign-ins after which the account was
 * secured do not count.
 */
function isNewCountry(): SQL {
  return sql`event.country <> '' and coalesce((
    select max(earlier.country = event.country) from (
      select country from ${auditEvents} as sign_in
      where sign_in.user_id = event.user_id and ${isSignIn(sql`sign_in.kind`)}
        and sign_in.id < event.id
        and sign_in.at > ${checkedAt(sql`sign_in.user_id`, sql`sign_in.network`)}
      order by sign_in.id desc limit ${literal(LATEST_SIGN_INS)}
    ) as earlier where earlier.country <> ''
  ) = 0, false)`
}

/** Holds for an event that gives somebody the role of an admin. */
function makesAdmin(): SQL {
  const kinds = ['user_made', 'user_restored', 'role_changed'] satisfies EventKind[]
  return sql`event.kind in ${literals(kinds)} and exists (
    select 1 from json_each(event.changes)
    where value ->> 'field' = 'role' and value ->> 'to' = ${literal(ADMIN)}
  )`
}
