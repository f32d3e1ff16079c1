import type { Deps } from '../deps.ts'
import { Refusal } from '../refusals.ts'
import { actAs } from '../tokens/sessions.ts'
import type { SessionClaims } from '../tokens/token.ts'
import { parsePublicKey } from './openssh.ts'
import { countKeys, deleteKey, insertKey, selectKeys, selectRivals } from './store.ts'
import { KeyError } from './wire.ts'

const MAX_KEYS_PER_USER = 100

type StoreDeps = Pick<Deps, 'db' | 'now'>

/** @throws {Refusal} `keyInvalid` with the reason; `titleTaken`, `keyTaken`, `tooManyKeys`. */
export async function addKey(
  deps: StoreDeps,
  session: SessionClaims,
  title: string,
  text: string,
): Promise<void> {
  const key = parseOrRefuse(text)
  const [, rivals, inserted] = await actAs(
    deps,
    session,
    selectRivals(deps.db, session.userId, title, key.fingerprint),
    insertKey(deps.db, session, { title, key, limit: MAX_KEYS_PER_USER }, deps.now()),
  )
  if (inserted.length > 0) return
  const [rival] = rivals
  if (rival === undefined) throw new Refusal('tooManyKeys', '', String(MAX_KEYS_PER_USER))
  if (rivals.some((other) => other.title === title)) throw new Refusal('titleTaken')
  throw new Refusal('keyTaken', '', rival.title)
}

/**
 * The keys of the session's user.
 *
 * @param page From 1; less counts as 1.
 * @param perPage Less than 1 means all.
 */
export async function listKeys(
  deps: StoreDeps,
  session: SessionClaims,
  page: number,
  perPage: number,
) {
  const window =
    perPage < 1
      ? { limit: -1, offset: 0 }
      : { limit: perPage, offset: (Math.max(page, 1) - 1) * perPage }
  const [, keys, [counted]] = await actAs(
    deps,
    session,
    selectKeys(deps.db, session.userId, window),
    countKeys(deps.db, session.userId),
  )
  return { keys, total: counted?.total ?? 0 }
}

/** @throws {Refusal} `keyNotFound` for an unknown id and for another user's. */
export async function removeKey(
  deps: StoreDeps,
  session: SessionClaims,
  keyId: number,
): Promise<void> {
  const [, deleted] = await actAs(deps, session, deleteKey(deps.db, session, keyId, deps.now()))
  if (deleted.length === 0)
    throw new Refusal('keyNotFound', `key ${keyId} of user ${session.userId}`)
}

function parseOrRefuse(text: string) {
  try {
    return parsePublicKey(text)
  } catch (error) {
    if (error instanceof KeyError) throw new Refusal('keyInvalid', '', error.message)
    throw error
  }
}
