import { logEvent } from '../audit/events.ts'
import type { Client } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { runBatch, THE_SERVICE } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { selectBlocks } from './blocks.ts'
import { chargeUnspent } from './charges.ts'
import { strangerCounters } from './counters.ts'

/**
 * Charges a request of a stranger before anything is written for it. A `stranger` has proven at a
 * provider to be nobody here.
 *
 * @throws {Refusal} `tooManyRequests`; `tooManyAttempts` for a `stranger`, who tries to sign in.
 */
export async function chargeRequest(
  { db, now: clock }: Pick<Deps, 'db' | 'now'>,
  limit: 'register' | 'forgotten' | 'stranger',
  { network }: Client,
): Promise<void> {
  const now = clock()
  const counters = strangerCounters(limit, network)
  const { blocks, charged } = await runBatch(db, {
    blocks: selectBlocks(db, counters, now),
    charged: chargeUnspent(db, THE_SERVICE, counters, now),
  })
  if (charged.length > 0) return
  throw tooManyAttempts(blocks, now, limit === 'stranger' ? 'tooManyAttempts' : 'tooManyRequests')
}

/**
 * @param blocks The blocks that the batch of the refused charge read.
 * @param refusal `testedLately`, whose message names the seconds, for a test of a channel.
 *   `tooManyRequests` where nothing was tried.
 */
export function tooManyAttempts(
  blocks: { expiresAt: number }[],
  now: number,
  refusal: 'tooManyAttempts' | 'testedLately' | 'tooManyRequests' = 'tooManyAttempts',
): Refusal {
  const until = blocks[0]?.expiresAt ?? now
  const retryAfterSeconds = Math.max(1, Math.ceil((until - now) / 1000))
  return new Refusal(refusal, { values: { seconds: retryAfterSeconds }, retryAfterSeconds })
}

/** Seconds for which the gate counts, and the longest time that it stays closed. */
const GATE_SECONDS = 60

/**
 * Passes a first, cheap gate, which counts approximately and separately for each location. When the
 * gate fails, only the counters decide.
 *
 * @throws {Refusal} `tooManyAttempts`.
 */
export async function passGate(
  deps: Pick<Deps, 'limitSignIns' | 'now'>,
  client: Client,
): Promise<void> {
  const isOpen = await deps.limitSignIns(client.network).catch(() => true)
  if (isOpen) return
  logEvent({ ...client, at: deps.now(), kind: 'sign_in_refused', detail: 'gate' })
  throw new Refusal('tooManyAttempts', { retryAfterSeconds: GATE_SECONDS })
}
