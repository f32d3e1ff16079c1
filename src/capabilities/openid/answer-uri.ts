import type { Sender } from './authorization-request.ts'
import { OAuthError } from './oauth-error.ts'

/** The answer to a program. */
export type Answer = { code: string } | OAuthError

/**
 * Returns the parameters of an answer.
 *
 * @see RFC 6749 section 4.1.2, RFC 9207 section 2
 */
export function answerValues({ state }: Sender, issuer: string, answer: Answer) {
  const outcome =
    answer instanceof OAuthError
      ? { error: answer.code, error_description: answer.message }
      : { code: answer.code }
  return { ...outcome, ...(state !== undefined && { state }), iss: issuer }
}

/** Adds the answer to a redirect URI, whose bytes stay as the client has registered them. */
export function answerUri(sender: Sender, issuer: string, answer: Answer): string {
  return withQuery(sender.redirectUri, answerValues(sender, issuer, answer))
}

/** Adds parameters to an address, whose own bytes stay as they are; leaves `undefined` ones out. */
export function withQuery(uri: string, values: Record<string, string | undefined>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) params.set(name, value)
  const query = params.toString()
  return query === '' ? uri : `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
