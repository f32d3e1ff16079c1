import type { Refusal, RefusalName } from '../../core/base/refusals.ts'

const SESSION_OVER: readonly RefusalName[] = [
  'guestDisabled',
  'tokenExpired',
  'tokenInvalidated',
  'passwordChanged',
  'accountDisabled',
]

/** Tells whether the visitor has to sign in again. */
export function isSessionOver({ refusal }: Refusal): boolean {
  return SESSION_OVER.includes(refusal)
}

/** Tells whether the visitor has to set up or show a second factor first. */
export function lacksSecondFactor({ refusal }: Refusal): boolean {
  return refusal === 'secondFactorMissing' || refusal === 'secondFactorUnused'
}
