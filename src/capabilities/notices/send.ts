import { shownEventId } from '../../core/crypto/key-ring.ts'
import { isByOperator } from '../../core/audit/event-lists.ts'
import { type Answers, runBatch } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { hasMailSite, type MailSiteDeps, mailSiteOf } from '../mail/mail-site.ts'
import type { Notice } from './message.ts'
import {
  countExpired,
  deleteExpired,
  deleteNotices,
  deleteSent,
  type DueRow,
  GIVE_UP_MILLISECONDS,
  keepSent,
  noteFailures,
  noteSent,
  type NoticeKey,
  NOTICES_AT_ONCE,
  postpone,
  selectDue,
  takeDue,
} from './outbox.ts'
import { TEST_MILLISECONDS } from './queues.ts'
import { insertNotices, moveCursor } from './make-notices.ts'
import { type Failed, type Failure, post, type PostDeps } from './post.ts'
import type { ChannelConfig } from './channels.ts'
import { openConfig } from './sealed-config.ts'

export type SendDeps = PostDeps & MailSiteDeps & Pick<Deps, 'db' | 'keyRing'>

/** Rounds of one run. The time after an answer ends after 30 seconds. */
const MAX_ROUNDS = 3

/** Why a notice was not delivered; `undefined` when it was. */
type Outcome = Failed | undefined

/** Returns the statements that make the notices of new events, and take those that are due. */
function firstParts(db: Database, now: number) {
  return {
    counted: countExpired(db, now),
    expired: deleteExpired(db, now),
    over: deleteSent(db, now),
    made: insertNotices(db, now),
    cursor: moveCursor(db),
    due: selectDue(db, now),
    taken: takeDue(db, now),
  }
}
type FirstParts = ReturnType<typeof firstParts>

/**
 * Makes the notices of the events that are new, and sends those that are due. Two runs at the same
 * time send no notice twice. It takes one round trip to D1 when there is nothing to send.
 *
 * @param runFirst Runs the first statements, where others run in the same transaction.
 */
export async function sendNotices(
  deps: SendDeps,
  runFirst: (parts: FirstParts) => Promise<Answers<FirstParts>> = (parts) =>
    runBatch(deps.db, parts),
): Promise<void> {
  const { db } = deps
  const { expired, ...first } = await runFirst(firstParts(db, deps.now()))
  for (const lost of expired) logLost(lost)
  let { due } = first
  for (let round = 1; due.length > 0; round++) {
    const outcomes = await sendAll(deps, due)
    const isLast = round === MAX_ROUNDS || due.length < NOTICES_AT_ONCE
    const later = deps.now()
    const { next } = await runBatch(db, {
      ...settlement(deps, outcomes, later),
      next: isLast ? undefined : selectDue(db, later),
      taken: isLast ? undefined : takeDue(db, later),
    })
    due = next ?? []
  }
}

/**
 * Sends one notice now.
 *
 * @returns Why it was not delivered; `undefined` when it was.
 */
export async function sendOne(deps: SendDeps, key: NoticeKey): Promise<Failure | undefined> {
  const { db } = deps
  const now = deps.now()
  const { due } = await runBatch(db, {
    due: selectDue(db, now, key),
    taken: takeDue(db, now, key),
  })
  const outcomes = await sendAll(deps, due)
  await runBatch(db, settlement(deps, outcomes, deps.now()))
  const [outcome] = outcomes.values()
  return outcome?.failure
}

type Lost = ReturnType<typeof deleteExpired>['_']['result'][number]

/** Says in the log that a notice was given up after a day. A test is of no use by then. */
function logLost({ id, channelId: channel, topic, events }: Lost): void {
  if (topic === 'test') return
  console.warn(JSON.stringify({ event: 'notice given up', id, channel, topic, events }))
}

/** Returns the statements that record what became of notices. */
function settlement({ db }: Pick<Deps, 'db'>, outcomes: ReadonlyMap<DueRow, Outcome>, now: number) {
  const kept: DueRow[] = []
  const sent: DueRow[] = []
  const finished: DueRow[] = []
  const failures = new Map<number, string>()
  const waits = new Map<number, number>()
  for (const [row, outcome] of outcomes) {
    // A test is not repeated: its sender sees the failure. Of a deleted event, nothing is sent.
    if (row.topic === 'test' || row.eventId === null) finished.push(row)
    else if (outcome === undefined) kept.push(row)
    if (outcome === undefined) sent.push(row)
    else failures.set(row.channelId, outcome.failure)
    if (outcome?.retryAt !== undefined) waits.set(row.channelId, outcome.retryAt)
  }
  const channels = sent.map(({ channelId }) => channelId)
  return {
    deleted: finished.length === 0 ? undefined : deleteNotices(db, finished),
    kept: kept.length === 0 ? undefined : keepSent(db, kept),
    sent: sent.length === 0 ? undefined : noteSent(db, channels, now),
    failed: failures.size === 0 ? undefined : noteFailures(db, failures, now),
    postponed: waits.size === 0 ? undefined : postpone(db, waits),
  }
}

async function sendAll(deps: SendDeps, due: readonly DueRow[]): Promise<Map<DueRow, Outcome>> {
  const outcomes = due.map(async (row) => [row, await sendRow(deps, row)] as const)
  return new Map(await Promise.all(outcomes))
}

async function sendRow(deps: SendDeps, row: DueRow): Promise<Outcome> {
  const notice = noticeOf(row)
  // The event was deleted, so there is nothing to tell.
  if (notice === undefined) return undefined
  const ring = await deps.keyRing()
  // A user's own channel gets the id that the user sees.
  if (notice.isOwn && notice.event !== null)
    notice.event = { ...notice.event, id: await shownEventId(ring, notice.event.id) }
  const config = await openConfig(ring, row.kind, row.ownerId, row.config).catch(() => undefined)
  if (config === undefined) return { failure: 'sealed' }
  if (row.kind !== 'email' || row.ownerId === null) return post(deps, row.kind, config, notice)
  return mailOwner(deps, row, config, notice)
}

/** Sends a notice from the site to the address that its user has confirmed by now. */
async function mailOwner(
  deps: SendDeps,
  { ownerEmail }: DueRow,
  config: ChannelConfig,
  notice: Notice,
): Promise<Outcome> {
  const site = hasMailSite(deps) ? mailSiteOf(deps) : undefined
  if (site === undefined) return { failure: 'no e-mail' }
  if (ownerEmail === null) return { failure: 'no address' }
  return post(deps, 'email', { ...config, address: ownerEmail, sender: site.from }, notice)
}

function noticeOf(row: DueRow): Notice | undefined {
  const { id, topic, origin, language, ownerId, expiresAt } = row
  const madeAt = expiresAt - (topic === 'test' ? TEST_MILLISECONDS : GIVE_UP_MILLISECONDS)
  const more = row.events - 1
  const common = { id, topic, origin, language, isOwn: ownerId !== null, madeAt, more }
  if (row.noticeEventId === null) return { ...common, event: null }
  if (row.eventId === null) return undefined
  const { at, eventKind: kind, userId, username, actorId, actorName } = row
  const { detail, network, country } = row
  const event = {
    id: row.eventId,
    at,
    kind,
    userId,
    username,
    actorId,
    actorName,
    detail,
    network,
    country,
  }
  // Where an operator was is for operators.
  const isHidden = common.isOwn && isByOperator(event)
  return { ...common, event: isHidden ? { ...event, network: '', country: '' } : event }
}
