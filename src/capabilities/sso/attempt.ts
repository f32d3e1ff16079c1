import * as base64url from 'jose/base64url'
import * as v from 'valibot'
import type { Deps } from '../../core/deps.ts'
import type { Client } from '../../core/base/network.ts'
import { SSO_PLATFORMS } from '../../core/base/sso-platforms.ts'
import { THE_SERVICE } from '../../core/database/statements.ts'
import { challengeUse, claimChallenge } from '../../core/access/used-challenges.ts'
import { waitsForProof } from '../../core/base/proof-request.ts'
import type { SsoConfig } from './config.ts'
import { forgetProvider, providerMemory } from './memory.ts'
import { startAsking } from './outgoing.ts'
import { providerOf } from './provider.ts'
import type { Asking, ProviderUser } from './provider-types.ts'
import { logSsoRefusal, SsoError } from './reasons.ts'
import { type SealDeps, sealedText } from '../../core/crypto/sealed-text.ts'

const RANDOM_BYTES = 32
const LIFETIME_SECONDS = 10 * 60

/** Why a sign-in at the provider has begun, which decides what follows it. */
const purposeSchema = v.variant('kind', [
  /** The stock client's button: its window gets a token. */
  v.object({ kind: v.literal('token') }),
  /** The stock client's profile: its window gets a proven `sso_id`. */
  v.object({ kind: v.literal('id') }),
  /** Our sign-in page. */
  v.object({ kind: v.literal('sign-in'), next: v.string() }),
  /** Our page Security. The session was fresh when it began. */
  v.object({
    kind: v.literal('link'),
    userId: v.number(),
    sessionId: v.string(),
    issuedAtSeconds: v.number(),
  }),
])

const attemptSchema = v.object({
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
  redirectUri: v.string(),
  platform: v.picklist(SSO_PLATFORMS),
  endpoint: v.string(),
  purpose: purposeSchema,
})

export type Purpose = v.InferOutput<typeof purposeSchema>

/**
 * A sign-in at a provider that has begun. The browser keeps it as a sealed text, so nothing is
 * stored, and a callback in another browser does not fit.
 */
export type Attempt = v.InferOutput<typeof attemptSchema>

/** The cookie of an attempt. */
export const attemptText = sealedText('single sign-on', LIFETIME_SECONDS, attemptSchema)

type AskDeps = Pick<Deps, 'sendOut' | 'now' | 'isolateMemory'>

/**
 * Begins a sign-in at the provider.
 *
 * @returns The address for the browser, and the text for its cookie.
 * @throws {SsoError} `no answer`, `answer too large`, `answer`.
 */
export async function beginAttempt(
  deps: AskDeps & SealDeps,
  config: SsoConfig,
  redirectUri: string,
  purpose: Purpose,
): Promise<{ url: URL; text: string }> {
  const random = () => base64url.encode(deps.randomBytes(RANDOM_BYTES))
  const { platform, endpoint } = config
  const secrets = { state: random(), nonce: random(), verifier: random() }
  const attempt: Attempt = { ...secrets, redirectUri, platform, endpoint, purpose }
  const isAnew = purpose.kind === 'sign-in' && waitsForProof(purpose.next)
  const url = await providerOf(config, askingOf(deps)).begin(attempt, isAnew)
  return { url, text: await attemptText.seal(deps, attempt) }
}

/** A request to a callback. */
interface Callback {
  /** The address without the parameters that the provider has added. */
  redirectUri: string
  answer: URLSearchParams
  /** The text of the attempt; empty without the cookie. */
  text: string
}

/**
 * Opens the attempt of a callback. Nothing is written: a callback with a code that the provider
 * does not know costs no row.
 *
 * @throws {SsoError} `state`, `expired`, `provider changed`.
 */
export async function openAttempt(
  deps: SealDeps,
  { platform, endpoint }: SsoConfig,
  { redirectUri, answer, text }: Callback,
): Promise<Attempt> {
  const attempt = await attemptText.open(deps, text)
  if (attempt === 'expired') throw new SsoError('expired')
  if (attempt === undefined) throw new SsoError('state', 'cookie')
  if (attempt.redirectUri !== redirectUri) throw new SsoError('state', 'redirect URI')
  const states = answer.getAll('state')
  if (states.length !== 1 || states[0] !== attempt.state) throw new SsoError('state')
  if (attempt.platform !== platform || attempt.endpoint !== endpoint)
    throw new SsoError('provider changed')
  return attempt
}

/**
 * Uses the state of an attempt up, after the provider has said who it was and before anybody gets
 * anything for it. Of callbacks that come at once, one passes.
 *
 * @throws {Refusal} `ssoRefused`.
 */
export async function useUpState(
  deps: SealDeps & Pick<Deps, 'db'>,
  { state }: Attempt,
  client: Client,
): Promise<void> {
  const challenge = new Uint8Array(base64url.decode(state))
  const expiresAt = deps.now() + LIFETIME_SECONDS * 1000
  const use = await challengeUse(deps, { challenge, expiresAt })
  const claimed = await claimChallenge(deps.db, THE_SERVICE, use)
  if (claimed.length === 0) throw logSsoRefusal(new SsoError('state used'), client)
}

function askingOf(deps: AskDeps): Asking {
  return { ask: startAsking(deps), now: deps.now(), memory: providerMemory(deps) }
}

/** Asks the provider who has signed in. @throws {SsoError} */
export async function askWho(
  deps: AskDeps,
  config: SsoConfig,
  attempt: Attempt,
  answer: URLSearchParams,
): Promise<ProviderUser> {
  try {
    return await providerOf(config, askingOf(deps)).finish(attempt, answer)
  } catch (error) {
    // The provider may have moved since it was read.
    forgetProvider(deps)
    throw error
  }
}
