import { eq, sql } from 'drizzle-orm'
import { commonPasswords } from '../../../schema/tables.ts'
import type { Database } from '../deps.ts'
import { Refusal } from '../base/refusals.ts'

const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 1024

/**
 * Checks the length of a new password. The only other rule: it is not a common password.
 *
 * @throws {Refusal} `invalidBody`.
 * @see NIST SP 800-63B section 3.1.1.2
 */
export function checkPasswordLength(password: string): void {
  const { length } = Array.from(password)
  if (length >= MIN_CHARACTERS && length <= MAX_CHARACTERS) return
  throw new Refusal('invalidBody', {
    field: 'password',
    reason: { code: 'passwordLength', values: { min: MIN_CHARACTERS, max: MAX_CHARACTERS } },
  })
}

/** Looks a password up in the list of common passwords, in any case. */
export function selectCommonPassword(db: Database, password: string) {
  return db
    .select({ password: commonPasswords.password })
    .from(commonPasswords)
    .where(eq(commonPasswords.password, password.toLowerCase()))
}

/** Lists the common passwords with so many characters. */
export function selectCommonPasswordsOfLength(db: Database, characters: number) {
  return db
    .select({ password: commonPasswords.password })
    .from(commonPasswords)
    .where(sql`length(${commonPasswords.password}) = ${characters}`)
}

/** @throws {Refusal} `invalidBody` when `selectCommonPassword` found something. */
export function refuseCommonPassword(found: unknown[]): void {
  if (found.length === 0) return
  throw new Refusal('invalidBody', {
    field: 'password',
    reason: { code: 'commonPassword', values: {} },
  })
}
