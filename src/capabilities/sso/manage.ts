import { logDeletions } from '../../core/audit/deletions.ts'
import { selectEvents } from '../../core/audit/event-lists.ts'
import { type AuditEvent, eventOf, logEvent } from '../../core/audit/events.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import {
  actAs,
  endFreshAs,
  type ActorDeps,
  readAs,
  type ReaderDeps,
  type SessionActor,
} from '../../core/access/act-as.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  type Operator,
} from '../../core/access/operators.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import { selectRecovered } from '../../core/access/recovery.ts'
import { mayEndFresh, isLive } from '../../core/access/session-store.ts'
import { selectMustUsePasskey, selectUser } from '../../core/accounts/store.ts'
import { runBatch } from '../../core/database/statements.ts'
import { selectPasskeys } from '../passkeys/store.ts'
import { login } from '../sign-in/sign-in.ts'
import { countUnusedCodes } from '../two-factor/store.ts'
import { identityText } from './identity-text.ts'
import {
  hasOtherWayIn,
  type IdentityKey,
  identityLinking,
  isFreeFor,
  isLinkedWith,
  oneUnlinking,
  type ProvenIdentity,
  selectHasOtherWayIn,
  selectIdentities,
  selectUserOfIdentity,
  showIdentity,
  type StoredIdentity,
} from './store.ts'

const LATEST_CLONES = { limit: 100, offset: 0 }

/**
 * Reads what the user signs in with beside the password: the number of unused recovery codes, the
 * passkeys, the latest events of answers that a copy of a passkey may have given, the identities,
 * whether a recovery code has just begun the session, and what the demand for a second factor has
 * closed.
 */
export async function readWaysIn(deps: ReaderDeps, actor: SessionActor) {
  const { db } = deps
  const { userId } = actor
  const { account, codes, recovered, ...ways } = await readAs(deps, actor, {
    codes: countUnusedCodes(db, userId),
    passkeys: selectPasskeys(db, userId),
    clones: selectEvents(db, userId, LATEST_CLONES, { kind: 'passkey_cloned' }),
    identities: selectIdentities(db, userId),
    recovered: selectRecovered(db, actor, deps.now()),
    ...selectClosed(db, userId),
  })
  return {
    account,
    codesLeft: codes[0]?.total ?? 0,
    isRecovered: recovered.length > 0,
    ...ways,
  }
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
 * Signs a user in with the password, and links an identity in the same transaction.
 *
 * @returns The token.
 * @throws {Refusal} The refusals of `login`; `identityTaken`; `secondFactorUnused` for a user whose
 *   password is not enough.
 */
export async function signInAndLink(
  deps: Deps,
  attempt: Parameters<typeof login>[1],
  identity: ProvenIdentity,
  client: Client,
): Promise<string> {
  const { db } = deps
  const events: AuditEvent[] = []
  const token = await login(deps, attempt, client, async (userId) => {
    const { owners, mustUsePasskey } = await runBatch(db, {
      owners: selectUserOfIdentity(db, identity),
      mustUsePasskey: selectMustUsePasskey(db, userId),
    })
    // Its session could link nothing either.
    if (mustUsePasskey.length > 0) throw new Refusal('secondFactorUnused')
    const [owner] = owners
    if (owner !== undefined && owner.id !== userId) throw new Refusal('identityTaken')
    const linked = eventOf(
      { userId, ...client },
      'identity_linked',
      deps.now(),
      identityText(identity),
    )
    if (owner === undefined) events.push(linked)
    return {
      isStill: isFreeFor(db, identity, userId),
      also: (by) => ({
        ...identityLinking(db, by, userId, identity, 'user', linked),
        shown: showIdentity(db, by, userId, isLinkedWith(db, identity, userId)),
      }),
    }
  })
  for (const event of events) logEvent(event)
  return token
}

/**
 * Unlinks an identity of the actor. What began with it ends, except the actor's session.
 *
 * @param endsOthers Whether every other session ends, and everything that programs got.
 * @throws {Refusal} `confirmationNeeded`; `lastWayIn`; `identityNotFound`.
 */
export async function unlinkIdentity(
  deps: ActorDeps & FreshnessDeps,
  actor: SessionActor,
  identity: IdentityKey,
  { endsOthers = false } = {},
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const now = deps.now()
  const by = mayEndFresh(deps, actor, now)
  const event = eventOf(actor, 'identity_unlinked', now)
  const when = hasOtherWayIn(db, userId, identity)
  const { deleted, left } = await endFreshAs(deps, actor, now, {
    ...oneUnlinking(db, by, userId, identity, event, when, { actor, endsOthers }),
    left: selectIdentities(db, userId),
  })
  if (deleted.length > 0) return logDeletions(event, deleted)
  throw new Refusal(left.some((one) => isSame(one, identity)) ? 'lastWayIn' : 'identityNotFound')
}

/**
 * Lists the identities of any user for an operator.
 *
 * @returns Each with whether it is the only way in: no password, no passkey and no other identity.
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function listIdentitiesOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<ListedIdentity[]> {
  const { others, identities } = await actAsOperator(deps, operator, {
    others: selectHasOtherWayIn(deps.db, userId),
    identities: selectIdentities(deps.db, userId),
  })
  const [other] = others
  if (other === undefined) throw new Refusal('userNotFound')
  const isLastWayIn = !other.hasOtherWayIn && identities.length === 1
  return identities.map((identity) => ({ ...identity, isLastWayIn }))
}

export type ListedIdentity = StoredIdentity & { isLastWayIn: boolean }

/**
 * Unlinks an identity of any user for an operator. What began with it ends, except the operator's
 * session.
 *
 * @param mayBeLast Whether the user may be left without a way to sign in.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound`, `identityNotFound`;
 *   `lastWayInOf`.
 */
export async function unlinkIdentityOf(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  userId: number,
  identity: IdentityKey,
  mayBeLast: boolean,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, userId, 'identity_unlinked', now)
  const when = mayBeLast ? undefined : hasOtherWayIn(db, userId, identity)
  const {
    isFresh: mayUnlink,
    owner,
    deleted,
    left,
  } = await actAsOperatorAt(deps, operator, now, {
    owner: selectUser(db, userId),
    ...oneUnlinking(db, by, userId, identity, event, when, { actor: operator }),
    left: selectIdentities(db, userId),
  })
  if (owner.length === 0) throw new Refusal('userNotFound')
  if (!mayUnlink) throw new Refusal('confirmationNeeded')
  if (deleted.length > 0) return logDeletions(event, deleted)
  throw new Refusal(left.some((one) => isSame(one, identity)) ? 'lastWayInOf' : 'identityNotFound')
}

function isSame(one: IdentityKey, other: IdentityKey): boolean {
  return one.issuer === other.issuer && one.subject === other.subject
}
