import { and } from 'drizzle-orm'
import * as v from 'valibot'
import { eventOf, insertEvent, logEvent } from '../../core/audit/events.ts'
import { logDeletions } from '../../core/audit/deletions.ts'
import { EVERYTHING, windowOf } from '../../core/base/paging.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  isOperator,
  methodsOfOperator,
  type Operator,
} from '../../core/access/operators.ts'
import {
  actFreshAs,
  type Actor,
  type ActorDeps,
  endAs,
  readAs,
  type ReaderDeps,
  readRowAs,
} from '../../core/access/act-as.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import { selectClosed } from '../../core/access/kept-credentials.ts'
import { isFresh, mayEnd, methodsOf } from '../../core/access/session-store.ts'
import { selectUser } from '../../core/accounts/store.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import { aContact } from '../settings/checks.ts'
import { parseSftpAddress, type SftpAddress } from '../settings/sftp-address.ts'
import { selectSettings, withAllDefaults } from '../settings/store.ts'
import { parsePublicKey, type PublicKey } from './openssh.ts'
import {
  countKeys,
  hasPlace,
  insertKey,
  isKey,
  isKeyOf,
  keyDeletion,
  mayHaveKeys,
  readKeys,
  selectKeys,
  selectOwnKeys,
  selectRivals,
} from './store.ts'
import { KeyError } from '../../core/crypto/wire.ts'

export const MAX_KEYS_PER_USER = 100

/**
 * @throws {Refusal} `keyInvalid` with the reason; `confirmationNeeded`; `titleTaken`, `keyTaken`,
 *   `tooManyKeys`.
 */
export async function addKey(
  deps: ActorDeps & FreshnessDeps,
  actor: Actor,
  title: string,
  text: string,
): Promise<void> {
  const key = parseOrRefuse(text)
  const now = deps.now()
  const event = eventOf(actor, 'key_added', now, title)
  const { db } = deps
  const by = isFresh(deps, actor, now)
  const { userId } = actor
  const place = { userId, title, fingerprint: key.fingerprint, limit: MAX_KEYS_PER_USER }
  const { rivals, inserted } = await actFreshAs(deps, actor, now, {
    rivals: selectRivals(db, place),
    event: insertEvent(db, by, event, hasPlace(db, place)),
    inserted: insertKey(db, by, place, key, { now, amr: methodsOf(db, actor) }),
  })
  if (inserted.length > 0) return logEvent(event)
  throw refusalOf(title, rivals)
}

/** Says why a key was not added, given the keys with the same title or fingerprint. */
function refusalOf(title: string, rivals: { title: string }[]): Refusal {
  const [rival] = rivals
  if (rival === undefined)
    return new Refusal('tooManyKeys', { values: { limit: MAX_KEYS_PER_USER } })
  if (rivals.some((other) => other.title === title)) return new Refusal('titleTaken')
  return new Refusal('keyTaken', { values: { title: rival.title } })
}

/** Lists a page of the actor's keys, with the account; see `windowOf`. */
export async function listKeys(deps: ReaderDeps, actor: Actor, page: number, perPage: number) {
  const window = windowOf(page, perPage)
  if (window.limit < 0) {
    const { keysAsJson, ...account } = await readRowAs(deps, actor, selectOwnKeys)
    const keys = readKeys(keysAsJson)
    return { account, keys, total: keys.length }
  }
  const { account, keys, counted } = await readAs(deps, actor, {
    keys: selectKeys(deps.db, actor.userId, window),
    counted: countKeys(deps.db, actor.userId),
  })
  return { account, keys, total: counted[0]?.total ?? 0 }
}

