import { logEvent } from '../audit/audit-event.ts'
import type { Client } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import type { Deps } from '../deps.ts'

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
