import { Refusal } from '../base/refusals.ts'
import type { Deps } from '../deps.ts'

/** Tells whether this site sends mail: it has a sender, an address to send from, and its own. */
export function hasMail(deps: Pick<Deps, 'mailer' | 'siteAddress'>): boolean {
  return deps.mailer() !== undefined && deps.siteAddress() !== undefined
}

/** @returns Where this site answers, for links. @throws {Refusal} `mailOff`. */
export function mailSite(deps: Pick<Deps, 'mailer' | 'siteAddress'>): string {
  const site = deps.siteAddress()
  if (deps.mailer() === undefined || site === undefined) throw new Refusal('mailOff')
  return site
}
