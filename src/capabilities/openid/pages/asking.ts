import type { AppContext } from '../../../web/http/context.ts'
import { parseAuthorizationRequest } from '../authorization-request.ts'
import { findSender } from '../authorize.ts'
import { textsFor } from '../../../web/kit/language.ts'
import type { AskingProgram } from '../../../web/kit/view.ts'

/**
 * Finds the program that asks for a sign-in.
 *
 * @param path A request for a sign-in (`isRequestPath`).
 * @returns `undefined` for a program that is not registered.
 */
export async function findAsking(c: AppContext, path: string): Promise<AskingProgram | undefined> {
  const { searchParams } = new URL(path, c.req.url)
  const { sender, ...parsed } = parseAuthorizationRequest(searchParams)
  const deps = c.get('deps')
  const client = sender && (await findSender(deps, deps.issuer(c.req.url), sender))
  if (client === undefined || sender === undefined) return undefined
  const lead = textsFor(c).authorize.asks(client.name, new URL(sender.redirectUri).host)
  return { lead, username: ('request' in parsed && parsed.request.loginHint) || '' }
}
