import type { Deps } from '../../core/deps.ts'
import { readStoredSsoConfig } from './config.ts'
import { startAsking } from './outgoing.ts'
import { providerOf } from './provider.ts'
import { SsoError } from './reasons.ts'

/** The result of a check whether a provider can be used. */
export type SsoCheck =
  /**
   * The host to which users are sent, and whether client ID and client secret are known to be
   * right.
   */
  | { platform: string; host: string; isClientAccepted: boolean }
  | { platform: string; problem: SsoProblem }

/** Why a provider can't be used. */
export type SsoProblem = 'no answer' | 'answer' | 'client'

/** The words of a problem, for the command line. */
export const PROBLEM_TEXTS: Record<SsoProblem, string> = {
  'no answer': 'the provider does not answer',
  answer: 'the answer of the provider is not that of an OpenID provider with this address',
  client: 'the provider does not accept the client ID or the client secret',
}

/**
 * Asks the provider with the stored settings, also while single sign-on is off. What this isolate
 * remembers of it is not used.
 *
 * @throws {Refusal} `ssoPlatformInvalid`, with what is missing as its detail; `internal` for a
 *   secret that no key opens.
 */
export async function checkProvider(
  deps: Pick<Deps, 'db' | 'keyRing' | 'now' | 'sendOut'>,
): Promise<SsoCheck> {
  const config = await readStoredSsoConfig(deps)
  const { platform } = config
  try {
    const asking = { ask: startAsking(deps), now: deps.now(), memory: {} }
    const { host, client } = await providerOf(config, asking).check()
    if (client === 'refused') return { platform, problem: 'client' }
    return { platform, host, isClientAccepted: client === 'accepted' }
  } catch (error) {
    if (!(error instanceof SsoError)) throw error
    return { platform, problem: error.reason === 'no answer' ? 'no answer' : 'answer' }
  }
}
