import { createAppPasswordOf } from '../../src/app-passwords/app-passwords.ts'
import { COMMAND_LINE } from '../../src/access/operators.ts'
import { type AppPasswordScope, scopesText } from '../../src/access/scopes.ts'
import { rememberSecret } from './log.ts'
import type { Site } from './site.ts'

/** Creates an app password as the command line does. */
export async function addAppPassword(
  site: Site,
  userId: number,
  scopes: AppPasswordScope[],
  options: { name?: string; expiresAt?: number | null } = {},
): Promise<{ id: number; token: string }> {
  const { name = scopes.join(' '), expiresAt } = options
  const request = { name, scopes: scopesText(scopes), expiresAt }
  const created = await createAppPasswordOf(site.deps, COMMAND_LINE, userId, request)
  rememberSecret(created.token)
  return created
}
