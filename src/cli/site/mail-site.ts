import { siteAddressOf } from '../../base/site-address.ts'
import type { MailSiteDeps } from '../../mail/mail-site.ts'
import { CommandError } from '../shared/command-error.ts'
import { localAddress } from './local-address.ts'
import { readVars } from './site-config.ts'

/**
 * Returns what a command needs to put a mail into the outbox of the site, which sends it. Without
 * an address or a sender, the site sends no mail.
 *
 * @param given The address that the operator names, instead of `SITE_ADDRESS` and `ISSUER`.
 * @throws {CommandError} When an address is invalid.
 */
export async function readMail(isRemote: boolean, given?: string): Promise<MailSiteDeps> {
  const vars = await readVars(isRemote)
  const found = siteAddressOf({
    SITE_ADDRESS: given ?? textOf(vars['SITE_ADDRESS']),
    ISSUER: textOf(vars['ISSUER']),
    LOCAL_ADDRESS: isRemote ? undefined : localAddress(),
  })
  if ('problem' in found) throw new CommandError(`${found.problem}.`)
  const { address } = found
  const from = textOf(vars['MAIL_FROM'])
  return {
    sendEmail: () => Promise.reject(new Error('the site sends its mails')),
    mailFrom: () => from,
    siteAddress: () => address,
  }
}

/**
 * Like `readMail`, for a command that makes a link: with the address to which it leads.
 *
 * @throws {CommandError} When an address is invalid, or a deployed site has none.
 */
export async function readMailSite(
  isRemote: boolean,
  given: string | undefined,
): Promise<{ mail: MailSiteDeps; address: string }> {
  const mail = await readMail(isRemote, given)
  const address = mail.siteAddress()
  if (address !== undefined) return { mail, address }
  throw new CommandError(
    'The address of the site is not known: name it with --site, or set SITE_ADDRESS in wrangler.toml.',
  )
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
