import { networkOf, type Client } from '../base/network.ts'
import type { AppContext } from './context.ts'

const MAX_USER_AGENT_CHARACTERS = 255

/** Only the edge's own word names the client: every other header is the client's. */
export function clientOf(c: AppContext): Client {
  return {
    network: networkOf(c.req.header('CF-Connecting-IP') ?? ''),
    userAgent: (c.req.header('User-Agent') ?? '').slice(0, MAX_USER_AGENT_CHARACTERS),
  }
}
