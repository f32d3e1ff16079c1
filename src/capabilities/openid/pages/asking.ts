import type { AppContext } from '../../../web/http/context.ts'
import { parseAuthorizationRequest } from '../authorization-request.ts'
import { findSender } from '../authorize.ts'
import { isRequestPath } from '../../../web/kit/local-path.ts'

/** The program that a sign-in is for. */
export interface AskingProgram {
  name: string
  /** The host that gets the answer. */
  host: string
  /** The user name that the program expects. */
  loginHint: string | undefined
}

/** @returns `undefined` for a path that is no request of a program that is registered. */
export async function findAsking(c: AppContext, path: string): Promise<AskingProgram | undefined> {
  if (!isRequestPath(path)) return undefined
  const { searchParams } = new URL(path, c.req.url)
  const { sender, ...parsed } = parseAuthorizationRequest(searchParams)
  const deps = c.get('deps')
  const client = sender && (await findSender(deps, deps.issuer(c.req.url), sender))
  if (client === undefined || sender === undefined) return undefined
  const loginHint = 'request' in parsed ? parsed.request.loginHint : undefined
  return { name: client.name, host: new URL(sender.redirectUri).host, loginHint }
}
