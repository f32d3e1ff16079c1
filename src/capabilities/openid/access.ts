import { and, eq } from 'drizzle-orm'
import { openidClients } from '../../../schema/tables.ts'
import type { Actor, ReaderDeps } from '../../core/access/act-as.ts'
import { deleteGrants } from '../../core/access/endings.ts'
import { change, type ChangeDeps, own, read } from '../../core/access/subject.ts'
import { insertEvents } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { deleteConsent, hasAccess, isGrantAt, selectAccessOf } from './grant-store.ts'

/** Lists the programs that have access to the actor's account, the latest used first. */
export function listAccess(deps: ReaderDeps, actor: Actor) {
  return read(deps, own(actor), { programs: selectAccessOf(deps.db, actor.userId) })
}

/**
 * Takes everything from a program that the actor has given it. It must ask again.
 *
 * @throws {Refusal} `clientNotFound` when it has nothing.
 */
export async function removeAccess(
  deps: ChangeDeps,
  actor: Actor,
  clientId: string,
): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const { event } = await change(
    deps,
    own(actor),
    { kind: 'access_removed', ends: true },
    ({ by, event: removed }) => ({
      // Stands before the rows go that it depends on.
      event: insertEvents(
        db,
        by,
        removed,
        { detail: openidClients.name },
        {
          from: openidClients,
          where: and(eq(openidClients.id, clientId), hasAccess(db, userId)),
        },
      ),
      grants: deleteGrants(db, by, isGrantAt(userId, clientId)),
      consents: deleteConsent(db, by, userId, clientId),
    }),
  )
  if (event.length === 0) throw new Refusal('clientNotFound')
}
