import type { Sender } from './authorization-request.ts'
import { OAuthError } from './oauth-error.ts'

/**
 * Adds the answer to a redirect URI, whose bytes stay as the client has registered them.
 *
 * @see RFC 6749 section 4.1.2, RFC 9207 section 2
 */
export function answerUri(
  { redirectUri, state }: Sender,
  issuer: string,
  answer: { code: string } | OAuthError,
): string {
  const told =
    answer instanceof OAuthError
      ? { error: answer.code, error_description: answer.message }
      : { code: answer.code }
  return withQuery(redirectUri, { ...told, state, iss: issuer })
}

/** Adds parameters to an address, whose own bytes stay as they are; leaves `undefined` ones out. */
export function withQuery(uri: string, values: Record<string, string | undefined>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) params.set(name, value)
  const query = params.toString()
  return query === '' ? uri : `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
