import { type AuditEvent, eventOf } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Database, Deps } from '../../core/deps.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import {
  change,
  type ChangeDeps,
  type OwnAccount,
  read,
  type Subject,
} from '../../core/access/subject.ts'
import { selectMustUsePasskey } from '../../core/accounts/store.ts'
import { type Answers, runBatch } from '../../core/database/statements.ts'
import { login } from '../sign-in/sign-in.ts'
import {
  identityText,
  hasOtherWayIn,
  type IdentityKey,
  identityLinking,
  isFreeFor,
  type ProvenIdentity,
} from '../../core/access/identities.ts'
import {
  isLinkedWith,
  oneUnlinking,
  selectHasOtherWayIn,
  selectIdentities,
  selectUserOfIdentity,
  showIdentity,
  type StoredIdentity,
} from './store.ts'

/**
 * Links an identity with the user of a session that was fresh when the user went to the provider.
 *
 * @throws {Refusal} `identityTaken`.
 */
export async function linkIdentity(
  deps: ChangeDeps,
  subject: OwnAccount<number>,
  identity: ProvenIdentity,
): Promise<void> {
  const { db } = deps
  const { userId } = subject
  const { linked, held } = await change(
    deps,
    subject,
    { kind: 'identity_linked', detail: identityText(identity) },
    ({ by, event }) => ({
      ...identityLinking(db, by, userId, identity, 'user', event),
      shown: showIdentity(db, by, userId, isLinkedWith(db, identity, userId)),
      held: selectIdentities(db, userId),
    }),
  )
  // Linking it a second time is no mistake.
  if (linked.length === 0 && !held.some((link) => isSame(link, identity)))
    throw new Refusal('identityTaken')
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
 * Lists the identities of an account.
 *
 * @returns Each with whether it is the only way in: no password, no passkey and no other identity.
 * @throws {Refusal} The refusals of `read`.
 */
export async function listIdentities(
  deps: ReaderDeps,
  subject: Subject<number>,
): Promise<ListedIdentity[]> {
  return listedIdentitiesIn(await read(deps, subject, selectListed(deps.db, subject.userId)))
}

/** Returns the statements for `listedIdentitiesIn`. */
export function selectListed(db: Database, userId: number) {
  return { others: selectHasOtherWayIn(db, userId), identities: selectIdentities(db, userId) }
}

/** Makes the list of identities of the answers of a batch. */
export function listedIdentitiesIn({
  others,
  identities,
}: Answers<ReturnType<typeof selectListed>>): ListedIdentity[] {
  const isLastWayIn = others[0]?.hasOtherWayIn !== true && identities.length === 1
  return identities.map((identity) => ({ ...identity, isLastWayIn }))
}

export type ListedIdentity = StoredIdentity & { isLastWayIn: boolean }

interface Unlinking {
  /** Whether every other session of the actor ends, and everything that programs got. */
  endsOthers?: boolean
  /** Whether an operator may leave the user without a way to sign in. */
  mayBeLast?: boolean
}

/**
 * Unlinks an identity of an account. What began with it ends, except the actor's session.
 *
 * @throws {Refusal} `confirmationNeeded`, `userNotFound`, `identityNotFound`; `lastWayIn`, or
 *   `lastWayInOf` for operators.
 */
export async function unlinkIdentity(
  deps: ChangeDeps,
  subject: Subject<number>,
  identity: IdentityKey,
  { endsOthers = false, mayBeLast = false }: Unlinking = {},
): Promise<void> {
  const { db } = deps
  const { by: actor, userId, isOwn } = subject
  const when = mayBeLast && !isOwn ? undefined : hasOtherWayIn(db, userId, identity)
  const { deleted, left } = await change(
    deps,
    subject,
    { kind: 'identity_unlinked', fresh: true, ends: true },
    ({ by, event }) => ({
      ...oneUnlinking(db, by, userId, identity, event, when, { actor, endsOthers }),
      left: selectIdentities(db, userId),
    }),
  )
  if (deleted.length > 0) return
  if (!left.some((link) => isSame(link, identity))) throw new Refusal('identityNotFound')
  throw new Refusal(isOwn ? 'lastWayIn' : 'lastWayInOf')
}

function isSame(one: IdentityKey, other: IdentityKey): boolean {
  return one.issuer === other.issuer && one.subject === other.subject
}
