import { auth } from 'hono/utils/basic-auth'
import type { Credentials } from '../client-store.ts'
import { hashSecret } from '../handles.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'

/**
 * Reads who a client says that it is: HTTP Basic, the form, or a `client_id` alone.
 *
 * @throws {OAuthError} `invalid_client` for broken credentials and for none; `invalid_request` for
 *   two at once.
 * @see RFC 6749 section 2.3.1
 */
export async function readCredentials(request: Request, form: Parameters): Promise<Credentials> {
  const { client_id: formId, client_secret: formSecret } = form
  if (request.headers.has('Authorization')) {
    const basic = auth(request)
    const clientId = basic && formDecoded(basic.username)
    const secret = basic && formDecoded(basic.password)
    if (clientId === undefined || secret === undefined)
      throw new OAuthError('invalid_client', 'the Authorization header is not valid')
    if (formSecret !== undefined || (formId !== undefined && formId !== clientId))
      throw new OAuthError('invalid_request', 'the client shows two credentials')
    return { clientId, secretHash: await hashSecret(secret) }
  }
  if (formId === undefined) throw new OAuthError('invalid_client', 'the client shows no credential')
  return {
    clientId: formId,
    secretHash: formSecret === undefined ? null : await hashSecret(formSecret),
  }
}

/** Decodes as a form does. @see RFC 6749 appendix B */
function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
