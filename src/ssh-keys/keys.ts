import type { SQL } from 'drizzle-orm'
import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import { EVERYTHING, windowOf } from '../paging.ts'
import type { Database } from '../deps.ts'
import { Refusal } from '../refusals.ts'
import type { Client } from '../network.ts'
import { actAsOperator, type Operator } from '../tokens/operators.ts'
import {
  actAs,
  type Actor,
  type ActorDeps,
  readAs,
  type ReaderDeps,
  readRowAs,
} from '../tokens/act-as.ts'
import { selectUser } from '../users/admin-store.ts'
import { parsePublicKey } from './openssh.ts'
import {
  countKeys,
  deleteKey,
  insertDeletionEvent,
  insertKey,
  isAnyKey,
  isOwnKey,
  selectKeys,
  selectOwnKeys,
  selectRivals,
} from './store.ts'
import { KeyError } from './wire.ts'

export const MAX_KEYS_PER_USER = 100

/** @throws {Refusal} `keyInvalid` with the reason; `titleTaken`, `keyTaken`, `tooManyKeys`. */
export async function addKey(
  deps: ActorDeps,
  actor: Actor,
  title: string,
  text: string,
): Promise<void> {
  const key = parseOrRefuse(text)
  const now = deps.now()
  const event = eventOf(actor, 'key_added', now, title)
  const [, rivals, inserted] = await actAs(
    deps,
    actor,
    selectRivals(deps.db, actor.userId, title, key.fingerprint),
    insertKey(deps.db, actor, { title, key, limit: MAX_KEYS_PER_USER }, now),
    insertEvent(deps.db, event, afterChange),
  )
  if (inserted.length > 0) return logEvent(event)
  const [rival] = rivals
  if (rival === undefined) throw new Refusal('tooManyKeys', { fill: String(MAX_KEYS_PER_USER) })
  if (rivals.some((other) => other.title === title)) throw new Refusal('titleTaken')
  throw new Refusal('keyTaken', { fill: rival.title })
}

/** The session's user and a page of the user's keys; see `windowOf`. */
export async function listKeys(deps: ReaderDeps, actor: Actor, page: number, perPage: number) {
  const window = windowOf(page, perPage)
  if (window.limit < 0) {
    const { keys, ...account } = await readRowAs(deps, actor, selectOwnKeys)
    return { account, keys, total: keys.length }
  }
  const selected = selectKeys(deps.db, actor.userId, window)
  const counting = countKeys(deps.db, actor.userId)
  const [account, keys, [counted]] = await readAs(deps, actor, selected, counting)
  return { account, keys, total: counted?.total ?? 0 }
}

/** @throws {Refusal} `keyNotFound` for an unknown id and for another user's. */
export async function removeKey(deps: ActorDeps, actor: Actor, keyId: number): Promise<void> {
  const now = deps.now()
  const isKey = isOwnKey(deps.db, actor, keyId, now)
  const [, , [deleted]] = await actAs(deps, actor, ...deletion(deps.db, isKey, actor, now))
  confirmDeletion(actor, keyId, now, deleted)
}

/**
 * The keys of any user, for an operator.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function listKeysOf(deps: ActorDeps, operator: Operator, userId: number) {
  const [owner, keys] = await actAsOperator(
    deps,
    operator,
    selectUser(deps.db, userId),
    selectKeys(deps.db, userId, EVERYTHING),
  )
  if (owner.length === 0) throw new Refusal('userNotFound')
  return { keys, total: keys.length }
}

/**
 * Removes a key of any user, for an operator.
 *
 * @param userId Whose it is to be, if that was said.
 * @throws {Refusal} `notAdmin`, `keyNotFound`.
 */
export async function removeKeyOf(
  deps: ActorDeps,
  operator: Operator,
  keyId: number,
  userId: number | undefined,
): Promise<void> {
  const now = deps.now()
  const isKey = isAnyKey(deps.db, operator, keyId, userId, now)
  const [, [deleted]] = await actAsOperator(
    deps,
    operator,
    ...deletion(deps.db, isKey, operator, now),
  )
  confirmDeletion(operator, keyId, now, deleted)
}

function deletion(db: Database, isKey: SQL | undefined, client: Client, now: number) {
  return [insertDeletionEvent(db, isKey, client, now), deleteKey(db, isKey)] as const
}

function confirmDeletion(
  client: Client,
  keyId: number,
  now: number,
  deleted: { userId: number; title: string } | undefined,
): void {
  if (deleted === undefined) throw new Refusal('keyNotFound', { detail: `key ${keyId}` })
  logEvent(eventOf({ ...client, userId: deleted.userId }, 'key_deleted', now, deleted.title))
}

function parseOrRefuse(text: string) {
  try {
    return parsePublicKey(text)
  } catch (error) {
    if (error instanceof KeyError) throw new Refusal('keyInvalid', { fill: error.message })
    throw error
  }
}
