import type { Deps } from '../../core/deps.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { isHttpsOrigin } from './checks.ts'
import { findChangedSetting } from './store.ts'

/**
 * Returns the origins of other sites whose pages may use passkeys of this one.
 *
 * @throws {Refusal} `unknownPath` without any; `unavailable`.
 * @see https://www.w3.org/TR/webauthn-3/#sctn-related-origins
 */
export async function readRelatedOrigins({ db }: Pick<Deps, 'db'>): Promise<string[]> {
  const value = (await findChangedSetting(db, 'passkey_related_origins')) ?? ''
  const origins = value.split('\n').filter(isHttpsOrigin)
  if (origins.length === 0) throw new Refusal('unknownPath')
  return origins
}
