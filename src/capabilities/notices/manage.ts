import { exists } from 'drizzle-orm'
import type { InferOutput } from 'valibot'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import {
  act,
  change,
  type ChangeDeps,
  of,
  type OwnAccount,
  read,
  type Subject,
} from '../../core/access/subject.ts'
import { selectVerifiedAddress } from '../../core/accounts/store.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { type Topic, topicsText } from '../../core/audit/topics.ts'
import { toHex } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { tooManyAttempts } from '../../core/throttle/gate.ts'
import { type NewChannel, type ownChannelSchema, readDestination } from './channels.ts'
import { type MailSiteDeps, mailSiteOf } from '../mail/mail-site.ts'
import { forgetChannels } from './memory.ts'
import type { NoticeKey } from './outbox.ts'
import { TEST_MILLISECONDS } from './queues.ts'
import { sealConfig } from './sealed-config.ts'
import { sendOne, type SendDeps } from './send.ts'
import { makeWebhookSecret } from './signature.ts'
import {
  beginTest,
  type ChannelOwner,
  deleteChannel as deleteChannelRow,
  hasChannel,
  hasPlace,
  insertChannel,
  type NewChannelRow,
  selectChannels,
  updateTopics,
  upsertOwnChannel,
} from './store.ts'

const MAX_CHANNELS = 20
const TEST_ID_BYTES = 16

/**
 * The owner of channels: the operators, whose channels have ids, for `of(operator)`, or a user, who
 * has one, for `own(actor)`.
 */
type ChannelSubject = Subject<number | undefined>

/** A new channel. Of a webhook, the secret that signs is shown only once. */
interface CreatedChannel {
  id: number
  /** Empty when the kind of channel has no signature. */
  secret: string
}

/** Lists channels; with the account of a user. @throws {Refusal} The refusals of `read`. */
export function listChannels<S extends ChannelSubject>(deps: ReaderDeps, subject: S) {
  return read(deps, subject, { channels: selectChannels(deps.db, ownerOf(subject)) })
}

/** As `listChannels`, with the address that the user has confirmed. */
export function readOwnChannel(deps: ReaderDeps, subject: OwnAccount<number>) {
  const { userId } = subject
  return read(deps, subject, {
    channels: selectChannels(deps.db, userId),
    addresses: selectVerifiedAddress(deps.db, userId),
  })
}

function ownerOf({ userId }: ChannelSubject): ChannelOwner {
  return userId ?? null
}

/**
 * Creates a channel of the operators, or creates or replaces the channel of a user.
 *
 * @param origin Where this site answers, for links; empty for none.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `tooManyChannels`; `invalidBody`, of a user
 *   also for an address that is not public; `noConfirmedAddress`.
 */
export async function saveChannel(
  deps: ChangeDeps & Pick<Deps, 'randomBytes' | 'keyRing' | 'isolateMemory'>,
  subject: ChannelSubject,
  request: NewChannel | InferOutput<typeof ownChannelSchema>,
  origin: string,
): Promise<CreatedChannel> {
  const { db } = deps
  const channel = { name: '', token: '', chat: '', sender: '', ...request }
  const owner = ownerOf(subject)
  const { row, secret } = await newChannelRow(deps, channel, owner, origin)
  const isOwnEmail = owner !== null && row.kind === 'email'
  const mayMail = isOwnEmail ? exists(selectVerifiedAddress(db, owner)) : undefined
  const { saved } = await change(
    deps,
    subject,
    { kind: 'notices_changed', detail: channel.name, fresh: true },
    ({ now, by, event }) => {
      const dated = { ...row, createdAt: now }
      const when = owner === null ? hasPlace(owner, MAX_CHANNELS) : mayMail
      return {
        event: insertEvent(db, by, event, when),
        saved:
          owner === null
            ? insertChannel(db, by, dated, when)
            : upsertOwnChannel(db, by, dated, when),
      }
    },
  )
  const [created] = saved
  if (created === undefined && isOwnEmail) throw new Refusal('noConfirmedAddress')
  if (created === undefined)
    throw new Refusal('tooManyChannels', { values: { limit: MAX_CHANNELS } })
  forgetChannels(deps)
  return { id: created.id, secret }
}

/**
 * Creates or replaces the channel of the actor, who can choose e-mail where the site sends mail.
 *
 * @throws {Refusal} As `saveChannel`, and `mailOff`.
 */
