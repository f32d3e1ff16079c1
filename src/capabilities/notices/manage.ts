import { eventOf, insertEvent, logEvent } from '../../core/audit/events.ts'
import type { BatchItem } from 'drizzle-orm/batch'
import { toHex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Answers, Authority } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { actAs, actFreshAs, type ActorDeps, endFreshAs } from '../../core/access/act-as.ts'
import type { SessionActor } from '../../core/access/actor.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  isOperator,
  type Operator,
} from '../../core/access/operators.ts'
import { isFresh, isLive, mayEndFresh } from '../../core/access/session-store.ts'
import { tooManyAttempts } from '../../core/throttle/requests.ts'
import { type NewChannel, type ownChannelSchema, readDestination } from './channels.ts'
import { forgetChannels } from './memory.ts'
import { type NoticeKey, TEST_MILLISECONDS } from './outbox.ts'
import { sealConfig } from './sealed-config.ts'
import { sendOne, type SendDeps } from './send.ts'
import { makeWebhookSecret } from './signature.ts'
import {
  beginTest,
  type ChannelOwner,
  deleteChannels,
  hasPlace,
  insertChannel,
  isChannel,
  type NewChannelRow,
  type NewTest,
  selectChannels,
  updateTopics,
  upsertOwnChannel,
} from './store.ts'
import { type Topic, topicsText } from '../../core/audit/topics.ts'
import type { InferOutput } from 'valibot'

const MAX_CHANNELS = 20
const TEST_ID_BYTES = 16

type OwnChannel = InferOutput<typeof ownChannelSchema>
type WriterDeps = ActorDeps &
  FreshnessDeps &
  Pick<Deps, 'randomBytes' | 'keyRing' | 'isolateMemory'>

type ChangeOfChannel = (by: Authority) => BatchItem<'sqlite'> & { _: { result: { id: number }[] } }

/** A new channel. Of a webhook, the secret that signs is shown only once. */
interface CreatedChannel {
  id: number
  /** Empty when the kind of channel has no signature. */
  secret: string
}

/** Lists the channels of the operators. @throws {Refusal} `notAdmin`. */
export async function listNoticeChannels(deps: ActorDeps, operator: Operator) {
  const { channels } = await actAsOperator(deps, operator, {
    channels: selectChannels(deps.db, null),
  })
  return channels
}

/**
 * Creates a channel of the operators.
 *
 * @param origin Where this site answers, for links; empty for none.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `invalidBody`, `tooManyChannels`.
 */
export async function createNoticeChannel(
  deps: WriterDeps,
  operator: Operator,
  request: NewChannel,
  origin: string,
): Promise<CreatedChannel> {
  const { db } = deps
  const now = deps.now()
  const { row, secret } = await newChannelRow(deps, request, null, origin, now)
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, undefined, 'notices_changed', now, request.name)
  const { isFresh: isFreshNow, inserted } = await actAsOperatorAt(deps, operator, now, {
    event: insertEvent(db, by, event, hasPlace(null, MAX_CHANNELS)),
    inserted: insertChannel(db, by, row, MAX_CHANNELS),
  })
  if (!isFreshNow) throw new Refusal('confirmationNeeded')
  const [created] = inserted
  if (created === undefined)
    throw new Refusal('tooManyChannels', { values: { limit: MAX_CHANNELS } })
  logEvent(event)
  forgetChannels(deps)
  return { id: created.id, secret }
}

/** @throws {Refusal} `notAdmin`, `confirmationNeeded`, `channelNotFound`. */
export async function chooseTopics(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  id: number,
  topics: readonly Topic[],
): Promise<void> {
  await changeChannel(deps, operator, id, (by) =>
    updateTopics(deps.db, by, null, id, topicsText(topics)),
  )
}

/** @throws {Refusal} `notAdmin`, `confirmationNeeded`, `channelNotFound`. */
export async function deleteNoticeChannel(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  id: number,
): Promise<void> {
  await changeChannel(deps, operator, id, (by) => deleteChannels(deps.db, by, null, id))
}

/** @param change Makes the statement that changes the channel and returns its row. */
async function changeChannel(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  id: number,
  change: ChangeOfChannel,
): Promise<void> {
  const now = deps.now()
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, undefined, 'notices_changed', now, `#${id}`)
  const { isFresh: isFreshNow, changed } = await actAsOperatorAt(deps, operator, now, {
    event: insertEvent(deps.db, by, event, isChannel(null, id)),
    changed: change(by),
  })
  if (!isFreshNow) throw new Refusal('confirmationNeeded')
  if (changed.length === 0) throw new Refusal('channelNotFound')
  logEvent(event)
}

/**
 * Sends a test to a channel of the operators.
 *
 * @returns Why it was not delivered (`post.ts`); `undefined` when it was.
 * @throws {Refusal} `notAdmin`, `channelNotFound`, `testedLately`.
 */
export async function testNoticeChannel(
  deps: ActorDeps & SendDeps & Pick<Deps, 'randomBytes'>,
  operator: Operator,
  channelId: number,
) {
  const test = testOf(deps, deps.now())
  return sendOne(deps, await beginTestBy(deps, operator, channelId, test))
}

/**
 * Leaves a test for the site, which sends it in its next run, at most five minutes later. Only the
 * command line uses it, because the site alone can open the channel and reach its receiver.
 *
 * @throws {Refusal} `channelNotFound`, `testedLately`.
 */
export async function leaveTest(
  deps: ActorDeps & Pick<Deps, 'randomBytes'>,
  operator: Operator,
  channelId: number,
): Promise<void> {
  const now = deps.now()
  const test = { ...testOf(deps, now), notBefore: now }
  await beginTestBy(deps, operator, channelId, test)
}

