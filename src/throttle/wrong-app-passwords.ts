import { logEvent } from '../audit/events.ts'
import { runBatch, THE_SERVICE } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../base/network.ts'
import { refusalParts, type RefusedSignIn } from './refused.ts'
import { chargeNetwork, networkCounter } from './throttle.ts'

/**
 * Counts a wrong app password against the network of the client, after the answer. It counts
 * against no account, so nobody can lock a user out with it, and a block never refuses a right app
 * password.
 */
export function countWrongAppPassword(
  deps: Pick<Deps, 'db' | 'now' | 'defer'>,
  { network, userAgent }: Client,
): void {
  const at = deps.now()
  const event: RefusedSignIn = {
    at,
    kind: 'sign_in_refused',
    detail: 'app password',
    network,
    userAgent,
  }
  logEvent(event)
  // During an outage the attempt is not counted.
  deps.defer(count(deps, event).catch(() => undefined))
}

async function count({ db }: Pick<Deps, 'db'>, event: RefusedSignIn): Promise<void> {
  const { network, at } = event
  const charged = await chargeNetwork(db, THE_SERVICE, network, at)
  if (charged.length === 0) return
  const site = networkCounter(network)
  await runBatch(db, refusalParts(db, THE_SERVICE, event, { counters: [site] }))
}
