import { parseIssuer } from './issuer.ts'

/** The variables that name the address of the site. */
export interface SiteAddressBindings {
  SITE_ADDRESS?: string | undefined
  ISSUER?: string | undefined
  /** `http://localhost:<port>`. Only `npm start` sets it, when nobody else can reach the site. */
  LOCAL_ADDRESS?: string | undefined
}

/**
 * Returns the origin where this site answers, for links that leave it. The `Host` of a request is
 * never used: a stranger could then have links to another site sent.
 *
 * @returns The address; `undefined` where none is set; or what is wrong with it.
 */
export function siteAddressOf({
  SITE_ADDRESS: set,
  ISSUER: issuer,
  LOCAL_ADDRESS: local,
}: SiteAddressBindings): { address: string | undefined } | { problem: string } {
  const name = set ? 'SITE_ADDRESS' : 'ISSUER'
  const chosen = set || issuer
  if (!chosen) return { address: local || undefined }
  const address = parseIssuer(chosen)
  if (address !== undefined) return { address }
  return {
    problem: `${name} must be an origin such as https://account.example.org, not "${chosen}"`,
  }
}
