import type { SQL } from 'drizzle-orm'
import { auditEvents } from '../../../schema/tables.ts'
import { type Client, COMMAND_LINE } from '../base/network.ts'
import { terminalJson } from '../base/text.ts'
import { type Authority, writing } from '../database/statements.ts'
import { knownId, type UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import type { Change } from './changes.ts'
import type { EventKind } from './kinds.ts'

export interface AuditEvent extends Client {
  /** Unix time, milliseconds. */
  at: number
  kind: EventKind
  /**
   * The user that the event concerns; `undefined` when no user has the name, and for an event of
   * the whole site.
   */
  userId?: UserId
  /** Keyed hash of a name that no account has. The name itself may be a password in the wrong field. */
  nameHash?: string
  /** The class of a refusal or the title of a key, never a secret. */
  detail?: string
  /** The admin who acted on another user. */
  actorId?: UserId
  /** The changed fields of a record, never a secret. */
  changes?: readonly Change[]
}

/** Creates an event that a signed-in user caused. */
export function eventOf(
  actor: Client & { userId: UserId },
  kind: EventKind,
  at: number,
  detail = '',
): AuditEvent {
  return {
    at,
    kind,
    userId: actor.userId,
    detail,
    network: actor.network,
    userAgent: actor.userAgent,
    ...(actor.country !== undefined && { country: actor.country }),
  }
}

/** Writes an event; with `when`, only if that condition holds at this point of the batch. */
export function insertEvent(db: Database, by: Authority, event: AuditEvent, when?: SQL) {
  return writing(db, by).insert(auditEvents, eventRow(event), { where: when })
}

/** Returns the columns of an event. A caller may replace columns with those of another row. */
export function eventRow({ at, kind, userId, nameHash, detail, ...event }: AuditEvent) {
  return {
    at,
    kind,
    userId: userId ?? null,
    nameHash: nameHash ?? null,
    detail: detail ?? '',
    network: event.network,
    userAgent: event.userAgent,
    actorId: event.actorId ?? null,
    changes: event.changes === undefined ? null : JSON.stringify(event.changes),
    country: event.country ?? '',
  }
}

/**
 * Logs an event in one line, for Workers Logs and for fail2ban, which reads the network in it.
 * Events of the command line are not logged: it prints its own messages.
 */
export function logEvent(event: AuditEvent): void {
  const { kind, userId, nameHash, detail, actorId: actor, changes, network } = event
  if (network === COMMAND_LINE.network) return
  // The names of the fields are enough here. D1 keeps the values for a limited time.
  const changed = changes?.map(({ field }) => field)
  const line = {
    event: 'audit',
    kind,
    user: knownId(userId),
    name: nameHash,
    detail,
    actor: knownId(actor),
    changed,
    network,
  }
  console.log(terminalJson(line))
}
