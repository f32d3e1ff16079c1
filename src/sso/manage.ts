import { type AuditEvent, eventOf, logEvent } from '../audit/events.ts'
import { Refusal } from '../base/refusals.ts'
import {
  actAs,
  actFreshAs,
  type ActorDeps,
  readAs,
  type ReaderDeps,
  type SessionActor,
} from '../access/act-as.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { isFresh, isLive } from '../access/session-store.ts'
import { identityText } from './identity-text.ts'
import {
  type IdentityKey,
  identityLinking,
  identityUnlinking,
  isLinkedWith,
  type ProvenIdentity,
  selectIdentities,
  showIdentity,
  type StoredIdentity,
} from './store.ts'

/** Lists the actor's identities, oldest first. */
export async function listIdentities(
  deps: ReaderDeps,
  actor: SessionActor,
): Promise<StoredIdentity[]> {
  const { identities } = await readAs(deps, actor, {
    identities: selectIdentities(deps.db, actor.userId),
  })
  return identities
}

/**
 * Links an identity with the user of a session that was fresh when the user went to the provider.
 *
 * @throws {Refusal} `identityTaken`.
 */
export async function linkIdentity(
  deps: ActorDeps,
  actor: SessionActor,
  identity: ProvenIdentity,
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const now = deps.now()
  const by = isLive(db, actor, now)
  const event = eventOf(actor, 'identity_linked', now, identityText(identity))
  const { linked, own } = await actAs(deps, actor, {
    ...identityLinking(db, by, userId, identity, 'user', event),
    shown: showIdentity(db, by, userId, isLinkedWith(db, identity, userId)),
    own: selectIdentities(db, userId),
  })
  if (linked.length > 0) return logEvent(event)
  // Linking it a second time is no mistake.
  if (!own.some((one) => isSame(one, identity))) throw new Refusal('identityTaken')
}

/**
 * Unlinks an identity of the actor.
 *
 * @throws {Refusal} `confirmationNeeded`; `lastWayIn`; `identityNotFound`.
 */
export async function unlinkIdentity(
  deps: ActorDeps & FreshnessDeps,
  actor: SessionActor,
  identity: IdentityKey,
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const now = deps.now()
  const by = isFresh(deps, actor, now)
  const event = eventOf(actor, 'identity_unlinked', now)
  const { unlinked, left } = await actFreshAs(deps, actor, now, {
    ...identityUnlinking(db, by, userId, identity, event),
    left: selectIdentities(db, userId),
    shown: showIdentity(db, by, userId),
  })
  if (unlinked.length > 0) return logUnlinked(event, unlinked)
  throw new Refusal(left.some((one) => isSame(one, identity)) ? 'lastWayIn' : 'identityNotFound')
}

/** Logs the events that `identityUnlinking` has written. */
export function logUnlinked(
  event: AuditEvent,
  unlinked: readonly { platform: string; name: string }[],
): void {
  for (const { platform, name } of unlinked) logEvent({ ...event, detail: `${platform}: ${name}` })
}

function isSame(one: IdentityKey, other: IdentityKey): boolean {
  return one.issuer === other.issuer && one.subject === other.subject
}
