import type { SharedBatch } from '../../core/database/shared-batch.ts'
import { groupNamesOf } from '../../core/accounts/groups.ts'
import type { Deps } from '../../core/deps.ts'
import { selectByAccessToken } from './grant-store.ts'
import { parseScope } from './scopes.ts'
import { readAccessToken } from './token.ts'

/**
 * Reads an access token of a program, for a file server that asks about it. It tells that program
 * who signed in, and with the scope `groups` the user's groups. It gives no access to files, so its
 * record has neither a role nor a folder: a file server that accepts every active token learns of
 * no folder.
 *
 * @returns `undefined` for another text. The function finds the token with a batch.
 * @see RFC 7662 section 2.2
 */
export async function readProgramToken({ db }: Pick<Deps, 'db'>, token: string, now: number) {
  const shown = await readAccessToken(token)
  if (shown === undefined) return undefined
  return async (batch: SharedBatch) => {
    const { found } = await batch.add({ found: selectByAccessToken(db, shown, now) })
    const [user] = found
    return (
      user && {
        active: true,
        aud: user.clientId,
        client_id: user.clientId,
        sub: user.sub,
        username: user.username,
        scope: user.scope,
        exp: Math.floor(user.expiresAt / 1000),
        iat: Math.floor(user.grantedAt / 1000),
        token_type: 'Bearer',
        permission: 0,
        ...(parseScope(user.scope).includes('groups') && {
          groups: groupNamesOf(user.role, user.groupNames),
        }),
      }
    )
  }
}
