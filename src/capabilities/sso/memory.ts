import type { AuthorizationServer, JWKSCacheInput } from 'oauth4webapi'
import { remembered } from '../../core/base/isolate-memory.ts'
import type { Deps } from '../../core/deps.ts'

/** The metadata that a provider publishes. */
export interface KnownProvider {
  /** The address that was asked. */
  address: string
  server: AuthorizationServer
  /** Unix time, milliseconds. */
  readAt: number
  /** The keys of the provider; the library fills it, and reads keys of five minutes ago again. */
  keys: JWKSCacheInput
}

/** The identity provider, as an isolate has read it lately. */
export interface ProviderMemory {
  provider?: KnownProvider
}

export const providerMemory = remembered('the identity provider', (): ProviderMemory => ({}))

/** How long a change of the provider's addresses may go unnoticed. */
const MEMORY_MILLISECONDS = 10 * 60_000

/**
 * Returns what is known of the provider at this address; reads it when that is too old.
 *
 * @param now Unix time, milliseconds.
 */
export async function knowProvider(
  memory: ProviderMemory,
  address: string,
  now: number,
  read: () => Promise<AuthorizationServer>,
): Promise<KnownProvider> {
  const { provider } = memory
  if (provider?.address === address && now - provider.readAt < MEMORY_MILLISECONDS) return provider
  const known = { address, server: await read(), readAt: now, keys: {} }
  memory.provider = known
  return known
}

/** Makes the next sign-in read everything again. */
export function forgetProvider(deps: Pick<Deps, 'isolateMemory'>): void {
  delete providerMemory(deps).provider
}