/** @throws {Refusal} `notAdmin`, `channelNotFound`, `testedLately`. */
async function beginTestBy(
  deps: ActorDeps,
  operator: Operator,
  channelId: number,
  test: NewTest,
): Promise<NoticeKey> {
  const { db } = deps
  const by = isOperator(db, operator, test.now)
  const parts = beginTest(db, by, null, channelId, test)
  return keyOfTest(await actAsOperator(deps, operator, parts), test)
}

/** @throws {Refusal} `channelNotFound`, `testedLately`. */
function keyOfTest(
  { blocks, inserted }: Pick<Answers<ReturnType<typeof beginTest>>, 'blocks' | 'inserted'>,
  { now }: NewTest,
): NoticeKey {
  const [test] = inserted
  if (test !== undefined) return test
  throw blocks.length > 0
    ? tooManyAttempts(blocks, now, 'testedLately')
    : new Refusal('channelNotFound')
}

/** Reads the account of an actor and its channel. */
export async function findOwnChannel(deps: ActorDeps, actor: SessionActor) {
  const { account, channels } = await actAs(deps, actor, {
    channels: selectChannels(deps.db, actor.userId),
  })
  return { account, channel: channels[0] }
}

/**
 * Creates or replaces the channel of the actor.
 *
 * @throws {Refusal} `confirmationNeeded`, `invalidBody` for an address that is not public.
 */
export async function saveOwnChannel(
  deps: WriterDeps,
  actor: SessionActor,
  request: OwnChannel,
  origin: string,
): Promise<CreatedChannel> {
  const { db } = deps
  const now = deps.now()
  const blank = { name: '', token: '', chat: '', sender: '' }
  const { row, secret } = await newChannelRow(
    deps,
    { ...blank, ...request },
    actor.userId,
    origin,
    now,
  )
  const by = isFresh(deps, actor, now)
  const event = eventOf(actor, 'notices_changed', now)
  const { saved } = await actFreshAs(deps, actor, now, {
    event: insertEvent(db, by, event),
    saved: upsertOwnChannel(db, by, row),
  })
  logEvent(event)
  forgetChannels(deps)
  return { id: saved[0]?.id ?? 0, secret }
}

/** @throws {Refusal} `confirmationNeeded`, `channelNotFound`. */
export async function deleteOwnChannel(
  deps: ActorDeps & FreshnessDeps,
  actor: SessionActor,
): Promise<void> {
  await changeOwnChannel(deps, actor, (by) => deleteChannels(deps.db, by, actor.userId), 'end')
}

/** @throws {Refusal} `confirmationNeeded`, `channelNotFound`. */
export async function chooseOwnTopics(
  deps: ActorDeps & FreshnessDeps,
  actor: SessionActor,
  topics: OwnChannel['topics'],
): Promise<void> {
  await changeOwnChannel(deps, actor, (by) =>
    updateTopics(deps.db, by, actor.userId, undefined, topicsText(topics)),
  )
}

/** @param change Makes the statement that changes the channel and returns its row. */
async function changeOwnChannel(
  deps: ActorDeps & FreshnessDeps,
  actor: SessionActor,
  change: ChangeOfChannel,
  as: 'end' | 'change' = 'change',
): Promise<void> {
  const now = deps.now()
  const [by, act] =
    as === 'end'
      ? [mayEndFresh(deps, actor, now), endFreshAs]
      : [isFresh(deps, actor, now), actFreshAs]
  const event = eventOf(actor, 'notices_changed', now)
  const { changed } = await act(deps, actor, now, {
    event: insertEvent(deps.db, by, event, isChannel(actor.userId)),
    changed: change(by),
  })
  if (changed.length === 0) throw new Refusal('channelNotFound')
  logEvent(event)
}

/** Sends a test to the channel of the actor. @throws {Refusal} `channelNotFound`, `testedLately`. */
export async function testOwnChannel(
  deps: ActorDeps & SendDeps & Pick<Deps, 'randomBytes'>,
  actor: SessionActor,
) {
  const { db } = deps
  const now = deps.now()
  const test = testOf(deps, now)
  const parts = beginTest(db, isLive(db, actor, now), actor.userId, undefined, test)
  return sendOne(deps, keyOfTest(await actAs(deps, actor, parts), test))
}

function testOf({ randomBytes }: Pick<Deps, 'randomBytes'>, now: number): NewTest {
  // No run of the site sends it, because the caller does.
  return { id: toHex(randomBytes(TEST_ID_BYTES)), now, notBefore: now + TEST_MILLISECONDS }
}

/**
 * Checks what is asked for, and seals where it sends.
 *
 * @param owner The user of the channel, or null for the operators.
 * @throws {Refusal} `invalidBody`.
 */
async function newChannelRow(
  deps: Pick<Deps, 'randomBytes' | 'keyRing'>,
  request: Omit<NewChannel, 'topics'> & { topics: readonly Topic[] },
  owner: ChannelOwner,
  origin: string,
  now: number,
): Promise<{ row: NewChannelRow; secret: string }> {
  const { kind, name, topics, language } = request
  const read = readDestination(request, owner !== null)
  if ('reason' in read) {
    const { field, reason } = read
    throw new Refusal('invalidBody', { field, reason: { code: reason, values: {} } })
  }
  const secret = kind === 'webhook' ? makeWebhookSecret(deps.randomBytes) : ''
  const config = await sealConfig(deps, await deps.keyRing(), kind, owner, {
    ...read.config,
    secret,
  })
  const { target } = read
  const shown = { kind, name, target, topics: topicsText(topics), language, origin }
  return { row: { userId: owner, config, createdAt: now, ...shown }, secret }
}
