import type { ProviderMemory } from './memory.ts'
import type { Ask } from './outgoing.ts'

/** The random values of one sign-in. */
interface Secrets {
  state: string
  /** Comes back in the ID token. */
  nonce: string
  /** Of PKCE. @see RFC 7636 section 4.1 */
  verifier: string
}

/** A sign-in at a provider that has begun. */
export interface Begun extends Secrets {
  redirectUri: string
}

/** A user who has signed in at a provider. */
export interface ProviderUser {
  issuer: string
  /** The provider's id for the user, which never changes. */
  subject: string
  /** The provider's name of the user, who may be able to change it. Empty without a name. */
  name: string
  /** Whether the provider says that it has asked for a second factor. */
  hasMfa: boolean
  /** When the provider asked its user to sign in (seconds since 1970), if it tells. */
  authTimeSeconds?: number | undefined
  /** The values of the claim with groups; null for one that can't be read, missing when not asked. */
  groups?: readonly string[] | null
}

/** The result of a check of a provider. */
export interface ProviderCheck {
  /** The host to which users are sent. */
  host: string
  /** Whether it accepts client ID and client secret; `unknown` when its answer does not tell. */
  client: 'accepted' | 'refused' | 'unknown'
}

/** How a provider is asked. */
export interface Asking {
  ask: Ask
  /** Unix time, milliseconds. */
  now: number
  /** Filled with what the provider publishes about itself. */
  memory: ProviderMemory
}

/** An identity provider. Its functions throw {SsoError}. */
export interface Provider {
  /**
   * Returns the address to which the visitor's browser goes.
   *
   * @param isAnew The user is to sign in there again, also with a live session.
   */
  begin: (begun: Begun, isAnew: boolean) => Promise<URL>
  /** @param answer The query of the callback. */
  finish: (begun: Begun, answer: URLSearchParams) => Promise<ProviderUser>
  /** Asks whether the provider can be used. It signs nobody in. */
  check: () => Promise<ProviderCheck>
}
