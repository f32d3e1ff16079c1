/** A user who has no more recovery codes than this should make new ones. */
export const FEW_CODES = 2

/** The facts of an account that protect it against a thief, and against a lost device. */
interface Ways {
  hasTwoFactor: boolean
  /** Unused recovery codes. */
  codesLeft: number
  passkeys: number
  /** False where browsers have no passkeys. */
  mayAddPasskeys: boolean
}

/** The checks, the most urgent first. */
export type CheckName = 'factor' | 'codes' | 'passkey' | 'spare'

interface Check {
  name: CheckName
  isGood: boolean
}

export interface Protection {
  checks: Check[]
  /** The most urgent thing that is missing; `undefined` when nothing is. */
  next: CheckName | undefined
  /** `weak`: a password is enough for a thief. `fair`: something should be looked at. */
  level: 'good' | 'fair' | 'weak'
}

/** Tells how well an account is protected. What a user can't have is left out. */
export function protectionOf(ways: Ways): Protection {
  const { hasTwoFactor, codesLeft, passkeys, mayAddPasskeys } = ways
  const checks: Check[] = [{ name: 'factor', isGood: hasTwoFactor || passkeys > 0 }]
  if (hasTwoFactor) checks.push({ name: 'codes', isGood: codesLeft > FEW_CODES })
  // A passkey that is the only second factor is told of above.
  if (hasTwoFactor ? passkeys > 0 || mayAddPasskeys : passkeys === 0 && mayAddPasskeys)
    checks.push({ name: 'passkey', isGood: passkeys > 0 })
  if (passkeys > 0) checks.push({ name: 'spare', isGood: passkeys > 1 })
  const missing = checks.filter(({ isGood }) => !isGood).map(({ name }) => name)
  return { checks, next: missing[0], level: levelOf(missing) }
}

/** A passkey, or a second one, would be better still; the rest needs to be looked at. */
function levelOf(missing: CheckName[]): Protection['level'] {
  if (missing.includes('factor')) return 'weak'
  return missing.includes('codes') ? 'fair' : 'good'
}
