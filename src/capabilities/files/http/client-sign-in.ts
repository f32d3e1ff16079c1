import { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { parseClientPath } from '../../../web/kit/local-path.ts'
import { signInPath } from '../../sign-in/pages/next.ts'
import { isReading } from '../rights.ts'

/**
 * Leads from the sign-in page of the web client to that of the account, and from there back to
 * where the visitor was. The web client's own page takes a token from its address and from messages
 * of any page.
 *
 * @throws {Refusal} `methodNotAllowed`.
 */
export function goToSignIn(c: AppContext, { searchParams }: URL): Response {
  if (!isReading(c.req.method)) {
    c.header('Allow', 'GET, HEAD')
    throw new Refusal('methodNotAllowed', { values: { methods: 'GET, HEAD' } })
  }
  c.header('Cache-Control', 'no-store')
  const path = parseClientPath(searchParams.get('redirect') ?? '') || '/'
  return c.redirect(signInPath(path), 303)
}
