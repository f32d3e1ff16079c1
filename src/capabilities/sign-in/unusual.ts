import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { payBack } from '../../core/throttle/charges.ts'
import type { Counter, SignInCounters } from '../../core/throttle/counters.ts'
import { refusalParts, type RefusedSignIn } from '../../core/throttle/refused.ts'
import type { Charged } from './sign-in.ts'
import { chargeStatements } from './sign-in-texts.ts'

// What a sign-in that succeeds at once with a password needs not: it is loaded when it is needed.

/** Charges an attempt for a name that may be stored under two keys. */
export function chargeByName(
  { db }: Pick<Deps, 'db'>,
  signIn: SignInCounters,
  now: number,
): Promise<Charged> {
  return runBatch(db, chargeStatements(db, signIn, now))
}

export async function recordRefusal(
  { db }: Pick<Deps, 'db'>,
  event: RefusedSignIn,
  signIn: SignInCounters,
): Promise<void> {
  await runBatch(db, refusalParts(db, THE_SERVICE, event, signIn))
}

export async function payBackCharge(db: Database, counters: readonly Counter[]): Promise<void> {
  await payBack(db, THE_SERVICE, counters)
}
