import type { ReaderDeps } from '../../core/access/act-as.ts'
import { read, type Subject } from '../../core/access/subject.ts'
import { type OwnAddress, selectVerifiedAddress } from '../../core/accounts/store.ts'
import { selectAppPasswords, type StoredAppPassword } from '../app-passwords/store.ts'
import { EVERYTHING } from '../../core/base/paging.ts'
import type { Database } from '../../core/database/database.ts'
import { type OwnChannel, selectOwnChannel } from '../notices/store.ts'
import { selectPasskeys, type StoredPasskey } from '../passkeys/store.ts'
import { selectKeys, type StoredKey } from '../ssh-keys/store.ts'
import { selectIdentities, type StoredIdentity } from '../sso/store.ts'

/** What still gives access to an account or its files after a new password, or is told of it. */
export interface RemainingAccess {
  keys: StoredKey[]
  passkeys: StoredPasskey[]
  appPasswords: StoredAppPassword[]
  identities: StoredIdentity[]
  /** The user's own channel for notices, which a thief may have set. At most one. */
  channels: OwnChannel[]
  /** The verified e-mail address, to which a link for a new password can be mailed. At most one. */
  addresses: OwnAddress[]
}

/** Takes what remains from the answers of a batch; nothing when the batch did not read it. */
export function remainingAccessIn({
  keys = [],
  passkeys = [],
  appPasswords = [],
  identities = [],
  channels = [],
  addresses = [],
}: { [Kind in keyof RemainingAccess]?: RemainingAccess[Kind] | undefined }): RemainingAccess {
  return { keys, passkeys, appPasswords, identities, channels, addresses }
}

export const NO_REMAINING_ACCESS = remainingAccessIn({})

/** Returns the statements that read what remains, as parts of a batch. */
export function selectRemainingAccess(db: Database, userId: number) {
  return {
    keys: selectKeys(db, userId, EVERYTHING),
    passkeys: selectPasskeys(db, userId),
    appPasswords: selectAppPasswords(db, userId),
    identities: selectIdentities(db, userId),
    channels: selectOwnChannel(db, userId),
    addresses: selectVerifiedAddress(db, userId),
  }
}

export function isNothing(remaining: RemainingAccess): boolean {
  return Object.values(remaining).every((ways: unknown[]) => ways.length === 0)
}

/** @throws {Refusal} The refusals of `read`. */
export async function listRemainingAccess(
  deps: ReaderDeps,
  subject: Subject<number>,
): Promise<RemainingAccess> {
  return remainingAccessIn(
    await read(deps, subject, selectRemainingAccess(deps.db, subject.userId)),
  )
}
