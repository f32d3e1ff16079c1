import { type Client, COMMAND_LINE } from '../base/network.ts'
import { terminalJson } from '../base/text.ts'
import type { UserId } from '../database/user-id.ts'
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

/** An event as the log needs it: one that is to be written, or a row. */
type LoggedEvent = Omit<AuditEvent, 'userId' | 'actorId' | 'changes'> & {
  [Name in 'userId' | 'actorId' | 'changes']?: AuditEvent[Name] | null | undefined
}

/**
 * Logs an event in one line, for Workers Logs and for fail2ban, which reads the network in it.
 * Events of the command line are not logged: it prints its own messages.
 */
export function logEvent(event: LoggedEvent): void {
  const { kind, userId, nameHash, detail, actorId: actor, changes, network } = event
  if (network === COMMAND_LINE.network) return
  // The names of the fields are enough here. D1 keeps the values for a limited time.
  const changed = changes?.map(({ field }) => field)
  const line = {
    event: 'audit',
    kind,
    user: loggedId(userId),
    name: nameHash,
    detail,
    actor: loggedId(actor),
    changed,
    network,
  }
  console.log(terminalJson(line))
}

/** The owner of an app password is known once the event is a row (`logWritten`). */
function loggedId(id: UserId | null | undefined): number | undefined {
  return typeof id === 'number' ? id : undefined
}
