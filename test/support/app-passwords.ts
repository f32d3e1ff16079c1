import { eq } from 'drizzle-orm'
import { appPasswords } from '../../schema/tables.ts'
import { createAppPassword } from '../../src/capabilities/app-passwords/app-passwords.ts'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { of } from '../../src/core/access/subject.ts'
import { type AppPasswordScope, scopesText } from '../../src/core/access/scopes.ts'
import { rememberSecret } from './log.ts'
import type { Site } from './site.ts'

/** Creates an app password as the command line does, or with these methods. */
export async function addAppPassword(
  site: Site,
  userId: number,
  scopes: AppPasswordScope[],
  options: { name?: string; expiresAt?: number | null; amr?: string } = {},
): Promise<{ id: number; token: string }> {
  const { name = scopes.join(' '), expiresAt, amr } = options
  const request = { name, scopes: scopesText(scopes), expiresAt }
  const created = await createAppPassword(site.deps, of(COMMAND_LINE, userId), request)
  rememberSecret(created.token)
  if (amr !== undefined)
    await site.db.update(appPasswords).set({ amr }).where(eq(appPasswords.id, created.id))
  return created
}
