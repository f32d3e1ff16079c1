/**
 * The right of a session that was begun without the second factor that its user must use: to add a
 * first one, or only to confirm itself. Other sessions of this kind may do nothing.
 */
export type Leniency = 'to enrol' | 'to confirm'

/** Lets a session without the required second factor act, when its user has none yet. */
export function toEnrol<Session extends object>(session: Session) {
  return { ...session, mayLackFactor: 'to enrol' as const }
}

/**
 * Lets a session without the required second factor act. It is for reading `/api/me` and
 * confirming.
 */
export function toConfirm<Session extends object>(session: Session) {
  return { ...session, mayLackFactor: 'to confirm' as const }
}

/**
 * Whether a session has the second factor that its user must use. `missing` means that the user has
 * none, `unused` that this session did not use it.
 */
export type FactorState = 'enough' | 'missing' | 'unused'

export function isEnough(state: FactorState, leniency: Leniency | undefined): boolean {
  return (
    state === 'enough' ||
    leniency === 'to confirm' ||
    (leniency === 'to enrol' && state === 'missing')
  )
}
