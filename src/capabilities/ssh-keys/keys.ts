import * as v from 'valibot'
import { type Actor, type ReaderDeps } from '../../core/access/act-as.ts'
import { readRowAs } from '../../core/access/read-account.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import { change, type ChangeDeps, own, read, type Subject } from '../../core/access/subject.ts'
import type { UndoSlot } from '../../core/access/undo-slot.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { EVERYTHING } from '../../core/base/paging.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { KeyError } from '../../core/crypto/wire.ts'
import type { UserId } from '../../core/database/user-id.ts'
import { aContact } from '../settings/checks.ts'
import { parseSftpAddress, type SftpAddress } from '../settings/sftp-address.ts'
import { selectSettings, withAllDefaults } from '../settings/store.ts'
import { parsePublicKey, type PublicKey } from './openssh.ts'
import { MAX_TITLE_CHARACTERS } from './title.ts'
import {
  countKeys,
  hasPlace,
  insertKey,
  isKeyOf,
  keepKeys,
  MAX_KEYS_PER_USER,
  keyDeletion,
  readKeys,
  selectKeys,
  selectOwnKeys,
  selectRivals,
} from './store.ts'

/**
 * Adds a key to an account.
 *
 * @throws {Refusal} `keyInvalid` with the reason; `confirmationNeeded`, `userNotFound`,
 *   `guestKeys`, `titleTaken`, `keyTaken`, `tooManyKeys`.
 */
export async function addKey(
  deps: ChangeDeps,
  subject: Subject,
  title: string,
  text: string,
): Promise<PublicKey> {
  const key = parseOrRefuse(text)
  const { db } = deps
  const { userId } = subject
  const place = { userId, title, fingerprint: key.fingerprint, limit: MAX_KEYS_PER_USER }
  const { account, rivals, inserted } = await change(
    deps,
    subject,
    { kind: 'key_added', detail: title, fresh: true },
    ({ now, by, amr, event }) => ({
      rivals: selectRivals(db, place),
      event: insertEvent(db, by, event, hasPlace(db, place)),
      inserted: insertKey(db, by, place, key, { now, amr }),
    }),
  )
  if (inserted.length > 0) return key
  throw account.role === GUEST ? new Refusal('guestKeys') : refusalOf(title, rivals)
}

/**
 * The title of a key that its user has given none: its comment, or else its type.
 *
 * @throws {Refusal} `keyInvalid` with the reason.
 */
export function titleOf(text: string): string {
  const { comment, type } = parseOrRefuse(text)
  return Array.from(comment).slice(0, MAX_TITLE_CHARACTERS).join('') || type
}

/** Says why a key was not added, given the keys with the same title or fingerprint. */
function refusalOf(title: string, rivals: { title: string }[]): Refusal {
  const [rival] = rivals
  if (rival === undefined)
    return new Refusal('tooManyKeys', { values: { limit: MAX_KEYS_PER_USER } })
  if (rivals.some((item) => item.title === title)) return new Refusal('titleTaken')
  return new Refusal('keyTaken', { values: { title: rival.title } })
}

/** Lists a page of the keys of an account. @throws {Refusal} The refusals of `read`. */
export async function listKeys(deps: ReaderDeps, subject: Subject, window = EVERYTHING) {
  if (subject.isOwn && window.limit < 0) {
    const { keysAsJson } = await readRowAs(deps, subject.by, selectOwnKeys)
    const keys = readKeys(keysAsJson)
    return { keys, total: keys.length }
  }
  const { keys, counted } = await read(deps, subject, {
    keys: selectKeys(deps.db, subject.userId, window),
    counted: countKeys(deps.db, subject.userId),
  })
  return { keys, total: counted[0]?.total ?? 0 }
}

/** The operator's help for the SFTP server. */
export interface SftpHelp {
  /** Where the server is; `undefined` when the operator has not said it. */
  address: SftpAddress | undefined
  /** A URI of the operator; `undefined` when there is none. */
  contact: string | undefined
}

/**
 * Lists all keys of the actor, with the account, what the user needs to use them, and what is
 * closed (`selectClosed`).
 */
export async function listKeysWithHelp(deps: ReaderDeps, actor: Actor) {
  const { account, keys, changed, ...closed } = await read(deps, own(actor), {
    keys: selectKeys(deps.db, actor.userId, EVERYTHING),
    ...selectClosed(deps.db, actor.userId),
    changed: selectSettings(deps.db, ['sftp_address', 'security_contact']),
  })
  const { sftp_address: address, security_contact: contact } = withAllDefaults(changed)
  const help: SftpHelp = {
    address: parseSftpAddress(address),
    // A value that was written past the check must not become a link.
    contact: contact !== '' && v.is(aContact, contact) ? contact : undefined,
  }
  return { account, keys, help, ...closed }
}

/**
 * Removes a key, or without `keyId` all keys of an account.
 *
 * @param slot Where pages keep them, for a while.
 * @returns The number of removed keys.
 * @throws {Refusal} `userNotFound`; `keyNotFound` for an unknown id and for the key of another
 *   user.
 */
export async function removeKeys(
  deps: ChangeDeps,
  subject: Subject,
  keyId?: number,
  slot?: UndoSlot,
): Promise<number>
export async function removeKeys(
  deps: ChangeDeps,
  subject: Subject<UserId | undefined>,
  keyId: number,
): Promise<number>
export async function removeKeys(
  deps: ChangeDeps,
  subject: Subject<UserId | undefined>,
  keyId?: number,
  slot?: UndoSlot,
): Promise<number> {
  const which = isKeyOf(subject.userId, keyId)
  const { deleted } = await change(
    deps,
    subject,
    { kind: 'key_deleted', ends: true },
    ({ by, now, event }) => ({
      ...keepKeys(deps.db, by, slot, which, now),
      ...keyDeletion(deps.db, by, which, event),
    }),
  )
  if (keyId !== undefined && deleted.length === 0)
    throw new Refusal('keyNotFound', { detail: `key ${keyId}` })
  return deleted.length
}

function parseOrRefuse(text: string) {
  try {
    return parsePublicKey(text)
  } catch (error) {
    if (error instanceof KeyError) throw new Refusal('keyInvalid', { reason: error.reason })
    throw error
  }
}
