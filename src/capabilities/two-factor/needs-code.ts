import type { Enrolled, WithSecondFactor } from './second-factor.ts'

/**
 * Tells whether a sign-in with the password needs a code. `isEnrolled` is the same check in a
 * statement. A passkey needs no code: it signs in without the password.
 */
export function needsCode<User extends WithSecondFactor>(user: User): user is User & Enrolled {
  return user.totpSeed !== null
}