/** What an operator says about the SFTP server. */
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
  const { account, keys, changed, ...closed } = await readAs(deps, actor, {
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

/** @throws {Refusal} `keyNotFound` for an unknown id and for the key of another user. */
export async function removeKey(deps: ActorDeps, actor: Actor, keyId: number): Promise<void> {
  const now = deps.now()
  const by = mayEnd(deps.db, actor, now)
  const event = eventOf(actor, 'key_deleted', now)
  const deletion = keyDeletion(deps.db, by, isKeyOf(actor.userId, keyId), event)
  const { deleted } = await endAs(deps, actor, deletion)
  if (deleted.length === 0) throw new Refusal('keyNotFound', { detail: `key ${keyId}` })
  logDeletions(event, deleted)
}

export async function removeKeys(deps: ActorDeps, actor: Actor): Promise<void> {
  const now = deps.now()
  const by = mayEnd(deps.db, actor, now)
  const event = eventOf(actor, 'key_deleted', now)
  const deletion = keyDeletion(deps.db, by, isKeyOf(actor.userId), event)
  const { deleted } = await endAs(deps, actor, deletion)
  logDeletions(event, deleted)
}

/**
 * Lists the keys of any user for an operator.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function listKeysOf(deps: ActorDeps, operator: Operator, userId: number) {
  const { owner, keys } = await actAsOperator(deps, operator, {
    owner: selectUser(deps.db, userId),
    keys: selectKeys(deps.db, userId, EVERYTHING),
  })
  if (owner.length === 0) throw new Refusal('userNotFound')
  return { keys, total: keys.length }
}

/**
 * Adds a key to any user but the guest for an operator.
 *
 * @throws {Refusal} `keyInvalid` with the reason; `notAdmin`, `confirmationNeeded`, `userNotFound`,
 *   `guestKeys`, `titleTaken`, `keyTaken`, `tooManyKeys`.
 */
export async function addKeyOf(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  userId: number,
  title: string,
  text: string,
): Promise<PublicKey> {
  const key = parseOrRefuse(text)
  const now = deps.now()
  const event = eventBy(operator, userId, 'key_added', now, title)
  const { db } = deps
  const by = isFreshOperator(deps, operator, now)
  const place = { userId, title, fingerprint: key.fingerprint, limit: MAX_KEYS_PER_USER }
  const isOwner = mayHaveKeys(db, userId)
  const acted = await actAsOperatorAt(deps, operator, now, {
    owner: selectUser(db, userId),
    rivals: selectRivals(db, place),
    event: insertEvent(db, by, event, and(isOwner, hasPlace(db, place))),
    inserted: insertKey(db, by, place, key, {
      now,
      amr: methodsOfOperator(db, operator),
      when: isOwner,
    }),
  })
  if (acted.inserted.length > 0) {
    logEvent(event)
    return key
  }
  if (!acted.isFresh) throw new Refusal('confirmationNeeded')
  const [owner] = acted.owner
  if (owner === undefined) throw new Refusal('userNotFound')
  if (owner.role === GUEST) throw new Refusal('guestKeys')
  throw refusalOf(title, acted.rivals)
}

/**
 * Removes a key of any user for an operator.
 *
 * @param userId The owner that the operator named; `undefined` when the operator named none.
 * @throws {Refusal} `notAdmin`, `keyNotFound`.
 */
export async function removeKeyOf(
  deps: ActorDeps,
  operator: Operator,
  keyId: number,
  userId: number | undefined,
): Promise<void> {
  const now = deps.now()
  const by = isOperator(deps.db, operator, now)
  const which = userId === undefined ? isKey(keyId) : isKeyOf(userId, keyId)
  const event = eventBy(operator, undefined, 'key_deleted', now)
  const deletion = keyDeletion(deps.db, by, which, event)
  const { deleted } = await actAsOperator(deps, operator, deletion)
  if (deleted.length === 0) throw new Refusal('keyNotFound', { detail: `key ${keyId}` })
  logDeletions(event, deleted)
}

/**
 * Removes all keys of a user for an operator.
 *
 * @returns The number of removed keys.
 * @throws {Refusal} `notAdmin`.
 */
export async function removeKeysOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<number> {
  const now = deps.now()
  const by = isOperator(deps.db, operator, now)
  const event = eventBy(operator, undefined, 'key_deleted', now)
  const deletion = keyDeletion(deps.db, by, isKeyOf(userId), event)
  const { deleted } = await actAsOperator(deps, operator, deletion)
  logDeletions(event, deleted)
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
