import { checkPasswordLength } from '../../core/passwords/password-rules.ts'
import { CommandError } from './command-error.ts'

/**
 * Reads the first password of admin that the operator chooses; `undefined` for none.
 *
 * @throws {CommandError} When it is too short or too long.
 */
export function readAdminPassword(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const chosen = env['ADMIN_PASSWORD'] || undefined
  try {
    if (chosen !== undefined) checkPasswordLength(chosen)
    return chosen
  } catch (error) {
    throw new CommandError(`ADMIN_PASSWORD: ${error instanceof Error ? error.message : ''}.`)
  }
}
