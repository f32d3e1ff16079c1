import { isByOperator, type selectEvents } from '../../core/audit/event-lists.ts'
import { COMMAND_LINE } from '../../core/base/network.ts'
import { isoTime } from '../../core/base/time.ts'

type Event = Awaited<ReturnType<typeof selectEvents>>[number]

/** Returns an event in the form that every list shows. */
export function eventRecord(event: Event) {
  return {
    id: event.id,
    time: isoTime(event.at),
    kind: event.kind,
    detail: event.detail,
    network: event.network,
    user_agent: event.userAgent,
    actor: actorRecord(event),
    changes: event.changes,
  }
}

/**
 * Returns the actor of an event. It is null when the user acted or when the actor is unknown. The
 * command line has no id, and a deleted admin has no name.
 */
function actorRecord({
  actorId,
  actorName,
  userId,
  network,
}: Pick<Event, 'actorId' | 'actorName' | 'userId' | 'network'>) {
  if (network === COMMAND_LINE.network) return { id: null, username: null, command_line: true }
  if (!isByOperator({ actorId, userId })) return null
  return { id: actorId, username: actorName, command_line: false }
}
