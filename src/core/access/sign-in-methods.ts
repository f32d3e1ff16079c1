import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { sessions } from '../../../schema/tables.ts'
import { literal } from '../database/literal.ts'
import { hasSecondFactor, mustUseSecondFactor } from '../accounts/second-factor.ts'
import type { FactorState, Leniency } from './leniency.ts'

/**
 * How a user proves who they are: a password, a code of an authenticator app, a recovery code, a
 * passkey, an identity provider (`sso`), or the word of that provider that it has asked for a
 * second factor (`mfa`). `hwk` stands beside `passkey` for one that never leaves its device. `pwd`,
 * `otp`, `hwk` and `mfa` are names of RFC 8176.
 */
export type Method = ListedMethod | 'hwk'

/** The methods that a list of sessions names. `hwk` tells programs what a passkey is. */
export const LISTED_METHODS = ['pwd', 'otp', 'recovery', 'passkey', 'sso', 'mfa'] as const
export type ListedMethod = (typeof LISTED_METHODS)[number]

/** Stands for the methods of what a command makes: the operator has decided that it is enough. */
export const BY_COMMAND = 'operator'

/** The methods that count as a second factor. A passkey does, because it verifies the user. */
const SECOND_FACTORS: readonly Method[] = ['otp', 'recovery', 'passkey', 'mfa']

/** Returns methods as they are stored and shown. */
export function methodText(methods: readonly Method[]): string {
  return methods.join(' ')
}

/** Returns the methods of a session. */
export function storedMethods(amr: string): string[] {
  return amr.split(' ').filter((method) => method !== '')
}

/** The clock of an identity provider may differ from ours. */
export const PROVIDER_TOLERANCE_SECONDS = 30

/** Holds when methods, as they are stored, contain a second factor. */
export function hasShownFactor(amr: SQLWrapper): SQL {
  const contains = SECOND_FACTORS.map((method) => sql`instr(${amr}, ${literal(method)}) > 0`)
  return sql`(${sql.join(contains, sql` or `)})`
}

/** Adds methods to those of a session. */
export function withMethods(methods: readonly Method[]): SQL {
  return methods.reduce<SQL>(
    (amr, method) =>
      sql`iif(instr(${amr}, ${method}) > 0, ${amr}, trim(${amr} || ' ' || ${method}))`,
    sql`${sessions.amr}`,
  )
}

/**
 * Returns the methods that the use of a passkey counts as.
 *
 * @see https://www.w3.org/TR/webauthn-3/#backup-eligible
 */
export function passkeyMethods({ isBackupEligible }: { isBackupEligible: boolean }): Method[] {
  return isBackupEligible ? ['passkey'] : ['passkey', 'hwk']
}

/** The state of a row of `users`, joined with a row of `sessions`. */
export const factorState = sql<FactorState>`(case
  when ${hasShownFactor(sessions.amr)} or not ${mustUseSecondFactor} then 'enough'
  when ${hasSecondFactor} then 'unused' else 'missing' end)`

/**
 * The condition of `isEnough` for a row of `users`, joined with a row of `sessions`.
 *
 * @param amr The methods that were shown, when they are not those of the session alone.
 */
export function whenEnough(
  leniency: Leniency | undefined,
  amr: SQLWrapper = sessions.amr,
): SQL | undefined {
  if (leniency === 'to confirm') return undefined
  const isFirst = leniency === 'to enrol' ? sql` or not ${hasSecondFactor}` : sql``
  return sql`(${hasShownFactor(amr)} or not ${mustUseSecondFactor}${isFirst})`
}

/** Holds for an app password or an SSH key that a password alone has made, or nobody knows what. */
export function isMadeWithPassword(amr: SQLWrapper): SQL {
  return sql`(${amr} <> ${literal(BY_COMMAND)} and not ${hasShownFactor(amr)})`
}

/**
 * Holds for a row of `users`, joined with an app password or an SSH key, while what that was made
 * with is enough for its owner. Every door of such a credential asks this.
 */
export function isMadeWithEnough(amr: SQLWrapper): SQL {
  return sql`(not ${isMadeWithPassword(amr)} or not ${mustUseSecondFactor})`
}
