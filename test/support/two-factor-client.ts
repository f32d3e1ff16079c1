import { phoneCode } from './authenticator.ts'
import type { Client } from './client.ts'

/**
 * Turns two-step verification on at a served site, with a code of this time.
 *
 * @param now Unix time at the site, milliseconds.
 * @returns The secret of the authenticator app, and the token of the session from then on.
 */
export async function turnOnTwoFactorAt(
  site: Client,
  token: string,
  now: number,
): Promise<{ secret: string; token: string }> {
  const { secret } = await site.ask('/api/auth/2fa/generate', { token })
  const body = { code: phoneCode(secret, now), secret }
  const answer = await site.ask('/api/auth/2fa/verify', { token, body })
  return { secret, token: answer?.token ?? token }
}
