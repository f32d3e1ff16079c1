import { siteAddressOf } from '../../core/base/site-address.ts'
import { type MailAnswer, mailAnswerSchema } from './local-data.ts'
import type { Deps } from '../../core/deps.ts'
import { CommandError } from '../kit/command-error.ts'
import { varsFile } from './dev-vars.ts'
import { localAddress } from './local-address.ts'
import { askRunningSite, isSiteRunning } from './running-site.ts'
import { readVars, textIn } from './site-config.ts'

/** The dependencies of a decision that sends mail. */
type MailDeps = Pick<Deps, 'sendEmail' | 'mailFrom' | 'siteAddress'>

/**
 * Returns what a command needs to put a mail into the outbox of the site, which sends it. Without
 * an address, a sender or a way to send, the site sends no mail.
 *
 * @throws {CommandError} When an address is invalid.
 */
export async function readMail(isRemote: boolean): Promise<MailDeps> {
  return mailDeps(await findMail(isRemote, undefined))
}

/**
 * Like `readMail`, for a command that makes a link: with the address to which it leads.
 *
 * @param given The address that the operator names; it replaces the address of the site.
 * @returns With a note for the user who gets the link, when the address is a guess.
 * @throws {CommandError} When an address is invalid, or the site has none.
 */
export async function readMailSite(
  isRemote: boolean,
  given: string | undefined,
): Promise<{ mail: MailDeps; address: string; note: string | undefined }> {
  const { isGuess, ...mail } = await findMail(isRemote, given)
  const { address } = mail
  if (address !== undefined)
    return { mail: mailDeps(mail), address, note: isGuess ? guessed(address) : undefined }
  const file = varsFile(isRemote)
  throw new CommandError(
    `The address of the site is not known: name it with --site, or set SITE_ADDRESS in ${file}.`,
  )
}

interface FoundMail extends MailAnswer {
  /** Whether the address is the one that `npm start` has without options. */
  isGuess: boolean
}

async function findMail(isRemote: boolean, given: string | undefined): Promise<FoundMail> {
  const running = isRemote ? undefined : await askForMail()
  const vars = running === undefined ? await readVars(isRemote) : {}
  const set = {
    SITE_ADDRESS: given ?? textIn(vars['SITE_ADDRESS']),
    ISSUER: textIn(vars['ISSUER']),
  }
  const local = isRemote ? undefined : localAddress()
  const found = siteAddressOf({ ...set, LOCAL_ADDRESS: running ? running.address : local })
  if ('problem' in found) throw new CommandError(`${found.problem}.`)
  const { from, canSend } = running ?? { from: textIn(vars['MAIL_FROM']), canSend: true }
  const isSet = Boolean(set.SITE_ADDRESS ?? set.ISSUER)
  return { from, canSend, address: found.address, isGuess: !running && !isRemote && !isSet }
}

/** @returns `undefined` while the local site does not run. */
async function askForMail(): Promise<MailAnswer | undefined> {
  if (!(await isSiteRunning())) return undefined
  return askRunningSite('mail', mailAnswerSchema)
}

function mailDeps({ from, address, canSend }: MailAnswer): MailDeps {
  return {
    sendEmail: canSend ? () => Promise.reject(new Error('the site sends its mails')) : undefined,
    mailFrom: () => from,
    siteAddress: () => address,
  }
}

/** Says to the operator what a site needs to send mail, and what of it is missing. */
export function whyNoMail({ sendEmail, mailFrom, siteAddress }: MailDeps): string {
  const missing = [
    ...(mailFrom() === undefined ? ['MAIL_FROM'] : []),
    ...(sendEmail === undefined ? ['SMTP_URL'] : []),
    ...(siteAddress() === undefined ? ['SITE_ADDRESS'] : []),
  ]
  return `This site sends no mail. That needs MAIL_FROM, SMTP_URL (at Cloudflare the binding EMAIL) and SITE_ADDRESS; not set: ${missing.join(', ')}.`
}

function guessed(address: string): string {
  return `The site is not running, so the link leads to ${address}. If the site answers elsewhere, name its address with --site, or set SITE_ADDRESS in ${varsFile(false)}.`
}
