import { inArray, lte, type SQL, sql } from 'drizzle-orm'
import { links, mails, users } from '../../../schema/tables.ts'
import type { AuditEvent } from '../../core/audit/events.ts'
import type { Language } from '../../core/base/language.ts'
import { isNetwork } from '../../core/base/network.ts'
import { literal } from '../../core/database/literal.ts'
import {
  type Authority,
  sendingAfter,
  THE_SERVICE,
  writing,
} from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import type { QueuedKind } from './texts.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'

/** A mail without a link that was not sent for so long is given up. */
export const GIVE_UP_MILLISECONDS = DAY_MILLISECONDS

/** A mail is tried again after a minute, then after twice as long each time, up to 4 hours. */
const FIRST_DELAY_MILLISECONDS = 60_000
const MAX_DOUBLINGS = 8

/** Workerd keeps six connections open at a time, so more would wait while their time runs. */
export const MAILS_AT_ONCE = 6

const NEW_ID = sql`lower(hex(randomblob(16)))`

/** A mail to put into the outbox. Its values may be columns of `from`. */
interface NewMail {
  kind: QueuedKind | SQL
  userId: number | null | SQL
  /** The hash of the link in it; null for none. */
  linkHash: string | null | SQL
  address: string | SQL
  language: Language | SQL
  /** The sealed secret of the link (`sealSecret`); empty for none. */
  sealed: string | SQL
  /** When it is given up, with its link. Unix time, milliseconds. */
  expiresAt: number | SQL
  /** What it tells. Where an operator was is for operators, so such an event names no network. */
  event?: Pick<AuditEvent, 'at' | 'network' | 'userId' | 'actorId'>
}

/** Puts mails into the outbox, in the transaction of what they tell. */
export function insertMail(
  db: Database,
  by: Authority,
  { event, ...mail }: NewMail,
  now: number,
  source: { from?: SQL; where?: SQL | undefined } = {},
) {
  const row = {
    id: NEW_ID,
    ...mail,
    attempts: 0,
    nextAt: now,
    at: event?.at ?? null,
    network: event === undefined ? '' : shownNetwork(event),
  }
  return sendingAfter('mails', writing(db, by).insert(mails, row, source))
}

/** Returns the network of an event for its user; empty where it is not known or not told. */
function shownNetwork({ network, userId, actorId }: NonNullable<NewMail['event']>): string {
  const isByOther = actorId !== undefined && actorId !== userId
  return isByOther || !isNetwork(network) ? '' : network
}

/**
 * Takes the mails that are due: nobody else sends them, and they come again later unless they are
 * deleted. So a mail survives the end of the isolate that sends it.
 */
export function takeDueMails(db: Database, now: number) {
  const delay = sql`(${FIRST_DELAY_MILLISECONDS} << min(${mails.attempts}, ${MAX_DOUBLINGS}))`
  const isLinkLive = sql`(mail.link_hash is null or exists (
    select 1 from ${links} as link
    where link.token_hash = mail.link_hash and link.used < link.uses and link.ends_at > ${now}
  ))`
  const due = sql`(
    select mail.id from ${mails} as mail
    where mail.next_at <= ${now} and mail.expires_at > ${now} and ${isLinkLive}
    order by mail.next_at limit ${literal(MAILS_AT_ONCE)}
  )`
  return writing(db, THE_SERVICE)
    .update(
      mails,
      {
        attempts: sql`${mails.attempts} + 1`,
        nextAt: sql`min(${now} + ${delay}, ${mails.expiresAt})`,
      },
      sql`${mails.id} in ${due}`,
    )
    .returning({
      id: mails.id,
      kind: sql<QueuedKind>`${mails.kind}`,
      address: mails.address,
      language: sql<Language>`${mails.language}`,
      sealed: mails.sealed,
      expiresAt: mails.expiresAt,
      at: mails.at,
      network: mails.network,
      username: sql<string | null>`(
        select ${users.username} from ${users} where ${users.id} = ${mails.userId}
      )`,
      // Nested, because Drizzle takes the names of tables off the columns of the outer level.
      inviter: sql<string | null>`(${sql`
        select ${users.username} from ${users} join ${links} on ${users.id} = ${links.createdBy}
        where ${mails.kind} = 'invitation' and ${links.tokenHash} = ${mails.linkHash}`})`,
    })
}

export type DueMail = ReturnType<typeof takeDueMails>['_']['result'][number]

/** Tells whether any mail waits. */
export function selectWaitingMails(db: Database) {
  return db.select({ id: mails.id }).from(mails).limit(1)
}

export function deleteMails(db: Database, ids: readonly string[]) {
  return writing(db, THE_SERVICE).delete(mails, inArray(mails.id, [...ids]))
}

/** Deletes the mails that are given up. */
export function deleteExpiredMails(db: Database, now: number) {
  return writing(db, THE_SERVICE)
    .delete(mails, lte(mails.expiresAt, now))
    .returning({ id: mails.id, kind: mails.kind })
}