export async function saveOwnChannel(
  deps: Parameters<typeof saveChannel>[0] & MailSiteDeps,
  subject: OwnAccount<number>,
  request: InferOutput<typeof ownChannelSchema>,
  origin: string,
): Promise<CreatedChannel> {
  if (request.kind === 'email' && mailSiteOf(deps) === undefined) {
    // An ended session is told that first.
    await act(deps, subject, { fresh: true }, () => ({}))
    throw new Refusal('mailOff')
  }
  return saveChannel(deps, subject, request, origin)
}

/**
 * @param id `undefined` for the channel of a user.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `channelNotFound`.
 */
export async function chooseTopics(
  deps: ChangeDeps,
  subject: ChannelSubject,
  topics: readonly Topic[],
  id?: number,
): Promise<void> {
  const owner = ownerOf(subject)
  const { updated } = await change(
    deps,
    subject,
    { kind: 'notices_changed', detail: detailOf(id), fresh: true },
    ({ by, event }) => ({
      event: insertEvent(deps.db, by, event, hasChannel(owner, id)),
      updated: updateTopics(deps.db, by, owner, id, topicsText(topics)),
    }),
  )
  if (updated.length === 0) throw new Refusal('channelNotFound')
}

/** As `chooseTopics`. */
export async function deleteChannel(
  deps: ChangeDeps,
  subject: ChannelSubject,
  id?: number,
): Promise<void> {
  const owner = ownerOf(subject)
  const { deleted } = await change(
    deps,
    subject,
    { kind: 'notices_changed', detail: detailOf(id), fresh: true, ends: true },
    ({ by, event }) => ({
      event: insertEvent(deps.db, by, event, hasChannel(owner, id)),
      deleted: deleteChannelRow(deps.db, by, owner, id),
    }),
  )
  if (deleted.length === 0) throw new Refusal('channelNotFound')
}

function detailOf(id: number | undefined): string {
  return id === undefined ? '' : `#${id}`
}

type TestDeps = ChangeDeps & Pick<Deps, 'randomBytes'>

/**
 * Sends a test to a channel.
 *
 * @param id `undefined` for the channel of a user.
 * @returns Why it was not delivered (`post.ts`); `undefined` when it was.
 * @throws {Refusal} `notAdmin`, `channelNotFound`, `testedLately`.
 */
export async function testChannel(deps: TestDeps & SendDeps, subject: ChannelSubject, id?: number) {
  // No run of the site sends it, because this request does.
  return sendOne(deps, await leaveTestIn(deps, subject, id, TEST_MILLISECONDS))
}

/**
 * Leaves a test for the site, which sends it in its next run, at most five minutes later. Only the
 * command line uses it, because the site alone can open the channel and reach its receiver.
 *
 * @throws {Refusal} `channelNotFound`, `testedLately`.
 */
export async function leaveTest(deps: TestDeps, operator: Operator, id: number): Promise<void> {
  await leaveTestIn(deps, of(operator), id, 0)
}

/** @param waitMilliseconds How long no run sends it. */
async function leaveTestIn(
  deps: TestDeps,
  subject: ChannelSubject,
  id: number | undefined,
  waitMilliseconds: number,
): Promise<NoticeKey> {
  const testId = toHex(deps.randomBytes(TEST_ID_BYTES))
  const { blocks, inserted, now } = await act(deps, subject, {}, ({ now: begun, by }) => {
    const test = { id: testId, now: begun, notBefore: begun + waitMilliseconds }
    return beginTest(deps.db, by, ownerOf(subject), id, test)
  })
  const [test] = inserted
  if (test !== undefined) return test
  throw blocks.length > 0
    ? tooManyAttempts(blocks, now, 'testedLately')
    : new Refusal('channelNotFound')
}

/**
 * Checks what is asked for, and seals where it sends.
 *
 * @throws {Refusal} `invalidBody`.
 */
async function newChannelRow(
  deps: Pick<Deps, 'randomBytes' | 'keyRing'>,
  request: Omit<NewChannel, 'topics'> & { topics: readonly Topic[] },
  owner: ChannelOwner,
  origin: string,
): Promise<{ row: Omit<NewChannelRow, 'createdAt'>; secret: string }> {
  const { kind, name, topics, language } = request
  const destination = readDestination(request, owner !== null)
  if ('reason' in destination) {
    const { field, reason } = destination
    throw new Refusal('invalidBody', { field, reason: { code: reason, values: {} } })
  }
  const secret = kind === 'webhook' ? makeWebhookSecret(deps.randomBytes) : ''
  const config = await sealConfig(deps, await deps.keyRing(), kind, owner, {
    ...destination.config,
    secret,
  })
  const { target } = destination
  const shown = { kind, name, target, topics: topicsText(topics), language, origin }
  return { row: { userId: owner, config, ...shown }, secret }
}
