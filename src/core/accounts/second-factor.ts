import { type SQL, sql } from 'drizzle-orm'
import { passkeys, settings, users } from '../../../schema/tables.ts'
import { rendered } from '../database/rendered.ts'
import { isAdmin } from './conditions.ts'

/** Holds for a row of `users` with a passkey. */
export const hasPasskey: SQL = rendered(
  () => sql`exists (select 1 from ${passkeys} where ${passkeys.userId} = ${users.id})`,
)

/** Holds for a row of `users` with an authenticator app or a passkey. */
export const hasSecondFactor: SQL = sql`(${users.totpSeed} is not null or ${hasPasskey})`

/** The setting with the users who must sign in with a second factor. */
const REQUIREMENT = sql`(select ${settings.value} from ${settings} where ${settings.key} = 'require_second_factor')`

/** Holds for a row of `users` that must sign in with a second factor. */
export const mustUseSecondFactor: SQL = rendered(
  () => sql`(case ${REQUIREMENT}
  when 'everybody' then true when 'admins' then ${isAdmin} else false end)`,
)

/** Holds for a row of `users` whose password is not enough, and who has no code but a passkey. */
export const mustUsePasskey: SQL = sql`(${mustUseSecondFactor} and ${users.totpSeed} is null and ${hasPasskey})`
