import { logError } from '../database/log.ts'
import { sendMails } from '../mail/outbox.ts'
import { mailResets } from './forgotten.ts'
import type { MailDeps } from './mails.ts'

/** Sends the mails that wait, and makes those that are to become some. A failure is logged. */
export async function runMails(deps: MailDeps): Promise<void> {
  try {
    await sendMails(deps, (request) => mailResets(deps, request))
  } catch (error) {
    logError(error, { during: 'mails' })
  }
}
