import { and, asc, eq, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { auditEvents, noticeChannels, notices, users } from '../../../schema/tables.ts'
import type { Database } from '../../core/database/database.ts'
import { literal } from '../../core/database/literal.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import { areOpen, selectBlocks } from '../../core/throttle/blocks.ts'
import { chargeUnspent } from '../../core/throttle/charges.ts'
import { testCounters } from '../../core/throttle/counters.ts'
import type { ChannelKind, NoticeLanguage } from './channels.ts'
import { QUEUES, TEST_MILLISECONDS } from './queues.ts'
import { parseTopics } from '../../core/audit/topics.ts'

/** Qualified, because Drizzle takes the names of tables off the columns of the outer level. */
const idOfChannel = sql.raw('notice_channels.id')

/** Holds for the channel of a user that mails. */
function isOwnEmail(): SQL {
  return sql`(notice_channels.user_id is not null and notice_channels.kind = 'email')`
}

/** The address that the user of a channel has confirmed; null without one. */
function addressOfOwner(): SQL {
  return sql`(select email from ${users} where id = notice_channels.user_id and email_verified = 1)`
}

/** The columns that lists show: not the sealed address. */
const listed = {
  id: noticeChannels.id,
  kind: sql<ChannelKind>`${noticeChannels.kind}`.as('kind'),
  name: noticeChannels.name,
  target:
    sql<string>`iif(${isOwnEmail()}, coalesce(${addressOfOwner()}, ''), ${noticeChannels.target})`.as(
      'target',
    ),
  topics: sql`${noticeChannels.topics}`.mapWith(parseTopics).as('topics'),
  language: sql<NoticeLanguage>`${noticeChannels.language}`.as('language'),
  createdAt: noticeChannels.createdAt,
  lastSentAt: noticeChannels.lastSentAt,
  lastFailedAt: noticeChannels.lastFailedAt,
  failure: noticeChannels.failure,
  lost: noticeChannels.lost,
  waiting: sql<number>`(
    select count(*) from ${notices} as notice
    where notice.channel_id = ${idOfChannel} and notice.queue <> ${literal(QUEUES.sent)}
  )`.as('waiting'),
}

/** The channels of one user, or those of the operators. */
export type ChannelOwner = number | null

/** Holds for every channel of the owner. */
function isOf(owner: ChannelOwner): SQL {
  return owner === null ? isNull(noticeChannels.userId) : eq(noticeChannels.userId, owner)
}

/** Holds for the one channel of a user, or for that of the operators with this id. */
function isChannel(owner: ChannelOwner, id: number | undefined): SQL | undefined {
  return owner === null ? and(isOf(owner), eq(noticeChannels.id, id ?? NO_ID)) : isOf(owner)
}

/** No row has this id. */
const NO_ID = 0

export function selectChannels(db: Database, owner: ChannelOwner) {
  return db.select(listed).from(noticeChannels).where(isOf(owner)).orderBy(asc(noticeChannels.id))
}

/** Selects what identifies the channel of a user. The address itself is a secret. */
export function selectOwnChannel(db: Database, userId: number) {
  const { kind, target, createdAt } = listed
  return db.select({ kind, target, createdAt }).from(noticeChannels).where(isOf(userId))
}

export type OwnChannel = ReturnType<typeof selectOwnChannel>['_']['result'][number]

/** A channel as lists show it. */
export type ListedChannel = ReturnType<typeof selectChannels>['_']['result'][number]

/** The row of a new channel. */
export interface NewChannelRow {
  userId: ChannelOwner
  kind: ChannelKind
  name: string
  target: string
  /** Sealed. */
  config: string
  topics: string
  language: NoticeLanguage
  origin: string
  createdAt: number
}

/** The next event is the first that a channel is told of. */
const lastEventId = sql`coalesce((select max(${auditEvents.id}) from ${auditEvents}), 0)`

export function insertChannel(db: Database, by: Authority, row: NewChannelRow, where?: SQL) {
  return writing(db, by)
    .insert(noticeChannels, { ...row, sinceEventId: lastEventId }, { where })
    .returning({ id: noticeChannels.id })
}

/** Holds while an owner has fewer channels than the limit. */
export function hasPlace(owner: ChannelOwner, limit: number): SQL {
  return lt(sql`(select count(*) from ${noticeChannels} where ${isOf(owner)})`, limit)
}

/** Replaces the channel of a user, or inserts it. */
export function upsertOwnChannel(db: Database, by: Authority, row: NewChannelRow, where?: SQL) {
  const { userId: _, ...values } = row
  const noHistory = { lastSentAt: null, lastFailedAt: null, failure: '', lost: 0 }
  return writing(db, by)
    .insert(noticeChannels, { ...row, sinceEventId: lastEventId }, { where })
    .onConflictDoUpdate({
      target: noticeChannels.userId,
      set: { ...values, ...noHistory, sinceEventId: sql`excluded.since_event_id` },
    })
    .returning({ id: noticeChannels.id })
}

/** @param id `undefined` for the channel of a user. */
export function updateTopics(
  db: Database,
  by: Authority,
  owner: ChannelOwner,
  id: number | undefined,
  topics: string,
) {
  return writing(db, by)
    .update(noticeChannels, { topics, sinceEventId: lastEventId }, isChannel(owner, id))
    .returning({ id: noticeChannels.id })
}

/** @param id `undefined` for the channel of a user. */
export function deleteChannel(db: Database, by: Authority, owner: ChannelOwner, id?: number) {
  return writing(db, by)
    .delete(noticeChannels, isChannel(owner, id))
    .returning({ id: noticeChannels.id })
}

/** Holds while the owner has the channel. @param id `undefined` for the channel of a user. */
export function hasChannel(owner: ChannelOwner, id?: number): SQL {
  return sql`exists (select 1 from ${noticeChannels} where ${isChannel(owner, id)})`
}

interface NewTest {
  id: string
  /** Unix time, milliseconds. */
  now: number
  /** When a run may send it. Unix time, milliseconds. */
  notBefore: number
}

/**
 * Returns the statements that put a test into the outbox, as parts of a batch, unless a test of the
 * same owner's channel was begun lately. A user's tests count for the user, who could otherwise
 * delete the channel and save it again.
 *
 * @param channelId `undefined` for the channel of a user.
 */
export function beginTest(
  db: Database,
  by: Authority,
  owner: ChannelOwner,
  channelId: number | undefined,
  { id, now, notBefore }: NewTest,
) {
  const counters = testCounters(owner === null ? `channel/${channelId}` : `user/${owner}`)
  const about = `test/${id}`
  const row = {
    channelId: noticeChannels.id,
    about,
    id,
    eventId: null,
    events: 1,
    topic: 'test',
    queue: owner === null ? QUEUES.operators : QUEUES.user,
    attempts: 0,
    nextAt: notBefore,
    expiresAt: now + TEST_MILLISECONDS,
  }
  const isInserted = sql`exists (
    select 1 from ${notices} join ${noticeChannels} on ${notices.channelId} = ${noticeChannels.id}
    where ${isChannel(owner, channelId)} and ${notices.about} = ${about}
  )`
  return {
    blocks: selectBlocks(db, counters, now),
    inserted: writing(db, by)
      .insert(notices, row, {
        from: noticeChannels,
        where: and(isChannel(owner, channelId), areOpen(counters, now)),
      })
      .returning({ channelId: notices.channelId, about: notices.about }),
    charged: chargeUnspent(db, by, counters, now, isInserted),
  }
}
