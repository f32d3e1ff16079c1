import { and, inArray, lte, sql, type SQL } from 'drizzle-orm'
import * as base64url from 'jose/base64url'
import * as v from 'valibot'
import { mails } from '../../schema/tables.ts'
import { openBox, sealBox } from '../crypto/sealed-box.ts'
import { orUnavailable } from '../database/database.ts'
import { logError } from '../database/log.ts'
import { type Authority, runBatch, THE_SERVICE, writing } from '../database/statements.ts'
import type { Database, Deps } from '../deps.ts'
import { messageSchema } from './message.ts'
import { MAIL_LANGUAGES } from './texts.ts'

/**
 * A request for a new password, before anybody has looked whose it is: the answer to it takes the
 * same work for every name.
 */
const forgottenSchema = v.object({
  name: v.string(),
  language: v.picklist(MAIL_LANGUAGES),
  network: v.string(),
  userAgent: v.string(),
})
export type ForgottenRequest = v.InferOutput<typeof forgottenSchema>

/** What waits: a mail, or what has to become mails. */
const itemSchema = v.union([
  v.object({ message: messageSchema }),
  v.object({ forgotten: forgottenSchema }),
])
export type MailItem = v.InferOutput<typeof itemSchema>

/** The mails of one run, and rounds of it. The time after an answer ends after 30 seconds. */
const AT_ONCE = 6
const MAX_ROUNDS = 3

/** The second attempt comes a minute after the first, and each next one twice as late. */
const FIRST_DELAY_MILLISECONDS = 60_000
const MAX_DOUBLINGS = 6
const SEND_MILLISECONDS = 10_000

/** Mails that wait. Strangers cause them, so there is an end. */
const MAX_WAITING = 1000

/** A mail that is sealed: it holds a link, which a reader of the database must not get. */
export interface SealedMail {
  id: string
  sealed: string
  expiresAt: number
}

/** Seals what is to be sent, for the batch that causes it. */
export async function sealMail(
  deps: Pick<Deps, 'keyRing' | 'randomBytes'>,
  item: MailItem,
  expiresAt: number,
): Promise<SealedMail> {
  const id = base64url.encode(deps.randomBytes(16))
  const bytes = new Uint8Array(new TextEncoder().encode(JSON.stringify(item)))
  return { id, sealed: await sealBox(deps, await deps.keyRing(), bytes, useOf(id)), expiresAt }
}

function useOf(id: string): string {
  return `mail ${id}`
}

/** Queues a mail, under the condition of what it tells. `mailsAfterRequests` sends it. */
export function queueMail(
  deps: Pick<Deps, 'db' | 'outbox'>,
  by: Authority,
  { id, sealed, expiresAt }: SealedMail,
  now: number,
  when?: SQL,
) {
  deps.outbox.hasMails = true
  const hasPlace = sql`(select count(*) from ${mails}) < ${MAX_WAITING}`
  return writing(deps.db, by).insert(
    mails,
    { id, sealed, expiresAt, nextAt: now },
    { where: and(hasPlace, when) },
  )
}

export type MailRunDeps = Pick<Deps, 'db' | 'now' | 'keyRing' | 'mailer'>

/**
 * Sends the mails that are due. Two runs at the same time send no mail twice.
 *
 * @param become Makes mails of a request for a new password.
 */
export async function sendMails(
  deps: MailRunDeps,
  become: (request: ForgottenRequest) => Promise<void>,
): Promise<void> {
  if (deps.mailer() === undefined) return
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const due = await takeDue(deps.db, deps.now())
    if (due.length === 0) return
    const sent = await Promise.all(due.map((mail) => send(deps, mail, become)))
    const ids = sent.filter((id) => id !== undefined)
    if (ids.length > 0)
      await runBatch(deps.db, {
        deleted: writing(deps.db, THE_SERVICE).delete(mails, inArray(mails.id, ids)),
      })
  }
}

async function takeDue(db: Database, now: number) {
  const ids = sql`(select id from ${mails} where next_at <= ${now} order by next_at, id limit ${AT_ONCE})`
  const isDue = sql`${mails.id} in ${ids}`
  const delay = sql`(${FIRST_DELAY_MILLISECONDS} << min(${mails.attempts}, ${MAX_DOUBLINGS}))`
  const { due } = await runBatch(db, {
    expired: writing(db, THE_SERVICE).delete(mails, lte(mails.expiresAt, now)),
    due: db.select({ id: mails.id, sealed: mails.sealed }).from(mails).where(isDue),
    taken: writing(db, THE_SERVICE).update(
      mails,
      { attempts: sql`${mails.attempts} + 1`, nextAt: sql`${now} + ${delay}` },
      isDue,
    ),
  })
  return due
}

/** @returns The id of a mail that need not be sent again. */
async function send(
  deps: MailRunDeps,
  { id, sealed }: { id: string; sealed: string },
  become: (request: ForgottenRequest) => Promise<void>,
): Promise<string | undefined> {
  try {
    const bytes = await openBox(await deps.keyRing(), sealed, useOf(id), 'a mail')
    const item = v.parse(itemSchema, JSON.parse(new TextDecoder().decode(bytes)))
    if ('forgotten' in item) await become(item.forgotten)
    else await deliver(deps, item.message)
    return id
  } catch (error) {
    // The error of a server may name the recipient, so only its kind is logged.
    const failure = error instanceof Error ? error.name : 'unknown'
    logError(new Error(`a mail was not sent: ${failure}`), { during: 'mails' })
    return undefined
  }
}

async function deliver(
  { mailer: sender }: MailRunDeps,
  message: v.InferOutput<typeof messageSchema>,
) {
  const mailer = sender()
  if (mailer === undefined) throw new Error('no sender')
  const headers = { 'Auto-Submitted': 'auto-generated' }
  const sending = Promise.resolve(mailer.send({ ...message, from: mailer.from, headers }))
  await orUnavailable(sending, SEND_MILLISECONDS)
}
