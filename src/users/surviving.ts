import { actAsOperator, type Operator } from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import { selectUser } from '../accounts/store.ts'
import { selectAppPasswords, type StoredAppPassword } from '../app-passwords/store.ts'
import { EVERYTHING } from '../base/paging.ts'
import { Refusal } from '../base/refusals.ts'
import type { Database } from '../database/database.ts'
import { selectPasskeys, type StoredPasskey } from '../passkeys/store.ts'
import { selectKeys, type StoredKey } from '../ssh-keys/store.ts'
import { selectIdentities, type StoredIdentity } from '../sso/store.ts'

/** What still gives access to an account or its files after a new password. */
export interface Surviving {
  keys: StoredKey[]
  passkeys: StoredPasskey[]
  appPasswords: StoredAppPassword[]
  identities: StoredIdentity[]
}

export const NOTHING_SURVIVES: Surviving = {
  keys: [],
  passkeys: [],
  appPasswords: [],
  identities: [],
}

/** Returns the statements that read what survives, as parts of a batch. */
export function selectSurviving(db: Database, userId: number) {
  return {
    keys: selectKeys(db, userId, EVERYTHING),
    passkeys: selectPasskeys(db, userId),
    appPasswords: selectAppPasswords(db, userId),
    identities: selectIdentities(db, userId),
  }
}

export function isNothing(surviving: Surviving): boolean {
  return Object.values(surviving).every((ways: unknown[]) => ways.length === 0)
}

/** @throws {Refusal} `notAdmin`, `userNotFound`. */
export async function listSurvivingOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<Surviving> {
  const { user, keys, passkeys, appPasswords, identities } = await actAsOperator(deps, operator, {
    user: selectUser(deps.db, userId),
    ...selectSurviving(deps.db, userId),
  })
  if (user.length === 0) throw new Refusal('userNotFound')
  return { keys, passkeys, appPasswords, identities }
}
