import { type AuditEvent, insertEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { Client } from '../../core/base/network.ts'
import { challengeUse, claimChallenge, isClaimed } from '../../core/access/used-challenges.ts'
import type { Ceremony } from './session-text.ts'
import type { Credential } from './store.ts'

/**
 * Tells the owner that a genuine answer had a counter that was used before: another authenticator
 * may hold the same key. The challenge is used up, so one answer causes one event.
 */
export async function reportClone(
  deps: Pick<Deps, 'db' | 'now' | 'randomBytes'>,
  ceremony: Ceremony,
  { userId, name }: Credential,
  { network, userAgent }: Client,
): Promise<void> {
  const { db } = deps
  const use = await challengeUse(deps, ceremony)
  const about = { network, userAgent, at: deps.now(), userId, detail: name }
  const event: AuditEvent = { ...about, kind: 'passkey_cloned' }
  await runBatch(db, {
    claimed: claimChallenge(db, THE_SERVICE, use),
    event: insertEvent(db, THE_SERVICE, event, isClaimed(db, use)),
  })
  logEvent(event)
}
