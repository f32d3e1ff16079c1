import type { Deps } from '../deps.ts'
import { beginAttempt } from './attempt.ts'
import { readSsoSettings } from './config.ts'
import { SsoError } from './reasons.ts'

/** What a provider answered to an operator who asks whether it can be used. */
export type SsoCheck =
  /** The host to which users are sent. */
  { platform: string; host: string } | { platform: string; problem: string }

/**
 * Asks the provider for its metadata with the stored settings, also while single sign-on is off.
 *
 * @throws {Refusal} `ssoPlatformInvalid`, with what is missing as its detail; `internal` for a
 *   secret that no key opens.
 */
export async function checkProvider(
  deps: Pick<Deps, 'db' | 'keyRing' | 'randomBytes' | 'now' | 'sendOut'>,
): Promise<SsoCheck> {
  const config = await readSsoSettings(deps)
  const { platform } = config
  try {
    // What this isolate remembers of the provider is no answer.
    const asking = { ...deps, settingsMemory: {} }
    // The redirect URI is not compared before a user signs in.
    const { url } = await beginAttempt(asking, config, 'https://site.invalid/', { kind: 'token' })
    return { platform, host: url.host }
  } catch (error) {
    if (!(error instanceof SsoError)) throw error
    return { platform, problem: PROBLEMS[error.reason] ?? error.reason }
  }
}

const PROBLEMS: Partial<Record<SsoError['reason'], string>> = {
  'no answer': 'the provider does not answer',
  'answer too large': 'the answer of the provider is too large',
  answer: 'the answer of the provider is not that of an OpenID provider with this address',
}
