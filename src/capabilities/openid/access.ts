import { eventOf, insertEvent, logEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  type Actor,
  type ActorDeps,
  endAs,
  readAs,
  type ReaderDeps,
} from '../../core/access/act-as.ts'
import { mayEnd } from '../../core/access/session-store.ts'
import { selectClient } from './client-store.ts'
import { deleteGrants } from '../../core/access/endings.ts'
import { deleteConsent, isGrantAt, selectAccessOf } from './grant-store.ts'

/** Lists the programs that have access to the actor's account, by name. */
export function listAccess(deps: ReaderDeps, actor: Actor) {
  return readAs(deps, actor, { programs: selectAccessOf(deps.db, actor.userId) })
}

/**
 * Takes everything from a program that the actor has given it. It must ask again.
 *
 * @throws {Refusal} `clientNotFound` when it has nothing.
 */
export async function removeAccess(deps: ActorDeps, actor: Actor, clientId: string): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const by = mayEnd(db, actor, now)
  const { client, grants, consents } = await endAs(deps, actor, {
    client: selectClient(db, clientId),
    grants: deleteGrants(db, by, isGrantAt(actor.userId, clientId)),
    consents: deleteConsent(db, by, actor.userId, clientId),
  })
  const [named] = client
  if (named === undefined || grants.length + consents.length === 0)
    throw new Refusal('clientNotFound')
  const event = eventOf(actor, 'access_removed', now, named.name)
  await insertEvent(db, by, event)
  logEvent(event)
}
