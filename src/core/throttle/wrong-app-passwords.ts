import { logEvent } from '../audit/audit-event.ts'
import { runBatch, THE_SERVICE } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../base/network.ts'
import { refusalParts, type RefusedSignIn } from './refused.ts'
import { chargeUnspent } from './charges.ts'
import { strangerCounters } from './counters.ts'

/**
 * Records a wrong app password, after the answer. Its counters bound what one network writes, and
 * block neither passwords nor app passwords: a proxy passes on wrong app passwords of strangers
 * from the network of its users.
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
  const counters = strangerCounters('appPassword', network)
  const charged = await chargeUnspent(db, THE_SERVICE, counters, at)
  if (charged.length === 0) return
  await runBatch(db, refusalParts(db, THE_SERVICE, event, { counters }))
}
