import type { Deps } from '../deps.ts'
import { hashPassword, staticDigest } from '../login/passwords.ts'
import { Refusal } from '../refusals.ts'
import { actAs } from '../tokens/sessions.ts'
import type { SessionClaims } from '../tokens/token.ts'
import { deleteSessionsAfterChange, updateProfile } from './store.ts'

/** What a user asks for; a field that is missing stays as it is, and so does an empty password. */
interface ProfileRequest {
  username: string
  password?: string | null | undefined
  sso_id?: string | null | undefined
}

/**
 * Changes a user's own record. A new password ends every session of the user, this one too: whoever
 * holds an old token has to know the new password.
 *
 * @throws {Refusal} 401 for a session that has ended, 409 for a name that is taken.
 */
export async function changeProfile(
  deps: Pick<Deps, 'db' | 'now' | 'hashPassword' | 'randomBytes'>,
  session: SessionClaims,
  request: ProfileRequest,
): Promise<void> {
  const change = {
    username: request.username,
    ...(typeof request.sso_id === 'string' && { ssoId: request.sso_id }),
  }
  if (!request.password) {
    const [, updated] = await actAs(
      deps,
      session,
      updateProfile(deps.db, session, change, deps.now()),
    )
    if (updated.length === 0) throw new Refusal('usernameTaken')
    return
  }
  // A hash is dear: first see that the session is worth one.
  await actAs(deps, session)
  const passwordHash = await hashPassword(deps, await staticDigest(request.password))
  const [, updated] = await actAs(
    deps,
    session,
    updateProfile(deps.db, session, { ...change, passwordHash }, deps.now()),
    deleteSessionsAfterChange(deps.db, session.userId, passwordHash),
  )
  if (updated.length === 0) throw new Refusal('usernameTaken')
}
