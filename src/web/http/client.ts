import { networkOf, type Client } from '../../core/base/network.ts'
import type { AppContext } from './context.ts'

const MAX_USER_AGENT_CHARACTERS = 255

/**
 * Returns the client of a request. Cloudflare sets `CF-Connecting-IP`; a client can forge any other
 * header.
 */
export function clientOf(c: AppContext): Client {
  return {
    network: networkOf(c.req.header('CF-Connecting-IP') ?? ''),
    userAgent: (c.req.header('User-Agent') ?? '').slice(0, MAX_USER_AGENT_CHARACTERS),
    country: countryOf(c.req.raw.cf),
  }
}

/** @see https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties */
function countryOf(cf: CfProperties | undefined): string {
  const country = cf?.['country']
  return typeof country === 'string' && /^[A-Z][A-Z\d]$/.test(country) ? country : ''
}
