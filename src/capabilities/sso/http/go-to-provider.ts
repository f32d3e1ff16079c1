import { clientOf } from '../../../web/http/client.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { passGate } from '../../../core/throttle/gate.ts'
import { attemptText, beginAttempt, type Purpose } from '../attempt.ts'
import { readSsoConfig } from '../config.ts'
import { setSsoCookie } from './cookies.ts'
import { logSsoRefusal } from '../reasons.ts'

/** The methods of the stock client: for its sign-in page, and for its profile. */
export type SsoMethod = 'sso_get_token' | 'get_sso_id'

/** Returns an address that the operator has registered at the provider. */
export function redirectUriOf(c: AppContext, method: SsoMethod, isCompatible: boolean): string {
  return new URL(pathOfCallback(method, isCompatible), c.req.url).href
}

function pathOfCallback(method: SsoMethod, isCompatible: boolean): string {
  return isCompatible ? `/api/auth/${method}` : `/api/auth/sso_callback?method=${method}`
}

/**
 * Begins a sign-in at the provider and sets its cookie.
 *
 * @returns The address for the browser.
 * @throws {Refusal} `ssoOff`, `ssoPlatformInvalid`, `ssoUnavailable`, `tooManyAttempts`.
 */
export async function goToProvider(c: AppContext, purpose: Purpose): Promise<URL> {
  const deps = c.get('deps')
  const client = clientOf(c)
  const config = await readSsoConfig(deps)
  // Each beginning asks the provider, so a stranger must not begin many.
  await passGate(deps, client)
  const isBinding = purpose.kind === 'id' || purpose.kind === 'link'
  const method = isBinding ? 'get_sso_id' : 'sso_get_token'
  const redirectUri = redirectUriOf(c, method, config.isCompatible)
  try {
    const { url, text } = await beginAttempt(deps, config, redirectUri, purpose)
    setSsoCookie(c, 'sso', text, attemptText.seconds)
    return url
  } catch (error) {
    throw logSsoRefusal(error, client)
  }
}
