import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'

export type MailSiteDeps = Pick<Deps, 'sendEmail' | 'mailFrom' | 'siteAddress'>

/** The sender and the address of the site, for its mails. */
export interface MailSite {
  /** The sender. */
  from: string
  /** Where the site answers, without a slash at the end. */
  address: string
}

/**
 * Returns what the site mails with; `undefined` when it sends no mail.
 *
 * @throws {Refusal} `internal` when a variable is invalid.
 */
export function mailSiteOf({
  sendEmail,
  mailFrom,
  siteAddress,
}: MailSiteDeps): MailSite | undefined {
  const [from, address] = [mailFrom(), siteAddress()]
  if (sendEmail === undefined || from === undefined || address === undefined) return undefined
  return { from, address }
}

/** @throws {Refusal} `mailOff`, and `internal` when a variable is invalid. */
export function getMailSite(deps: MailSiteDeps): MailSite {
  const site = mailSiteOf(deps)
  if (site === undefined) throw new Refusal('mailOff')
  return site
}

/** Tells pages whether the site sends mail. A wrong variable must not keep people from signing in. */
export function hasMailSite(deps: MailSiteDeps): boolean {
  try {
    return mailSiteOf(deps) !== undefined
  } catch {
    return false
  }
}
