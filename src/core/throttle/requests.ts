import type { Client } from '../base/network.ts'
import { runBatch, THE_SERVICE } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { selectBlocks } from './blocks.ts'
import { chargeUnspent } from './charges.ts'
import { strangerCounters } from './counters.ts'
import { tooManyAttempts } from './gate.ts'

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
