import { parseEmail } from '../../../core/base/email.ts'
import { siteAddressOf } from '../../../core/base/site-address.ts'
import { failure, type Finding, good, warning } from '../../../programs/kit/findings.ts'
import { varsFile } from '../../../programs/site/dev-vars.ts'
import type { Checks } from '../../../programs/site/in-programs.ts'
import { bindsEmail } from '../../../programs/site/site-config.ts'

export const checks: Checks = {
  async ofSetup(_, { isRemote, config, variable }) {
    const facts = {
      from: variable('MAIL_FROM'),
      siteAddress: variable('SITE_ADDRESS'),
      issuer: variable('ISSUER'),
      hasWay: isRemote ? bindsEmail(config) : Boolean(variable('SMTP_URL')),
    }
    return [judgeMail(isRemote, facts)]
  },
}

/** The settings that a site needs to mail its users (docs/operating.md, Mail). */
export interface MailFacts {
  /** `MAIL_FROM`; `undefined` or empty while the site mails nobody. */
  from: string | undefined
  siteAddress: string | undefined
  issuer: string | undefined
  /** Whether there is a way to send: the binding `EMAIL`, or `SMTP_URL` under `npm start`. */
  hasWay: boolean
}

/** Any address: `npm start` has one of its own, whose port only it knows. */
const LOCAL_ADDRESS = 'http://localhost'

/** Judges whether the site can mail its users, when it is meant to. */
export function judgeMail(isRemote: boolean, facts: MailFacts): Finding {
  const check = 'mail'
  const file = varsFile(isRemote)
  const { from, siteAddress, issuer, hasWay } = facts
  if (!from) return good(check, 'users get no mail, because MAIL_FROM is not set')
  if (parseEmail(from) === undefined)
    return failure(
      check,
      'MAIL_FROM is no e-mail address',
      `set MAIL_FROM in ${file} to one such as accounts@example.org`,
    )
  const found = siteAddressOf({
    SITE_ADDRESS: siteAddress,
    ISSUER: issuer,
    LOCAL_ADDRESS: isRemote ? undefined : LOCAL_ADDRESS,
  })
  if ('problem' in found) return failure(check, found.problem, `change it in ${file}`)
  if (found.address === undefined)
    return warning(
      check,
      'users get no mail, because links would lead nowhere: SITE_ADDRESS is not set',
      `set SITE_ADDRESS in ${file} to the address of this site`,
    )
  if (hasWay) return good(check, `users get mail from ${from}`)
  return warning(
    check,
    `users get no mail, because ${isRemote ? 'there is no binding EMAIL' : 'SMTP_URL is not set'}`,
    isRemote
      ? 'put [[send_email]] with name = "EMAIL" into wrangler.toml'
      : `set SMTP_URL in ${file}, such as smtps://USER:PASSWORD@smtp.example.org`,
  )
}
