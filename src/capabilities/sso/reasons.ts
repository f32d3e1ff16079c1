import type { Client } from '../../core/base/network.ts'
import { Refusal, type RefusalName } from '../../core/base/refusals.ts'

/** Why a sign-in at an identity provider failed, for the log. Visitors get one text for each class. */
type SsoReason =
  /** The cookie with the state is missing, altered, from another browser, or of another callback. */
  | 'state'
  /** The sign-in began more than ten minutes ago. */
  | 'expired'
  /** The state was used before. */
  | 'state used'
  /** The operator has changed the provider since the sign-in began. */
  | 'provider changed'
  /** The provider answered with an error. */
  | 'denied'
  /** The provider does not accept client ID or client secret. */
  | 'client'
  /** The provider can't be reached, or is too slow. */
  | 'no answer'
  /** An answer of the provider is too large. */
  | 'answer too large'
  /** An answer of the provider is not what the protocol demands: a status, JSON, a token, a claim. */
  | 'answer'

const REFUSALS: Record<SsoReason, RefusalName> = {
  state: 'ssoRefused',
  expired: 'ssoRefused',
  'state used': 'ssoRefused',
  'provider changed': 'ssoRefused',
  denied: 'ssoDenied',
  client: 'ssoMisconfigured',
  'no answer': 'ssoUnavailable',
  'answer too large': 'ssoUnavailable',
  answer: 'ssoRefused',
}

/** A sign-in at an identity provider that fails. */
export class SsoError extends Error {
  override readonly name = 'SsoError'
  readonly reason: SsoReason
  /** The log has it: the class of the error, never a value of the provider. */
  readonly detail: string

  constructor(reason: SsoReason, detail = '') {
    super(reason)
    this.reason = reason
    this.detail = detail
  }
}

/**
 * Logs why a sign-in failed.
 *
 * @returns The refusal for the visitor.
 * @throws Any other error, unchanged.
 */
export function logSsoRefusal(error: unknown, { network }: Client): Refusal {
  if (!(error instanceof SsoError)) throw error
  const { reason, detail } = error
  const line = JSON.stringify({ event: 'sso_refused', reason, detail, network })
  // Logged as an error, because only the operator can mend it.
  if (reason === 'client') console.error(line)
  else console.log(line)
  return new Refusal(REFUSALS[reason])
}
